import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { knownNames, IsIn } from '../../http';
import { type DiscoveredProvider, discoverProviders } from '../../extensions';
import { TASK_TRANSITION, type TaskTransitionOptions, type TransitionHandler } from './task-transition.decorator';
import { TransitionParams } from './transition.params';

type Options = TaskTransitionOptions<TransitionParams>;
type Handler = TransitionHandler<TransitionParams>;

interface KnownTransition extends DiscoveredProvider<Options, Handler> {
  /** The names of parameters that belong to other transitions only. */
  foreign: readonly string[];
}

/** Finds every `@TaskTransition` of the application once it is wired. */
@Injectable()
export class TransitionRegistry implements OnModuleInit {
  private readonly transitions = new Map<string, KnownTransition>();
  private unknown: Type<TransitionParams> = TransitionParams;

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when two classes register the same name */
  onModuleInit(): void {
    const found = discoverProviders<Options, Handler>(this.discovery, TASK_TRANSITION, 'transition');
    const parameters = new Set(found.flatMap(({ options }) => [...knownNames(options.params)]));
    for (const transition of found) {
      const own = knownNames(transition.options.params);
      const foreign = [...parameters].filter((name) => !own.has(name));
      this.transitions.set(transition.name, { ...transition, foreign });
    }
    class KnownTransitions extends TransitionParams {}
    IsIn([...this.transitions.keys()])(KnownTransitions.prototype, 'transition');
    this.unknown = KnownTransitions;
  }

  /** Every transition with the DTO of its parameters, in order of names. */
  all(): Options[] {
    return [...this.transitions.values()].map(({ options }) => options);
  }

  /** The transition of that name, which `paramsOf` has found. */
  get(name: string): Handler {
    const transition = this.transitions.get(name);
    if (transition === undefined) throw new Error(`The parameters of the unknown transition ${name} were accepted.`);
    return transition.instance;
  }

  /**
   * The DTO to read these parameters into; for an unknown transition one that refuses it. It costs the same whatever else they hold.
   * @throws RelayError invalid_params for a parameter of another transition
   */
  paramsOf(params: Readonly<Record<string, unknown>>): Type<TransitionParams> {
    const { transition: name } = params;
    const transition = typeof name === 'string' ? this.transitions.get(name) : undefined;
    if (transition === undefined) return this.unknown;
    const field = transition.foreign.find((parameter) => (params[parameter] ?? null) !== null);
    if (field === undefined) return transition.options.params;
    const message = `${field} does not belong to the transition ${transition.name}; leave it out.`;
    throw new RelayError('invalid_params', message, { field });
  }
}
