import type { Environment } from '@agentrelay/workstation';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable } from '@nestjs/common';
import { readArguments } from './arguments';
import { CallLedger } from './call-ledger';
import { ENVIRONMENT } from './environment';
import { PendingKeys } from './pending-keys';
import { CALL_MS, RelaySession } from './relay-session';
import { resultBudget } from './result-budget';
import { ToolText } from './provenance';
import { doubtAfter, sayError, symbolOf } from './tool-errors';
import type { Tool, ToolAnswer } from './tools';
import { TrustSource } from './trust';

/** Only what the relay would take: anything else in a header could break the request. */
function traceparentIn({ traceparent }: Record<string, unknown>): string | undefined {
  return typeof traceparent === 'string' && /^[0-9a-f-]{1,100}$/.test(traceparent) ? traceparent : undefined;
}

/** Both forms of an answer hold the same text: clients hand the model one of the two. */
function shown({ structured, text }: ToolAnswer): CallToolResult {
  const whole = text.toString();
  return { structuredContent: { text: whole, ...structured }, content: [{ type: 'text', text: whole }] };
}

/** Runs one tool call: opens the session, keeps the call's idempotency key, makes every failure readable, records it. */
@Injectable()
export class ToolRunner {
  constructor(
    private readonly session: RelaySession,
    private readonly pendingKeys: PendingKeys,
    private readonly trust: TrustSource,
    private readonly ledger: CallLedger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * `meta` is what the client says of its request: a `traceparent` there is passed on to the relay. `clientName` is its own, on which depends
   * how long a result may be.
   */
  async run(
    tool: Tool,
    given: unknown,
    meta: Record<string, unknown> = {},
    clientName?: string,
  ): Promise<CallToolResult> {
    const { input, notices, faults } = readArguments(tool, given);
    if (input === undefined) return refused([`${tool.name} cannot be called like this:`, ...faults, ...notices]);
    const deadline = Date.now() + CALL_MS;
    // Asked before anything can fail: a repeat that gets nowhere says nothing of the call that it repeats.
    const repeats = this.pendingKeys.has(tool.name, input);
    const idempotencyKey = this.pendingKeys.keyFor(tool.name, input);
    try {
      const { client, self } = await this.session.open(deadline, traceparentIn(meta));
      const { session } = this;
      const budget = resultBudget(this.environment, clientName);
      const call = { client, self, session, trust: () => this.trust.now(), deadline, budget, idempotencyKey };
      const answer = await tool.run(input, call);
      for (const notice of notices) answer.text.say(notice);
      this.pendingKeys.settle(tool.name, input);
      this.ledger.record(tool.name, input, 'ok', answer.structured['thread_id']);
      return shown(answer);
    } catch (error) {
      const doubt = doubtAfter(error, repeats);
      if (doubt === 'none') this.pendingKeys.settle(tool.name, input);
      else this.pendingKeys.keep(tool.name, input, idempotencyKey);
      this.ledger.record(tool.name, input, symbolOf(error));
      const text = sayError(error, tool.annotations.readOnlyHint ? undefined : doubt);
      for (const notice of notices) text.say(notice);
      return { isError: true, content: [{ type: 'text', text: text.toString() }] };
    }
  }
}

function refused(sentences: readonly string[]): CallToolResult {
  const text = new ToolText();
  for (const sentence of sentences) text.say(sentence);
  return { isError: true, content: [{ type: 'text', text: text.toString() }] };
}
