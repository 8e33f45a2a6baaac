import { randomBytes } from 'node:crypto';

/** 256 random bits, sent once inside the link. */
export function newInviteSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The fragment of an invite's link: never sent to a server by a browser. */
export function inviteFragment(jti: string, inviterHandle: string, secret: string): string {
  const facts = Buffer.from(JSON.stringify({ jti, inviter_handle: inviterHandle })).toString('base64url');
  return `v1.${facts}.${secret}`;
}
