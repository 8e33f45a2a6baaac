import type { WireAgent, WireBlock, WireKey, WireTeammate } from '@agentrelay/protocol';
import type { KeyView } from '../identity';
import type { AgentProfile } from './agent-profile';
import type { BlockView } from './blocks/blocks.repository';

/** An agent as REST shows it; the owner's address only to administrators and to itself. */
export function wireAgent(profile: AgentProfile): WireAgent {
  return {
    agent_id: profile.agentId,
    handle: profile.handle,
    name: profile.displayName,
    role: profile.role,
    status: profile.status,
    description: profile.description,
    skills: profile.skills,
    repos_owned: profile.reposOwned,
    ...(profile.ownerEmail === null ? {} : { owner_email: profile.ownerEmail }),
  };
}

export function wireBlock(block: BlockView): WireBlock {
  return {
    handle: block.handle,
    ...(block.reason === null ? {} : { reason: block.reason }),
    created_at: block.createdAt.toISOString(),
  };
}

/** An agent as its teammates see it. */
export function wireTeammate(profile: AgentProfile, cardUrl: string): WireTeammate {
  return {
    handle: profile.handle,
    name: profile.displayName,
    role: profile.role,
    description: profile.description,
    skills: profile.skills,
    repos_owned: profile.reposOwned,
    card_url: cardUrl,
  };
}

/** A key as lists show it: every fact but the key itself. */
export function wireKey(key: KeyView): WireKey {
  return {
    key_id: key.id,
    principal: key.principal,
    label: key.label,
    parent_key_id: key.parentId,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
