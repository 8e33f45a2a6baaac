import { HANDLE_PATTERN, hasUserInfo } from '@agentrelay/protocol';
import { parsedUrl } from './arguments';
import { CommandFailed } from './command-failed';
import { refusePlainHttp } from './relay';
import { wrongUsage } from './wrong-usage';
import { warn } from './warnings';

export interface InviteLink {
  /** The relay that made it. */
  url: string;
  jti: string;
  token: string;
  inviter: string;
}

/**
 * Takes an invite's link apart. One that leads elsewhere than it seems to, or where others can listen, is refused, and
 * with `insecure` warned of. @throws CommanderError when it is none, or not the whole of it; CommandFailed
 */
export function inviteOf(link: string, insecure: boolean): InviteLink {
  const url = parsedUrl(link.trim());
  const [version, facts, token] = url?.hash.slice(1).split('.') ?? [];
  const { jti, inviter_handle } = factsIn(facts);
  const isLink = url !== undefined && /^https?:$/.test(url.protocol) && /\/join\/?$/.test(url.pathname);
  if (!isLink || version !== 'v1' || !token || jti === undefined) {
    return wrongUsage(
      'agentrelay.inviteLink',
      'This is not the whole link of an invite. Paste it in quotes: it ends in #v1. and a long secret.',
    );
  }
  if (hasUserInfo(link)) refuseDisguise(url.host, insecure);
  const base = `${url.origin}${url.pathname.replace(/\/join\/?$/, '')}`;
  refusePlainHttp(base, insecure);
  const isHandle = inviter_handle !== undefined && HANDLE_PATTERN.test(inviter_handle);
  return { url: base, jti, token, inviter: isHandle ? inviter_handle : 'somebody' };
}

/** What stands before an @ is no host, whatever it looks like. */
function refuseDisguise(host: string, insecure: boolean): void {
  const warning = `The link has a user name in front of its host: it leads to ${host}.`;
  if (!insecure) throw new CommandFailed(`${warning} Nothing was sent.`, 'If that is meant: the same with --insecure');
  warn(warning);
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
