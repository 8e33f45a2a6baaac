import { visibleMembers } from '@agentrelay/presentation';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { CallLedger } from './call-ledger';
import { PendingKeys } from './pending-keys';
import { CALL_MS, RelaySession } from './relay-session';
import { doubtAfter, sayError, symbolOf } from './tool-errors';
import type { Tool, ToolAnswer } from './tools';
import { TrustSource } from './trust';

/** Only what the relay would take: anything else in a header could break the request. */
function traceparentIn({ traceparent }: Record<string, unknown>): string | undefined {
  return typeof traceparent === 'string' && /^[0-9a-f-]{1,100}$/.test(traceparent) ? traceparent : undefined;
}

/** Both forms of an answer. Some clients hand the model only the structured one: it warns first, and hides nothing either. */
function shown({ structured, text }: ToolAnswer): CallToolResult {
  const { notice } = text;
  const members = { ...(notice !== undefined && { notice }), ...structured };
  return {
    structuredContent: visibleMembers(members) as Record<string, unknown>,
    content: [{ type: 'text', text: text.toString() }],
  };
}

/** Runs one tool call: opens the session, keeps the call's idempotency key, makes every failure readable, records it. */
@Injectable()
export class ToolRunner {
  constructor(
    private readonly session: RelaySession,
    private readonly pendingKeys: PendingKeys,
    private readonly trust: TrustSource,
    private readonly ledger: CallLedger,
  ) {}

  /** `meta` is what the client says of its request: a `traceparent` there is passed on to the relay. */
  async run(tool: Tool, input: Record<string, unknown>, meta: Record<string, unknown> = {}): Promise<CallToolResult> {
    const deadline = Date.now() + CALL_MS;
    // Asked before anything can fail: a repeat that gets nowhere says nothing of the call that it repeats.
    const repeats = this.pendingKeys.has(tool.name, input);
    const idempotencyKey = this.pendingKeys.keyFor(tool.name, input);
    try {
      const { client, self } = await this.session.open(deadline, traceparentIn(meta));
      const call = { client, self, session: this.session, trust: () => this.trust.now(), deadline, idempotencyKey };
      const answer = await tool.run(input, call);
      this.pendingKeys.settle(tool.name, input);
      this.ledger.record(tool.name, input, 'ok', answer.structured['thread_id']);
      return shown(answer);
    } catch (error) {
      const doubt = doubtAfter(error, repeats);
      if (doubt === 'none') this.pendingKeys.settle(tool.name, input);
      else this.pendingKeys.keep(tool.name, input, idempotencyKey);
      this.ledger.record(tool.name, input, symbolOf(error));
      const text = sayError(error, tool.annotations.readOnlyHint ? undefined : doubt);
      return { isError: true, content: [{ type: 'text', text: text.toString() }] };
    }
  }
}
