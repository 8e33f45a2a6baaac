import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../database';
import type { SealedSecret } from '../identity';

export interface NewInvite {
  jti: string;
  handle: string;
  /** The registered agent that it gives a new key to. */
  agentId: string | undefined;
  role: string;
  inviterId: string;
  email: string | undefined;
  sealed: SealedSecret;
  expiresInSeconds: number;
}

export interface StoredInvite {
  jti: string;
  handle: string;
  /** The registered agent that it gives a new key to; null for one that registers its handle. */
  agentId: string | null;
  role: string;
  inviterHandle: string;
  email: string | null;
  pepperId: string;
  secretMac: Buffer;
  createdAt: Date;
  expiresAt: Date;
  redeemedAt: Date | null;
  revokedAt: Date | null;
  /** Neither redeemed, revoked nor expired. */
  open: boolean;
}

const VIEW = sql`
  SELECT i.jti, i.handle, i.agent_id AS "agentId", i.role, a.handle AS "inviterHandle", i.email, i.pepper_id AS "pepperId", i.secret_mac AS "secretMac",
    i.created_at AS "createdAt", i.expires_at AS "expiresAt", i.redeemed_at AS "redeemedAt", i.revoked_at AS "revokedAt",
    i.redeemed_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now() AS open
  FROM invites i JOIN agents a ON a.id = i.inviter_id`;

@Injectable()
export class InvitesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(transaction: Transaction, invite: NewInvite): Promise<Date> {
    const [row] = await transaction.query<{ expires_at: Date }>(sql`
      INSERT INTO invites (jti, handle, agent_id, role, inviter_id, email, pepper_id, secret_mac, expires_at)
      VALUES (${invite.jti}, ${invite.handle}, ${invite.agentId ?? null}, ${invite.role}, ${invite.inviterId}, ${invite.email ?? null},
        ${invite.sealed.pepperId}, ${invite.sealed.mac}, now() + make_interval(secs => ${invite.expiresInSeconds}))
      RETURNING expires_at`);
    if (row === undefined) throw new Error('The invite was not stored.');
    return row.expires_at;
  }

  async find(jti: string): Promise<StoredInvite | undefined> {
    const [row] = await this.unitOfWork.query<StoredInvite>(sql`${VIEW} WHERE i.jti = ${jti}`);
    return row;
  }

  /** The newest invites, used and expired ones included, before one of them. */
  async list(beforeJti: string | undefined, limit: number): Promise<StoredInvite[]> {
    // The ids are ordered by time.
    return this.unitOfWork.query<StoredInvite>(sql`
      ${VIEW} WHERE ${beforeJti ?? null}::uuid IS NULL OR i.jti < ${beforeJti ?? null}::uuid
      ORDER BY i.jti DESC LIMIT ${limit}`);
  }

  /** Uses an open invite up; false when somebody else was faster, it closed meanwhile, or who invited has left. */
  async redeem(transaction: Transaction, jti: string, agentId: string): Promise<boolean> {
    const rows = await transaction.query(sql`
      UPDATE invites SET redeemed_at = now(), redeemed_agent_id = ${agentId}
      WHERE jti = ${jti} AND redeemed_at IS NULL AND revoked_at IS NULL AND expires_at > clock_timestamp()
        AND EXISTS (SELECT FROM agents a WHERE a.id = inviter_id AND a.status = 'active')
      RETURNING jti`);
    return rows.length > 0;
  }

  /**
   * Removes who was invited by that handle, for a person who is forgotten; open ones are closed, as nobody may use them up.
   * Invites of other handles lose the address of an owner who is forgotten.
   */
  async pseudonymise(
    transaction: Transaction,
    handle: string,
    pseudonym: string,
    forgottenEmail: string | null,
  ): Promise<void> {
    await transaction.query(sql`
      UPDATE invites SET handle = ${pseudonym}, role = '', email = NULL,
        revoked_at = CASE WHEN redeemed_at IS NULL THEN coalesce(revoked_at, now()) END
      WHERE handle = ${handle}`);
    if (forgottenEmail === null) return;
    await transaction.query(sql`UPDATE invites SET email = NULL WHERE lower(email) = lower(${forgottenEmail})`);
  }

  /** Closes the open invites that an agent stands for, and those to a new key of its own. */
  async revokeOf(transaction: Transaction, agentId: string): Promise<{ jti: string; inviterId: string }[]> {
    return transaction.query<{ jti: string; inviterId: string }>(sql`
      UPDATE invites SET revoked_at = now()
      WHERE (inviter_id = ${agentId} OR agent_id = ${agentId}) AND redeemed_at IS NULL AND revoked_at IS NULL
      RETURNING jti, inviter_id AS "inviterId"`);
  }

  /** Closes the open invites to a new key of that agent. */
  async revokeReturns(transaction: Transaction, agentId: string): Promise<{ jti: string; inviterId: string }[]> {
    return transaction.query<{ jti: string; inviterId: string }>(sql`
      UPDATE invites SET revoked_at = now()
      WHERE agent_id = ${agentId} AND redeemed_at IS NULL AND revoked_at IS NULL
      RETURNING jti, inviter_id AS "inviterId"`);
  }

  /** Closes an open invite and returns its inviter's id; undefined when it was not open. */
  async revoke(transaction: Transaction, jti: string): Promise<string | undefined> {
    const [row] = await transaction.query<{ inviter_id: string }>(sql`
      UPDATE invites SET revoked_at = now()
      WHERE jti = ${jti} AND redeemed_at IS NULL AND revoked_at IS NULL RETURNING inviter_id`);
    return row?.inviter_id;
  }
}
