import { reasonToWithhold, type TrustFile } from '@agentrelay/workstation';
import { CommandFailed } from './command-failed';
import type { ThreadPart } from './thread-parts';
import { wireTrust } from './trust-lines';

/** The other side of a thread, and whether they opened it. */
export function counterpartOf(
  { sender, recipient }: Pick<ThreadPart, 'sender' | 'recipient'>,
  self: string,
): { handle: string; received: boolean } {
  const received = sender.handle !== self;
  return { handle: received ? sender.handle : recipient.handle, received };
}

/** @throws CommandFailed when trust.yaml keeps the other side's words from this workstation */
export function refuseWithheld(trust: TrustFile, thread: ThreadPart, self: string): void {
  const { handle, received } = counterpartOf(thread, self);
  const reason = reasonToWithhold(trust.trustOf(handle), received);
  if (reason === undefined) return;
  throw new CommandFailed(`What ${handle} wrote is withheld: ${reason}`, 'It stays as it is on the relay.', 'withheld');
}

/** What trust.yaml says about the other side of a thread, for people and for programs. */
export function overlayOf(trust: TrustFile, thread: ThreadPart, self: string): { overlay: object; cautions: string[] } {
  const { handle, received } = counterpartOf(thread, self);
  const stated = trust.trustOf(handle);
  const decides = received && !stated.autoRead;
  const files = thread.proposed_action?.target_files ?? [];
  const mayWrite = files.length > 0 && files.every((path) => trust.mayWrite(handle, path));
  const approves = received && thread.intent === 'propose_action' && !mayWrite;
  return {
    overlay: { ...wireTrust(stated), policy: stated.policy, user_must_decide: decides, user_must_approve: approves },
    cautions: [
      ...(decides
        ? [`trust.yaml does not let an agent act on what ${handle} sends unasked: decide for yourself first.`]
        : []),
      ...(approves ? ['It proposes an action. Nothing was changed; approve it before any file is.'] : []),
    ],
  };
}
