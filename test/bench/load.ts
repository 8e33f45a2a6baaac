import { Agent, request } from 'node:http';

/** One request to the native API. */
export interface RpcCall {
  apiKey: string;
  method: string;
  params: object;
}

export interface Reply {
  status: number;
  text: string;
}

/** Kept-alive connections to one relay. The load shares the machine's cores with the relay and PostgreSQL. */
export class Caller {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  private readonly target: URL;

  constructor(url: string) {
    this.target = new URL('/a2a', url);
  }

  /** With `read` false a good answer is received but not looked at: the load is to cost little beside the relay. */
  call({ apiKey, method, params }: RpcCall, read = true): Promise<Reply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const sent = request(this.target, { agent: this.agent, method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        if (read || response.statusCode !== 200) response.on('data', (chunk: Buffer) => chunks.push(chunk));
        else response.resume();
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** The result of a call that must succeed. */
  async result<Result>(call: RpcCall): Promise<Result> {
    const { status, text } = await this.call(call);
    const answer = JSON.parse(text) as { result?: Result };
    if (answer.result === undefined) throw new Error(`${call.method} gave ${status} ${text.slice(0, 500)}`);
    return answer.result;
  }

  close(): void {
    this.agent.destroy();
  }
}

export interface Load {
  clients: number;
  ms: number;
  /** What client `client` calls as its `n`th. */
  next: (client: number, n: number) => RpcCall;
}

/**
 * Each client calls again as soon as it was answered, for so long; gives the calls a second. The first tenth is not counted.
 * @throws Error when a call is refused: refusals are cheap and would be counted as speed
 */
export async function rateOf(caller: Caller, { clients, ms, next }: Load): Promise<number> {
  const start = performance.now() + ms / 10;
  const end = start + ms;
  let done = 0;
  const client = async (own: number): Promise<void> => {
    for (let n = 0; performance.now() < end; n++) {
      const call = next(own, n);
      const { status, text } = await caller.call(call, false);
      if (status !== 200) throw new Error(`${call.method} gave ${status} ${text.slice(0, 500)}`);
      const now = performance.now();
      if (now >= start && now < end) done++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, own) => client(own)));
  return (done * 1_000) / ms;
}

/** Milliseconds that a call took. */
export async function timeOf(caller: Caller, call: RpcCall): Promise<number> {
  const since = performance.now();
  await caller.result(call);
  return performance.now() - since;
}
