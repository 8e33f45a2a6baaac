import fc from 'fast-check';
import { damaged, hostileText, hostileValue, spoilt, TASK_ID } from './hostile-values';
import { rpcBody } from './rpc-bodies';

/** Whose key a request carries: an agent's, a person's, an administrator's, or none that is good. */
export type Credential = 0 | 1 | 2 | 3 | 'human' | 'admin' | 'victim' | 'none' | 'odd';

/** One hostile or honest request, as it will be put on the wire. */
export interface FuzzRequest {
  method: string;
  target: string;
  credential: Credential;
  headers: [name: string, value: string][];
  body: string | Buffer | undefined;
  chunked: boolean;
}

/** Every address of the relay, with an honest body where it takes one. */
const ROUTES: [method: string, path: string, body?: object][] = [
  ['GET', '/healthz'], ['GET', '/readyz'], ['GET', '/startupz'], ['GET', '/inbox/:x'], ['GET', '/join'],
  ['GET', '/agents'], ['GET', '/agents/me'], ['GET', '/agents/me/inbox'], ['GET', '/agents/me/block'],
  ['GET', '/agents/me/events'], ['GET', '/agents/me/audit'], ['GET', '/agents/me/events/stream'], ['GET', '/agents/me/export'],
  ['PUT', '/agents/me/card', { description: 'x', skills: ['a'], repos_owned: ['b'] }],
  ['POST', '/agents/me/block', { handle: 'dan@acme', reason: 'x' }], ['DELETE', '/agents/me/block/:x'],
  ['DELETE', '/agents/me/block/dan@acme'], ['POST', '/agents/me/keys/rotate', { overlap_seconds: 60 }],
  ['POST', '/admin/agents', { handle: 'victim@acme', email: 'v@acme.example', display_name: 'V', role: 'r', skills: [], repos_owned: [] }],
  ['GET', '/admin/agents'], ['GET', '/admin/agents/:x'], ['PATCH', '/admin/agents/:x', { display_name: 'V', status: 'active' }],
  ['DELETE', '/admin/agents/:x'], ['POST', '/admin/agents/:x/erase'], ['GET', '/admin/agents/:x/keys'],
  ['POST', '/admin/agents/:x/keys', { principal: 'agent', label: 'l', expires_at: '2030-01-01T00:00:00Z' }],
  ['POST', '/admin/agents/:x/keys/rotate', { overlap_seconds: 0 }], ['DELETE', '/admin/agents/:x/keys/:x'],
  ['POST', '/admin/invites', { handle: 'guest@acme', role: 'r', inviter_handle: 'ann@acme', expires_in_seconds: 60 }],
  ['GET', '/admin/invites'], ['DELETE', '/admin/invites/:x'], ['POST', '/invites/:x/redeem', { token: 't', display_name: 'd' }],
  ['GET', '/admin/events'], ['GET', '/docs'], ['GET', '/metrics'], ['GET', '/nowhere/:x'],
]; // prettier-ignore

/** Percent-encoded UTF-8; halves of surrogate pairs become replacement characters. */
function percentEncoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

const segment = fc.oneof(
  fc.constantFrom(
    'victim@acme', 'VICTIM@acme', TASK_ID, '%00', '%ff', '%', '%zz', '%2e%2e', '..%2f..%2f', '..', '.', '%20', '@', '*', ':x',
    '__proto__', 'constructor', 'a'.repeat(401), 'a'.repeat(9_000), '%F0%9F%99%82', '%ED%A0%80', ';x=1', '~', '{}', '%0d%0aX-A:%201',
  ), // prettier-ignore
  hostileText.map((text) => percentEncoded(text).slice(0, 600)),
);

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '?', '?limit=1', '?limit=-1', '?limit=1e9', '?limit=1&limit=2', '?status=pending,accepted', '?status[]=x', '?a=%ff', '?%',
      '?__proto__[x]=1', '?constructor=1', '?role=any&peek=true', '?since=yesterday', '?cursor=AAAA', '?from=ann@acme', '?x=' + 'y'.repeat(3_000),
      '?action=handoff.create', '?#', '??', '?&&&=', '?role=recipient&text=%F0%9F%99%82', '?counterpart=%00', '?text=%ED%A0%80',
    ), // prettier-ignore
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('limit', 'cursor', 'role', 'status', 'text', 'since', 'from', 'action', 'peek'),
        hostileText,
      )
      .map(([name, value]) => `?${name}=${percentEncoded(value).slice(0, 2_000)}`),
  },
);

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
  'QUERY',
];

const oddHeader: fc.Arbitrary<[string, string]> = fc.tuple(
  fc.constantFrom(
    'x-request-id', 'idempotency-key', 'accept', 'accept-encoding', 'accept-language', 'cookie', 'range', 'if-none-match', 'origin',
    'x-forwarded-for', 'x-http-method-override', 'last-event-id', 'content-encoding', 'authorization', 'forwarded', 'te', 'via', '__proto__',
  ), // prettier-ignore
  fc.oneof(
    fc.constantFrom(
      '',
      'x',
      '*/*',
      'application/x-ndjson',
      'gzip',
      'bytes=0-1',
      '"a"',
      '1.2.3.4',
      'Bearer',
      'Basic YTpi',
      'a'.repeat(300),
      '\u00e9\u00ff',
      'a, b, c',
      ';;;',
      'a'.repeat(7_000),
    ),
    fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((c) => c !== 0x7f)
        .map((c) => String.fromCharCode(c)),
      maxLength: 40,
    }),
  ),
);
const extraHeaders = fc.oneof(
  { weight: 4, arbitrary: fc.constant<[string, string][]>([]) },
  { weight: 1, arbitrary: fc.array(oddHeader, { minLength: 1, maxLength: 4 }) },
);

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant<string | undefined>('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      undefined, '', 'text/plain', 'application/json; charset=utf-8', 'application/json; charset=utf-16', 'APPLICATION/JSON', 'application/jsonx',
      'application/json;;;', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'application/vnd.api+json', '/', 'x/y/z', 'é',
    ), // prettier-ignore
  },
);

const agentCredential = fc.constantFrom<Credential[]>(0, 1, 2, 3);
const anyCredential = fc.oneof(
  { weight: 6, arbitrary: agentCredential },
  { weight: 2, arbitrary: fc.constantFrom<Credential[]>('human', 'admin', 'victim') },
  { weight: 1, arbitrary: fc.constantFrom<Credential[]>('none', 'odd') },
);

const chunked = fc.constantFrom(false, false, false, false, true);

/** Requests to the native API. */
const rpcRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 60, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
    ),
    target: fc.oneof(
      { weight: 60, arbitrary: fc.constant('/a2a') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '/a2a/',
          '/a2a?x=1',
          '/A2A',
          '/%61%32%61',
          '/a2a%00',
          '//a2a',
          '/a2a/%',
          '/./a2a',
          '/a2a;x',
          'http://h/a2a',
        ),
      },
    ),
    credential: fc.oneof({ weight: 15, arbitrary: agentCredential }, { weight: 1, arbitrary: anyCredential }),
    headers: extraHeaders,
    contentType,
    body: rpcBody,
    chunked,
  })
  .map(({ contentType: type, headers, ...request }) => ({
    ...request,
    headers: type === undefined ? headers : [['content-type', type], ...headers],
  }));

/** Requests to every other address. */
const restRequest: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    fc.constantFrom(...ROUTES),
    fc.constantFrom(...METHODS),
    fc.nat({ max: 9 }),
    fc.array(segment, { minLength: 2, maxLength: 2 }),
  )
  .chain(([[method, path, good = {}], otherMethod, chance, [one = '', two = '']]) => {
    // Only a victim is renamed, disabled, erased or given new keys.
    const admin = path.startsWith('/admin');
    const target = path.replace(':x', admin && chance < 6 ? 'victim@acme' : one).replace(':x', two);
    const risky = path.endsWith('/keys/rotate') && !admin;
    const honest = JSON.stringify(good);
    return fc.record({
      method: fc.constant(chance === 0 ? otherMethod : method),
      target: query.map((text) => target + text),
      credential: risky
        ? fc.constantFrom<Credential[]>('victim', 'none', 'odd')
        : admin && chance < 8
          ? fc.constant<Credential>('admin')
          : anyCredential,
      headers: fc
        .tuple(extraHeaders, contentType)
        .map(([headers, type]): [string, string][] =>
          type === undefined || method === 'GET' ? headers : [['content-type', type], ...headers],
        ),
      body:
        method === 'GET'
          ? fc.constant(undefined)
          : fc.oneof<fc.Arbitrary<string | Buffer | undefined>[]>(
              fc.constant(honest),
              damaged(good).map((value) => JSON.stringify(value)),
              hostileValue.map((value) => JSON.stringify(value)),
              spoilt(honest),
              fc.constant(undefined),
            ),
      chunked,
    });
  });

export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 6, arbitrary: rpcRequest },
  { weight: 3, arbitrary: restRequest },
);
