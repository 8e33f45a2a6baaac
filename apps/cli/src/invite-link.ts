import { visibleLine } from '@agentrelay/presentation';
import { CommanderError } from 'commander';
import { parsedUrl } from './arguments';

export interface InviteLink {
  /** The relay that made it. */
  url: string;
  jti: string;
  token: string;
  inviter: string;
}

/** Takes an invite's link apart. @throws CommanderError when it is none, or not the whole of it */
export function inviteOf(link: string): InviteLink {
  const url = parsedUrl(link.trim());
  const [version, facts, token] = url?.hash.slice(1).split('.') ?? [];
  const { jti, inviter_handle } = factsIn(facts);
  const isLink = url !== undefined && /^https?:$/.test(url.protocol) && /\/join\/?$/.test(url.pathname);
  if (!isLink || version !== 'v1' || !token || jti === undefined) {
    const message = 'This is not the whole link of an invite. Paste it in quotes: it ends in #v1. and a long secret.';
    process.stderr.write(`error: ${message}\n`);
    throw new CommanderError(1, 'agentrelay.inviteLink', message);
  }
  const base = `${url.origin}${url.pathname.replace(/\/join\/?$/, '')}`;
  return { url: base, jti, token, inviter: visibleLine(inviter_handle ?? 'somebody') };
}

function factsIn(encoded: string | undefined): { jti?: string; inviter_handle?: string } {
  try {
    const facts = JSON.parse(Buffer.from(encoded ?? '', 'base64url').toString()) as Record<string, unknown> | null;
    const { jti, inviter_handle } = facts ?? {};
    return {
      ...(typeof jti === 'string' && { jti }),
      ...(typeof inviter_handle === 'string' && { inviter_handle }),
    };
  } catch {
    return {};
  }
}
