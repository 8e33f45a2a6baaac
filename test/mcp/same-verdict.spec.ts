import { ARTIFACT_TYPES, artifactFault } from '@agentrelay/protocol';
import fc from 'fast-check';
import { readDto } from '../../apps/relay/src/http';
import { MessageSendParams } from '../../apps/relay/src/rpc/methods/message-send.method';
import {
  artifact as artifactSchema,
  proposedAction as proposedActionSchema,
} from '../../apps/mcp-server/src/tools/schemas';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'x', '\u0000', '\ud800', 'https://a.example/b', 'doc:1', 'not a url', 'é👍'),
);
const anything = fc.oneof(
  text,
  fc.integer({ min: -2, max: 9 }),
  fc.constant(null),
  fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 2 }),
);

const artifacts = fc.record(
  {
    type: fc.constantFrom(...ARTIFACT_TYPES, 'other'),
    path: anything,
    diff: anything,
    git_sha: anything,
    lines: anything,
    command: anything,
    cwd: anything,
    schema_url: anything,
    inline: anything,
    url: anything,
    title: anything,
    more: anything,
  },
  { requiredKeys: ['type'] },
);

const actions = fc.record(
  {
    description: anything,
    target_files: fc.oneof(fc.array(text, { maxLength: 3 }), anything),
    rationale: anything,
    suggested_diff: fc.oneof(text, fc.integer()),
    more: anything,
  },
  { requiredKeys: ['description', 'target_files', 'rationale'] },
);

function relayAccepts(member: string, value: unknown): boolean {
  try {
    readDto(MessageSendParams, { message: { parts: [{ type: 'text', text: 'x' }] }, [member]: value });
    return true;
  } catch {
    return false;
  }
}

describe("the relay's validator and the tools' schema", () => {
  it('give every artifact the same verdict', () => {
    fc.assert(
      fc.property(artifacts, (artifact) => {
        const accepted = artifactSchema.safeParse(artifact).success;
        expect(accepted).toBe(artifactFault(artifact) === undefined);
        expect(accepted).toBe(relayAccepts('artifacts', [artifact]));
      }),
      { numRuns: 2_000 },
    );
  });

  it('give every proposed action the same verdict', () => {
    fc.assert(
      fc.property(actions, (action) => {
        expect(proposedActionSchema.safeParse(action).success).toBe(relayAccepts('proposed_action', action));
      }),
      { numRuns: 1_000 },
    );
  });
});
