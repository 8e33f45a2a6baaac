export { type Access, accessTo, AdministratorOnly, CountsClientAddress, Public } from './access.decorator';
export { ApiKeyIssuer, type IssuedKey, type KeyTerms } from './api-key-issuer';
export { ApiKeysRepository, type KeyView } from './api-keys.repository';
export {
  AuthenticationStrategy,
  type CredentialVerifier,
  type PresentedCredentials,
  type ExternalIdentity,
} from './authentication-strategy.decorator';
export { Authenticator, notAccepted } from './authenticator';
export { CallingKey, refuseSuperseded } from './calling-key';
export { credentialLives } from './credential-lives.sql';
export { type Administrator, type Caller, type Identity, type CommandContext, subjectOf } from './caller';
export { CurrentCaller, CallerContext, AdministratorContext } from './identity.decorators';
export { IdentityModule } from './identity.module';
export { Peppers, type SealedSecret } from './peppers';
