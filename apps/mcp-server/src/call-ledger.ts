import { createHash } from 'node:crypto';
import { agentRelayHome, type Environment, Ledger } from '@agentrelay/workstation';
import { Inject, Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { ENVIRONMENT } from './environment';
import { RelaySession } from './relay-session';

/** Writes every tool call into this workstation's ledger: a digest of its arguments, never what they say. */
@Injectable()
export class CallLedger {
  private complained = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly session: RelaySession,
  ) {}

  /** A ledger that cannot be written is said once, on stderr, and stops nobody's work. */
  record(tool: string, input: Record<string, unknown>, result: string, madeThread?: unknown): void {
    const thread = input['thread_id'] ?? madeThread;
    try {
      Ledger.open(agentRelayHome(this.environment)).append({
        at: new Date().toISOString(),
        session_id: this.session.sessionId,
        tool,
        arguments_digest: createHash('sha256')
          .update(canonicalize(input) ?? '')
          .digest('hex'),
        result,
        ...(typeof thread === 'string' && { thread_id: thread }),
      });
    } catch (error) {
      if (!this.complained)
        process.stderr.write(`agentrelay-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
      this.complained = true;
    }
  }
}
