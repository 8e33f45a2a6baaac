import type { TeammateTrust } from './trust-file';

/** Why nothing of this teammate is shown, and what the user does to see it; undefined when it is shown. */
export function reasonToWithhold(trust: TeammateTrust, received: boolean): string | undefined {
  const { handle, known, blocked, policy } = trust;
  if (blocked) return `trust.yaml blocks ${handle}. \`agentrelay unblock ${handle}\` lifts that.`;
  // To whom the user sent work, they chose to listen.
  if (!received || known || policy !== 'reject') return undefined;
  return `trust.yaml rejects handoffs of teammates that it does not name. \`agentrelay trust set ${handle}\` names ${handle}.`;
}
