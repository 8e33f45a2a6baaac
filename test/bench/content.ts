import type { Artifact } from '@agentrelay/protocol';

const BODY_BYTES = 8_192;
const SUMMARY_LENGTH = 4_000;

/** What one handoff carries, so that its whole request is 8 KB: half of it words, the rest a diff. */
export function handoffContent(): { summary: string; artifacts: Artifact[] } {
  const summary = 'The list is paginated now; clients have to follow the cursor. '.repeat(100).slice(0, SUMMARY_LENGTH);
  const artifact = { type: 'file_diff', path: 'src/api/users.ts', diff: '' } as const;
  const rest =
    BODY_BYTES -
    JSON.stringify(sendParams('agent-0001@bench', { summary, artifacts: [artifact] }, 'k'.repeat(36))).length -
    ENVELOPE;
  const diff = '+  return { items, next_cursor: cursor };  '.repeat(200).slice(0, rest);
  return { summary, artifacts: [{ ...artifact, diff }] };
}

const ENVELOPE = '{"jsonrpc":"2.0","id":1,"method":"message/send","params":}'.length;

export function sendParams(
  recipient: string,
  { summary, artifacts }: { summary: string; artifacts: Artifact[] },
  key: string,
): object {
  return {
    recipient,
    intent: 'inform',
    message: { role: 'user', parts: [{ type: 'text', text: summary }] },
    artifacts,
    metadata: { client_idempotency_key: key },
  };
}
