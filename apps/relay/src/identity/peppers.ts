import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IdentityConfig } from '../config';

export interface SealedSecret {
  pepperId: string;
  mac: Buffer;
}

/** Turns credentials into what may be stored: an HMAC that is useless without the pepper. */
@Injectable()
export class Peppers {
  constructor(private readonly config: IdentityConfig) {}

  /** Seals with the current pepper. */
  seal(credential: string): SealedSecret {
    const [current] = this.config.peppers;
    if (current === undefined) throw new Error('RELAY_KEY_PEPPERS is empty.');
    return { pepperId: current.name, mac: hmac(current.secret, credential) };
  }

  /** Whether `credential` is what was sealed, in constant time; false when its pepper is gone. */
  verify(credential: string, sealed: SealedSecret): boolean {
    const pepper = this.config.peppers.find(({ name }) => name === sealed.pepperId);
    return pepper !== undefined && timingSafeEqual(hmac(pepper.secret, credential), sealed.mac);
  }
}

function hmac(pepper: string, credential: string): Buffer {
  return createHmac('sha256', pepper).update(credential).digest();
}
