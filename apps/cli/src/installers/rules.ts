/**
 * The permission overlay (mcp.md, "Layer 2") in terms that no client uses: each puts it into its own. It speaks of our own
 * tools and of what is dangerous. Everything else is asked about as the user has it: a rule of ours that asks would outrank
 * what they allowed.
 */

/** Tools that only read: allowed. The other tools write, and the client asks about them as about any other. */
export const READING_TOOLS = ['check_inbox', 'view_thread', 'list_teammates', 'wait_for_updates'];

/** Commands whose effects leave the machine: denied. */
export const EXTERNAL_COMMANDS = ['git push', 'npm publish', 'gh', 'curl', 'wget', 'ssh', 'scp'];
