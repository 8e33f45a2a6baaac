export * from './constraints';
export { Nested, readDto } from './dto';
export { DtoPipe } from './dto.pipe';
export { ERROR_DIALECTS, type ErrorDialect, ErrorFilter, errorHeaders } from './error.filter';
export { createHttpAdapter, pathOf } from './http-adapter';
export { requestFault } from './request-text';
export { toRelayError } from './to-relay-error';
export { type DescribedMember, describeDto } from './dto-description';
export { ReplyStream } from './reply-stream';
