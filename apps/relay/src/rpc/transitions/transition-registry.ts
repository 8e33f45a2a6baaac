import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { describeDto, OneOf } from '../../edge';
import { type Registered, registered } from '../../extensions';
import { TASK_TRANSITION, type TaskTransitionOptions, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

type Found = Registered<TaskTransitionOptions<TransitionParams>, TransitionHandler<TransitionParams>>;

/** Finds every `@TaskTransition` of the application once it is wired. */
@Injectable()
export class TransitionRegistry implements OnModuleInit {
  private readonly transitions = new Map<string, Found>();
  /** The names of the parameters of each. */
  private readonly parameters = new Map<string, ReadonlySet<string>>();
  private unknown: Type<TransitionParams> = TransitionParams;

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when two classes register the same name */
  onModuleInit(): void {
    const found: Found[] = registered(this.discovery, TASK_TRANSITION, 'transition');
    for (const transition of found) {
      this.transitions.set(transition.name, transition);
      this.parameters.set(transition.name, new Set(describeDto(transition.options.params).map(({ name }) => name)));
    }
    class KnownTransitions extends TransitionParams {}
    OneOf([...this.transitions.keys()])(KnownTransitions.prototype, 'transition');
    this.unknown = KnownTransitions;
  }

  /** Every transition with the DTO of its parameters, in order of names. */
  all(): TaskTransitionOptions<TransitionParams>[] {
    return [...this.transitions.values()].map(({ options }) => options);
  }

  /** The transition of that name, which `paramsOf` has found. */
  get(name: string): TransitionHandler<TransitionParams> {
    const transition = this.transitions.get(name);
    if (transition === undefined) throw new Error(`The parameters of the unknown transition ${name} were accepted.`);
    return transition.instance;
  }

  /**
   * The DTO to read these parameters into; for an unknown transition one that refuses it.
   * @throws RelayError invalid_params for a parameter of another transition
   */
  paramsOf(params: object): Type<TransitionParams> {
    const { transition: name } = params as { transition?: unknown };
    const transition = typeof name === 'string' ? this.transitions.get(name) : undefined;
    if (transition === undefined) return this.unknown;
    const own = this.parameters.get(transition.name);
    const misplaced = Object.entries(params).find(
      ([parameter, value]) => value !== null && own?.has(parameter) === false && this.isParameter(parameter),
    );
    if (misplaced === undefined) return transition.options.params;
    const [field] = misplaced;
    const message = `${field} does not belong to the transition ${transition.name}; leave it out.`;
    throw new RelayError('invalid_params', message, { field });
  }

  private isParameter(name: string): boolean {
    return [...this.parameters.values()].some((names) => names.has(name));
  }
}
