import { createHash, timingSafeEqual } from 'node:crypto';
import {
  AuthenticationStrategy,
  type CredentialVerifier,
  type PresentedCredentials,
  RelayError,
  type ExternalIdentity,
} from '@agentrelay/extension';

/** Lets the build server in as one agent, by a token of its own in a header of its own. */
@AuthenticationStrategy('ci')
export class CiStrategy implements CredentialVerifier {
  verify({ headers }: PresentedCredentials): Promise<ExternalIdentity | undefined> {
    const token = headers['x-ci-token'];
    const expected = process.env['CHANGE_FREEZE_CI_TOKEN'] ?? '';
    if (token === undefined || expected === '') return Promise.resolve(undefined);
    if (!timingSafeEqual(digest(String(token)), digest(expected))) {
      return Promise.reject(new RelayError('unauthenticated', 'The X-CI-Token is not the one of this relay.'));
    }
    return Promise.resolve({ handle: 'ci@acme', principal: 'agent', credentialId: 'ci' });
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
