import type { TeammateTrust } from '@agentrelay/workstation';

/** The user's own `trust.yaml` keeps a teammate's words from the agent; the message says why and how to allow them. */
export class Withheld extends Error {
  constructor(handle: string, reason: string) {
    super(
      `What ${handle} wrote is withheld: ${reason} It stays as it is on the relay, and nothing was marked as read. Tell your user; only they should change this.`,
    );
    this.name = 'Withheld';
  }
}

/** Why nothing of this teammate is shown, and what the user does to see it; undefined when it is shown. */
export function reasonToWithhold(trust: TeammateTrust, received: boolean): string | undefined {
  const { handle, known, blocked, policy } = trust;
  if (blocked) return `trust.yaml blocks ${handle}. \`agentrelay unblock ${handle}\` lifts that.`;
  // To whom the user sent work, they chose to listen.
  if (!received || known || policy !== 'reject') return undefined;
  return `trust.yaml rejects handoffs of teammates that it does not name. \`agentrelay trust set ${handle}\` names ${handle}.`;
}
