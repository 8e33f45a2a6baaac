import { randomUUID } from 'node:crypto';
import type { WireAgent, WireBlock, WireEndedKey, WireIssuedKey, WireKey } from '@agentrelay/protocol';
import { type ExchangeOptions, RelayConnection } from './relay-connection';
import { OutcomeUnknown, RelayRefusal } from './errors';
import type { AuditFilter, AuditPage } from './rest-shapes';
import type { RpcMethods } from './rpc-methods';

export interface RelayClientOptions {
  /** Base URL of the relay, such as `https://relay.acme.dev`. */
  url: string;
  apiKey: string;
  /** Whole milliseconds that a call may take, retries included. */
  deadlineMs?: number;
  /** When everything that this client is asked must have ended, in milliseconds since the epoch. */
  deadline?: number;
  /** The trace that everything that this client is asked belongs to (W3C Trace Context). */
  traceparent?: string | undefined;
}

/** How often a rotation is done again because its answer was lost. */
const MAX_LOST_ROTATIONS = 2;

type Write = 'message/send' | 'tasks/draft' | 'tasks/update' | 'tasks/cancel';

/** Client of a relay's public HTTP surface. Transient failures are retried; a write always under the same idempotency key. */
export class RelayClient {
  private readonly connection: RelayConnection;

  constructor(private readonly options: RelayClientOptions) {
    const { apiKey, ...others } = options;
    this.connection = new RelayConnection({ ...others, token: apiKey });
  }

  /** The same client for work that must have ended, all calls and retries together, by then (milliseconds since the epoch). */
  until(deadline: number, traceparent?: string): RelayClient {
    return new RelayClient({ ...this.options, deadline, traceparent });
  }

  /** Calls a method that only reads; `waitMs` is how long the relay may take on purpose. @throws RelayRefusal, OutcomeUnknown */
  read<Method extends Exclude<keyof RpcMethods, Write>>(
    method: Method,
    params: RpcMethods[Method]['params'],
    waitMs = 0,
  ): Promise<RpcMethods[Method]['result']> {
    return this.call(method, params, { reads: true, waitMs });
  }

  /** Calls a method that writes, under an idempotency key of the caller. @throws RelayRefusal, OutcomeUnknown */
  write<Method extends Write>(
    method: Method,
    params: RpcMethods[Method]['params'],
    idempotencyKey: string,
  ): Promise<RpcMethods[Method]['result']> {
    return this.call(method, {
      ...params,
      metadata: { ...metadataOf(params), client_idempotency_key: idempotencyKey },
    });
  }

  /** Whose key this is. @throws RelayRefusal, OutcomeUnknown */
  async whoAmI(): Promise<WireAgent & { principal: string }> {
    return (await this.greet()).agent;
  }

  /** As `whoAmI`, with the time by the relay's clock, where it tells. @throws RelayRefusal, OutcomeUnknown */
  async greet(): Promise<{ agent: WireAgent & { principal: string }; servedAt: Date | undefined }> {
    const { body, servedAt } = await this.connection.exchange('GET', '/agents/me');
    return { agent: body as WireAgent & { principal: string }, servedAt };
  }

  /**
   * Replaces the key of this client; the old one works for `overlapSeconds` more. The other keys of its principal end, unless
   * they are to be kept. When an answer was lost and the relay says that it was done, it is done once more: that ends the key
   * which nobody has. @throws RelayRefusal, OutcomeUnknown
   */
  async rotateKey(overlapSeconds: number, keepOthers = false): Promise<WireIssuedKey> {
    const body = { overlap_seconds: overlapSeconds, ...(keepOthers && { keep_others: true }) };
    for (let lost = 0; ; lost++) {
      try {
        const options = { idempotencyKey: randomUUID() };
        return (await this.connection.request('POST', '/agents/me/keys/rotate', body, options)) as WireIssuedKey;
      } catch (error) {
        if (lost >= MAX_LOST_ROTATIONS || !wasDoneBefore(error)) throw error;
      }
    }
  }

  /** The live keys of this agent. @throws RelayRefusal, OutcomeUnknown */
  async keys(): Promise<(WireKey & { current: boolean })[]> {
    const answer = await this.connection.request('GET', '/agents/me/keys');
    return (answer as { keys: (WireKey & { current: boolean })[] }).keys;
  }

  /** Ends a key of this agent, and what was made with it unless that is to be kept. @throws RelayRefusal, OutcomeUnknown */
  async endKey(keyId: string, keepDescendants = false): Promise<WireEndedKey> {
    const path = `/agents/me/keys/${encodeURIComponent(keyId)}${keepDescendants ? '?descendants=keep' : ''}`;
    return (await this.connection.request('DELETE', path, undefined, {
      idempotencyKey: randomUUID(),
    })) as WireEndedKey;
  }

  /** Whom the caller blocks. @throws RelayRefusal, OutcomeUnknown */
  async blocks(): Promise<WireBlock[]> {
    return ((await this.connection.request('GET', '/agents/me/block')) as { blocked: WireBlock[] }).blocked;
  }

  /** Blocks a teammate; doing it again changes nothing. @throws RelayRefusal, OutcomeUnknown */
  async block(handle: string, reason: string | undefined): Promise<WireBlock> {
    const body = { handle, ...(reason !== undefined && { reason }) };
    return (await this.connection.request('POST', '/agents/me/block', body)) as WireBlock;
  }

  /** Ends a block; doing it again changes nothing. @throws RelayRefusal, OutcomeUnknown */
  async unblock(handle: string): Promise<void> {
    await this.connection.request('DELETE', `/agents/me/block/${encodeURIComponent(handle)}`);
  }

  /** The caller's events, newest first. @throws RelayRefusal, OutcomeUnknown */
  async auditPage(filter: AuditFilter): Promise<AuditPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
    return (await this.connection.request('GET', `/agents/me/events?${query.toString()}`)) as AuditPage;
  }

  private async call<Method extends keyof RpcMethods>(
    method: Method,
    params: object,
    options?: ExchangeOptions,
  ): Promise<RpcMethods[Method]['result']> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await this.connection.request('POST', '/a2a', body, options);
    if (typeof answer !== 'object' || answer === null || !('result' in answer))
      throw new OutcomeUnknown('What answered is not a relay; check AGENTRELAY_URL.');
    return answer.result as RpcMethods[Method]['result'];
  }
}

function metadataOf(params: object): object {
  return (params as { metadata?: object }).metadata ?? {};
}

/** Whether the relay has done this under the same idempotency key before, and does not show the credential twice. */
function wasDoneBefore(error: unknown): boolean {
  const refusal = error instanceof OutcomeUnknown ? error.cause : error;
  return (
    refusal instanceof RelayRefusal && refusal.symbol === 'conflict' && refusal.details['field'] === 'idempotency_key'
  );
}
