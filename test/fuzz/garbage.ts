import fc from 'fast-check';

/** Bytes that are no whole HTTP/1.1 request, or one that no client should send. */
export const garbage: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      '\r\n\r\n',
      'GET\r\n\r\n',
      'GET /\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\nHost: x\n\n',
      'GET  /  HTTP/1.1\r\nHost: x\r\n\r\n',
      'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /healthz HTTP/1.0\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /\u00e9\u00ff HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /#a HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(3_000)}\r\n`,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n folded: header\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nabc',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nabc',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\nabc',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\n{}',
      'POST /a2a HTTP/1.1\r\nHost: x\r\n\r\nPOST /a2a HTTP/1.1\r\nHost: x\r\n\r\n',
    )
    .map((text) => Buffer.from(text, 'latin1')),
  fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'BREW'),
      fc.string({ unit: 'binary-ascii', maxLength: 40 }),
      fc.string({ unit: 'binary-ascii', maxLength: 80 }),
    )
    .map(([method, target, fields]) =>
      Buffer.from(`${method} /${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`, 'latin1'),
    ),
);
