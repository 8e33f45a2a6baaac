import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@agentrelay/protocol';
import { register } from '../extensions';

/** What a request shows of who makes it. */
export interface PresentedCredentials {
  readonly headers: IncomingHttpHeaders;
  /** The client's address, as `RELAY_TRUSTED_PROXIES` lets it be known. */
  readonly address: string;
}

/** Whom a strategy vouches for. */
export interface ExternalIdentity {
  /** The full handle of a registered, active agent. */
  handle: string;
  principal: Principal;
  /** Names the credential, such as a token's id: rates and open streams are counted by it. No secret, it may be logged. */
  credentialId: string;
  /** When streams that this credential opened have to end, at the latest. */
  expiresAt?: Date;
}

/** Another way than API keys to establish which agent makes a request. */
export interface CredentialVerifier {
  /**
   * Resolves to whom the request comes from, or undefined when it carries nothing that this strategy knows.
   * @throws RelayError unauthenticated when it does, but it is not accepted
   */
  verify(presented: PresentedCredentials): Promise<ExternalIdentity | undefined>;
}

export const AUTHENTICATION_STRATEGY = Symbol('authentication strategy');

/** Registers a class as a strategy, asked for every request that carries no API key of this relay. */
export function AuthenticationStrategy(name: string) {
  return register<CredentialVerifier>(AUTHENTICATION_STRATEGY, { name });
}
