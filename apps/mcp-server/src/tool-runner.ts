import { OutcomeUnknown } from '@agentrelay/relay-client';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { PendingKeys } from './pending-keys';
import { RelaySession } from './relay-session';
import { sayError } from './tool-errors';
import type { Tool } from './tools';

/** Runs one tool call: opens the session, keeps the call's idempotency key, makes every failure readable. */
@Injectable()
export class ToolRunner {
  constructor(
    private readonly session: RelaySession,
    private readonly pendingKeys: PendingKeys,
  ) {}

  async run(tool: Tool, input: Record<string, unknown>): Promise<CallToolResult> {
    try {
      const { client, self } = await this.session.open();
      const idempotencyKey = this.pendingKeys.keyFor(tool.name, input);
      const { structured, text } = await tool.run(input, { client, self, session: this.session, idempotencyKey });
      this.pendingKeys.settle(tool.name, input);
      return { structuredContent: structured, content: [{ type: 'text', text: text.toString() }] };
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) this.pendingKeys.settle(tool.name, input);
      const text = sayError(error, !tool.annotations.readOnlyHint);
      return { isError: true, content: [{ type: 'text', text: text.toString() }] };
    }
  }
}
