import { plainHttpWarning } from '@agentrelay/protocol';
import { proxyFor, RelayClient, RelayRefusal, shownProxy } from '@agentrelay/relay-client';
import type { Connection } from '@agentrelay/workstation';
import * as answers from '../answers';
import { failed } from './config-check';
import type { Finding } from './findings';

const DEADLINE_MS = 10_000;
const MAX_SKEW_MS = 60_000;

/** Whether the relay answers, knows the key and has the same time, and how long the way that tools go takes. */
export async function checkRelay(connection: Connection): Promise<Finding[]> {
  const relay = new RelayClient({ ...connection, deadlineMs: DEADLINE_MS });
  try {
    const { agent: greeted, servedAt } = await relay.greet();
    const agent = answers.agent(greeted, 'the agent');
    const answeredAt = Date.now();
    const key: Finding =
      agent.principal === 'human'
        ? {
            check: 'key',
            state: 'failed',
            message: `${agent.handle} is here with a person's key, which the MCP server refuses`,
            next: 'Ask an administrator for an agent key.',
          }
        : { check: 'key', state: 'ok', message: `${agent.handle} (${agent.status})` };
    return [...transport(connection), await roundTrip(relay, connection), key, clock(servedAt, answeredAt)];
  } catch (error) {
    if (error instanceof RelayRefusal && error.symbol === 'unauthenticated') {
      const next = "Ask an administrator for an invite, then: agentrelay join '<link>' --force";
      return [{ check: 'relay', state: 'ok', message: `${connection.url} answers` }, failed('key', error, next)];
    }
    return [
      ...transport(connection),
      failed('relay', error, 'Check the address, and that you reach it from here (VPN, proxy).'),
    ];
  }
}

/** A read through the API that tools use; it leaves no trace. */
async function roundTrip(relay: RelayClient, { url }: Connection): Promise<Finding> {
  const start = performance.now();
  const list = await relay.read('tasks/list', { peek: true, page: { limit: 1 } });
  const { unread_total } = answers.listPage(list, 'the list');
  const took = Math.round(performance.now() - start);
  const message = `${url} answered in ${took} ms; ${unread_total} unread messages`;
  return { check: 'relay', state: 'ok', message, took_ms: took };
}

/** What is worth knowing about the way to the relay. */
function transport({ url }: Connection): Finding[] {
  const message = plainHttpWarning(url);
  const proxy = proxyFor(url, process.env);
  return [
    ...(message === undefined ? [] : [{ check: 'transport', state: 'warning' as const, message }]),
    ...(proxy === undefined ? [] : [{ check: 'proxy', state: 'ok' as const, message: `through ${shownProxy(proxy)}` }]),
  ];
}

function clock(servedAt: Date | undefined, answeredAt: number): Finding {
  if (servedAt === undefined) return { check: 'clock', state: 'warning', message: 'the relay does not tell its time' };
  const skew = answeredAt - servedAt.getTime();
  if (Math.abs(skew) <= MAX_SKEW_MS) return { check: 'clock', state: 'ok', message: 'the same as the relay’s' };
  const message = `${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'ahead of' : 'behind'} the relay’s`;
  return { check: 'clock', state: 'failed', message, next: 'Set this machine’s clock.' };
}
