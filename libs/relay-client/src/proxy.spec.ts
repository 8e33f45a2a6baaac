import { proxyFor, shownProxy } from './proxy';

const PROXY = 'http://proxy.acme.dev:3128';

describe('the proxy for an address', () => {
  it.each([
    ['https://relay.acme.dev', { HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
    ['https://relay.acme.dev', { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, 'https_proxy'],
    ['http://relay.acme.dev', { HTTP_PROXY: PROXY }, 'HTTP_PROXY'],
    ['https://relay.acme.dev', { HTTP_PROXY: PROXY }, undefined],
    ['http://relay.acme.dev', { HTTPS_PROXY: PROXY }, undefined],
    ['https://relay.acme.dev', { HTTPS_PROXY: ' ' }, undefined],
    ['http://127.0.0.1:8080', { HTTP_PROXY: PROXY }, undefined],
    ['http://localhost', { HTTP_PROXY: PROXY }, undefined],
    ['http://[::1]:80', { HTTP_PROXY: PROXY }, undefined],
  ] as const)('%s with %j is by %s', (address, environment, variable) => {
    expect(proxyFor(address, environment)?.variable).toBe(variable);
  });

  it.each([
    ['*', true],
    ['relay.acme.dev', true],
    ['RELAY.acme.dev', true],
    ['acme.dev', true],
    ['.acme.dev', true],
    ['*.acme.dev', true],
    ['relay.acme.dev:8443', true],
    ['other.dev, acme.dev', true],
    ['other.dev acme.dev', true],
    ['relay.acme.dev:443', false],
    ['me.dev', false],
    ['dev.acme', false],
    ['', false],
    ['10.0.0.0/8', false],
  ])('NO_PROXY=%s keeps requests to relay.acme.dev:8443 from it: %s', (NO_PROXY, exempt) => {
    expect(proxyFor('https://relay.acme.dev:8443', { HTTPS_PROXY: PROXY, NO_PROXY }) === undefined).toBe(exempt);
  });

  it.each([
    ['http://10.1.2.3', '10.0.0.0/8', true],
    ['http://10.1.2.3', '10.1.2.3', true],
    ['http://11.1.2.3', '10.0.0.0/8', false],
    ['http://10.1.2.3', '10.0.0.0/99', false],
    ['http://[fd00::1]:81', 'fd00::/8', true],
    ['http://[fd00::1]:81', 'fd00::1', true],
    ['http://[fd00::1]:81', '[fd00::1]:81', true],
    ['http://[fd00::1]:81', '[fd00::1]:82', false],
  ])('%s is in NO_PROXY=%s: %s', (address, no_proxy, exempt) => {
    expect(proxyFor(address, { HTTP_PROXY: PROXY, no_proxy }) === undefined).toBe(exempt);
  });

  it('is named without its password, and may lack its scheme', () => {
    const proxy = proxyFor('https://a.b', { HTTPS_PROXY: 'me:hunter2@proxy.acme.dev:3128' });
    expect(proxy?.url).toBe('http://me:hunter2@proxy.acme.dev:3128');
    expect(proxy && shownProxy(proxy)).toBe('the proxy of HTTPS_PROXY (proxy.acme.dev:3128)');
  });
});
