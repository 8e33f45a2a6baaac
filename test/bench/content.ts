import type { Artifact } from '@agentrelay/protocol';

const BODY_BYTES = 8_192;
const SUMMARY_LENGTH = 4_000;

/** What one handoff carries, so that its whole request is 8 KB: half of it words, the rest a diff. */
export function handoffContent(): { summary: string; artifacts: Artifact[] } {
  const summary = prose(SUMMARY_LENGTH);
  const artifact = { type: 'file_diff', path: 'src/api/users.ts', diff: '' } as const;
  const rest =
    BODY_BYTES -
    JSON.stringify(sendParams('agent-0001@bench', { summary, artifacts: [artifact] }, 'k'.repeat(36))).length -
    ENVELOPE;
  return { summary, artifacts: [{ ...artifact, diff: prose(rest) }] };
}

const WORDS = (
  'the list is paginated now and clients have to follow cursor return items next page limit users handler route test adds ' +
  'removes const await query index column because when reader asks again same answer order stable deleted row between calls'
).split(' ');

/** Text that compresses about as people's does: the same words in an order that does not repeat. */
function prose(length: number): string {
  let text = '';
  for (let n = 1; text.length < length; n++)
    text += `${WORDS[((n * n * 31 + n * 17 + (n >> 3)) % 997) % WORDS.length]}${n % 9} `;
  return text.slice(0, length);
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
