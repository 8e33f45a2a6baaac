/** The permission overlay (mcp.md, "Layer 2") in terms that no client uses: each puts it into its own. */

/** Tools that only read: allowed. The other tools write, and are asked about. */
export const READING_TOOLS = ['check_inbox', 'view_thread', 'list_teammates', 'wait_for_updates'];

export const WRITING_TOOLS = [
  'handoff_to_teammate',
  'accept_handoff',
  'send_message',
  'complete_handoff',
  'cancel_handoff',
  'draft_proposed_action',
];

/** Commands that run tests: allowed. */
export const TEST_COMMANDS = [
  'npm test', 'npm run test', 'pnpm test', 'yarn test', 'pytest', 'go test', 'cargo test',
]; // prettier-ignore

/** Commands whose effects leave the machine: denied. */
export const EXTERNAL_COMMANDS = ['git push', 'npm publish', 'gh', 'curl', 'wget', 'ssh', 'scp'];
