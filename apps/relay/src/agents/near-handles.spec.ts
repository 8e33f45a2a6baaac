import { nearHandles } from './near-handles';

const TEAM = ['bob@acme', 'frank@acme', 'franka@acme', 'frankie@acme', 'zoe@acme'];

describe('handles that a mistyped one may have meant', () => {
  it.each([
    ['frnak@acme', ['frank@acme', 'franka@acme']],
    ['FRANK', ['frank@acme', 'franka@acme', 'frankie@acme']],
    ['bob@acne', ['bob@acme']],
    ['somebody-else@elsewhere', []],
  ])('%s: %j', (mistyped, hints) => {
    expect(nearHandles(mistyped, TEAM)).toEqual(hints);
  });
});
