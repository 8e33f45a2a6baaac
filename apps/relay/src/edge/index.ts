export * from './constraints';
export { Nested, readDto } from './dto';
export { type DescribedMember, describeDto } from './dto-description';
export { DtoPipe } from './dto.pipe';
export { ERROR_DIALECTS, type ErrorDialect, ErrorFilter, errorHeaders } from './error.filter';
export { createHttpAdapter, pathOf } from './http-adapter';
export { ReplyStream } from './reply-stream';
export { requestFault } from './request-text';
export { toRelayError } from './to-relay-error';
