/**
 * What a module from outside works with, as `@agentrelay/extension` (docs/extend.md). What stands here is kept from
 * version to version; whatever else the relay has inside is not.
 */
export {
  type Artifact,
  type ErrorDetails,
  type ErrorSymbol,
  type Intent,
  LIMITS,
  type Outcome,
  type Principal,
  RelayError,
  type WireProposedAction,
} from '@agentrelay/protocol';
export { ListTeammates } from './agents';
export { Transaction, UnitOfWork } from './database';
export {
  AsDate,
  DtoPipe,
  IsUuid,
  JsonObject,
  Nested,
  IsIn,
  Optional,
  RequestBody,
  ValidateWith,
  SomeOf,
  IsText,
  PageLimit,
  QueryFlag,
  TextList,
  IsBoolean,
  IsInt,
} from './http';
export { AwaitEvents, EventSubscriber, type EventSubscription, type EventView } from './events';
export {
  AcceptHandoff,
  AppendMessage,
  CancelHandoff,
  CompleteHandoff,
  HandoffPolicy,
  type HandoffProposal,
  type HandoffReview,
  ListHandoffs,
  SendHandoff,
  type TransitionResult,
  ViewThread,
} from './handoffs';
export { type HealthCheck, HealthIndicator } from './health';
export {
  type Administrator,
  AdministratorOnly,
  AuthenticationStrategy,
  type Caller,
  CountsClientAddress,
  type CredentialVerifier,
  CurrentCaller,
  type CommandContext,
  CallerContext,
  AdministratorContext,
  type PresentedCredentials,
  Public,
  type ExternalIdentity,
} from './identity';
export {
  MethodParams,
  PageParams,
  type RpcHandler,
  RpcMethod,
  type RpcMethodOptions,
  TaskParams,
  TaskTransition,
  type TaskTransitionOptions,
  type TransitionHandler,
  TransitionParams,
} from './rpc';
export { default as sql } from 'sql-template-tag';
