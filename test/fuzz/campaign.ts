import { type TestAgent, type TestDatabase } from '@agentrelay/testing';
import fc from 'fast-check';
import { garbage } from './garbage';
import { TASK_ID } from './hostile-values';
import { HttpWire } from './http-wire';
import { type Credential, type FuzzRequest, fuzzRequest } from './requests';
import { faultOf } from './rules';

export interface Target {
  url: string;
  agents: readonly TestAgent[];
  human: TestAgent;
  victim: TestAgent;
  adminToken: string;
  database: TestDatabase;
}

export interface Campaign {
  requests: number;
  seed: number;
  /** Called with the number of requests done, now and then. */
  progress?: (done: number) => void;
}

export interface Outcome {
  byStatus: Record<string, number>;
  faults: string[];
  seconds: number;
}

const WORKERS = 8;
const BATCH = 500;
const MANY_FAULTS = 20;

type Shot = { kind: 'request'; request: FuzzRequest } | { kind: 'garbage'; bytes: Buffer };

const shot: fc.Arbitrary<Shot> = fc.oneof(
  { weight: 40, arbitrary: fuzzRequest.map((request): Shot => ({ kind: 'request', request })) },
  { weight: 1, arbitrary: garbage.map((bytes): Shot => ({ kind: 'garbage', bytes })) },
);

/** Fires hostile and honest requests from several connections at once, and holds each answer against the rules. */
export async function fuzz(target: Target, { requests, seed, progress }: Campaign): Promise<Outcome> {
  const outcome: Outcome = { byStatus: {}, faults: [], seconds: 0 };
  const secrets = await constraintNames(target.database);
  const gun = new Gun(target, secrets, outcome);
  const wires = Array.from({ length: WORKERS }, () => new HttpWire('127.0.0.1', Number(new URL(target.url).port)));
  const start = Date.now();
  for (let done = 0; done < requests && outcome.faults.length < MANY_FAULTS; done += BATCH) {
    const queue = fc.sample(shot, { seed: seed + done, numRuns: Math.min(BATCH, requests - done) });
    await Promise.all(
      wires.map(async (wire) => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) await gun.fire(next, wire);
      }),
    );
    progress?.(done + BATCH);
  }
  for (const wire of wires) wire.close();
  outcome.seconds = (Date.now() - start) / 1_000;
  return outcome;
}

class Gun {
  /** Ids of threads that the relay has told of, the newest last. */
  private readonly threads: string[] = [];
  private fired = 0;

  constructor(
    private readonly target: Target,
    private readonly secrets: readonly string[],
    private readonly outcome: Outcome,
  ) {}

  async fire(next: Shot, wire: HttpWire): Promise<void> {
    const asked =
      next.kind === 'request'
        ? { ...next.request, whole: true, bytes: this.render(next.request) }
        : { method: 'GET', target: 'maybe a2a', whole: false, bytes: next.bytes };
    // Beyond the limits of body or headers the connection may be closed before the refusal is read.
    const whole = asked.whole && asked.bytes.length < 4_000_000 && asked.bytes.indexOf('\r\n\r\n') < 15_000;
    try {
      const reply = await wire.exchange(asked.bytes, { head: asked.method === 'HEAD', whole });
      const status = reply === 'hung up' ? reply : String(reply.status);
      this.outcome.byStatus[status] = (this.outcome.byStatus[status] ?? 0) + 1;
      if (reply === 'hung up') {
        if (whole) this.report('it hung up', asked.bytes);
        return;
      }
      const fault = faultOf({ ...asked, whole }, reply, this.secrets);
      if (fault !== undefined)
        this.report(`${fault}; ${reply.status} ${reply.body.toString('utf8', 0, 500)}`, asked.bytes);
      else this.remember(reply.body);
    } catch (error) {
      wire.close();
      this.report(String(error), asked.bytes);
    }
  }

  private report(fault: string, bytes: Buffer): void {
    const shown = bytes
      .toString('latin1', 0, 1_500)
      .replace(/[^\x20-\x7e\r\n]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
    this.outcome.faults.push(`${fault}\n--- on ---\n${shown}\n`);
  }

  private remember(body: Buffer): void {
    const id = /"task_id":"([0-9a-f-]{36})"/.exec(body.toString('latin1', 0, 200))?.[1];
    if (id !== undefined) this.threads.push(id);
    if (this.threads.length > 200) this.threads.splice(0, 150);
  }

  /** The bytes of a request; one of the known threads stands in for the placeholder. */
  private render({ method, target, credential, headers, body, chunked }: FuzzRequest): Buffer {
    const thread = this.threads[this.fired++ % Math.max(this.threads.length, 1)] ?? TASK_ID;
    const content = Buffer.from(typeof body === 'string' ? body.replaceAll(TASK_ID, thread) : (body ?? ''));
    const key = this.keyOf(credential);
    const length: [string, string][] =
      body === undefined
        ? []
        : chunked
          ? [['transfer-encoding', 'chunked']]
          : [['content-length', String(content.length)]];
    const fields = [
      ['host', 'relay'],
      ...(key === undefined ? [] : [['authorization', `Bearer ${key}`]]),
      ...headers,
      ...length,
    ].map(([name = '', value = '']) => `${name}: ${value}\r\n`);
    const start = Buffer.from(
      `${method} ${target.replaceAll(TASK_ID, thread)} HTTP/1.1\r\n${fields.join('')}\r\n`,
      'latin1',
    );
    if (!chunked || body === undefined) return Buffer.concat([start, content]);
    const chunk = content.length === 0 ? '' : `${content.length.toString(16)}\r\n`;
    return Buffer.concat([start, Buffer.from(chunk), content, Buffer.from(`${chunk === '' ? '' : '\r\n'}0\r\n\r\n`)]);
  }

  private keyOf(credential: Credential): string | undefined {
    const { agents, human, victim, adminToken } = this.target;
    switch (credential) {
      case 'human':
        return human.apiKey;
      case 'victim':
        return victim.apiKey;
      case 'admin':
        return adminToken;
      case 'none':
        return undefined;
      case 'odd':
        return `${agents[0]!.apiKey.slice(0, -1)}\u00e9`;
      default:
        return agents[credential]!.apiKey;
    }
  }
}

/** Names that only a leaked database error would tell. */
async function constraintNames(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,
  );
  return rows.map(({ name }) => name);
}
