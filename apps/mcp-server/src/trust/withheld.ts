export { reasonToWithhold } from '@agentrelay/workstation';

/** The user's own `trust.yaml` keeps a teammate's words from the agent; the message says why and how to allow them. */
export class Withheld extends Error {
  constructor(handle: string, reason: string) {
    super(
      `What ${handle} wrote is withheld: ${reason} It stays as it is on the relay, and nothing was marked as read. Tell your user; only they should change this.`,
    );
    this.name = 'Withheld';
  }
}
