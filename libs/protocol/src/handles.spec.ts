import fc from 'fast-check';
import { canonicalHandle, handleFault, localPart, RECIPIENT_PATTERN } from './handles';

const LOOKS = 'must look like name@team, with letters, digits, ".", "_" or "-"';

const HYPHEN = 'must not begin with "-", as options do, nor must its team';

describe('handleFault', () => {
  it.each([
    ['frank@acme', undefined],
    ['Frank.B_2-x@Acme.Co', undefined],
    ['.x@acme', undefined],
    ['meme@acme', undefined],
    [`${'x'.repeat(115)}@acme`, undefined],
    [`${'x'.repeat(116)}@acme`, 'must be at most 120 characters'],
    ['', LOOKS],
    ['frank', LOOKS],
    ['@acme', LOOKS],
    ['frank@', LOOKS],
    ['a@b@c', LOOKS],
    ['fra nk@acme', LOOKS],
    ['frank@acme\n', LOOKS],
    ['\u017frank@acme', LOOKS],
    ['\u212a@acme', LOOKS],
    ['.@acme', 'must not consist of dots only'],
    ['...@acme', 'must not consist of dots only'],
    ['frank@..', 'must not consist of dots only'],
    ['--json@acme', HYPHEN],
    ['-@acme', HYPHEN],
    ['a-@acme', undefined],
    ['frank@-acme', HYPHEN],
    ['frank@acme-', undefined],
    ['frank@admin', undefined],
  ])('of %p is %p', (handle, fault) => expect(handleFault(handle)).toBe(fault));

  it.each(['admin', 'agents', 'card', 'extendedAgentCard', 'inbox', 'ME', 'message', 'tasks', 'v1'])(
    'refuses the name %s, which is a word of our addresses',
    (name) => {
      expect(handleFault(`${name}@acme`)).toBe(`must not use the reserved name "${name.toLowerCase()}"`);
    },
  );

  it.each(['system', 'Relay', 'AgentRelay', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'refuses the name %s, which is no agent’s',
    (name) => expect(handleFault(`${name}@acme`)).toBe(`must not use the reserved name "${name.toLowerCase()}"`),
  );

  it.each(['__proto__', 'Constructor', 'prototype', 'toString'])(
    'refuses the team %s, which every object has',
    (team) => expect(handleFault(`frank@${team}`)).toBe(`must not use the reserved team "${team.toLowerCase()}"`),
  );

  it('asks for the team of the relay, whatever the case', () => {
    expect(handleFault('frank@ACME', 'Acme')).toBeUndefined();
    expect(handleFault('frank@acme.io', 'Acme')).toBe("must belong to this relay's team: name@Acme");
  });

  it('lets nothing through that is not fit for an address, and what passes is stable', () => {
    const near = fc.string({ unit: fc.constantFrom('a', 'Z', '.', '-', '_', '@', '/', '%', ' ', 'é', '\u0000') });
    fc.assert(
      fc.property(near, (handle) => {
        if (handleFault(handle) !== undefined) return;
        const canonical = canonicalHandle(handle);
        expect(encodeURIComponent(canonical).replace('%40', '@')).toBe(canonical);
        expect(canonicalHandle(canonical)).toBe(canonical);
        expect(handleFault(canonical)).toBeUndefined();
        expect(RECIPIENT_PATTERN.test(localPart(canonical))).toBe(true);
      }),
    );
  });
});

it('localPart is the name before the team', () => expect(localPart('frank.b@acme')).toBe('frank.b'));
