import { createHash, timingSafeEqual } from 'node:crypto';
import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { IdentityConfig } from '../config';
import type { Administrator } from './caller';

/** Knows the administrators by their tokens. */
@Injectable()
export class Administrators {
  private readonly known: readonly { name: string; digest: Buffer }[];

  constructor(config: IdentityConfig) {
    this.known = config.adminTokens.map(({ name, secret }) => ({ name, digest: sha256(secret) }));
  }

  /** Compares with every token in constant time. @throws RelayError forbidden */
  recognise(token: string): Administrator {
    const digest = sha256(token);
    const matches = this.known.filter((known) => timingSafeEqual(known.digest, digest));
    const [administrator] = matches;
    if (administrator === undefined) {
      throw new RelayError(
        'forbidden',
        'This is not an admin token of this relay. Use the value of RELAY_ADMIN_TOKEN.',
      );
    }
    return { kind: 'administrator', name: administrator.name };
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
