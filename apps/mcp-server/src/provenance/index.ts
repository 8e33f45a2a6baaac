export { notice, structuredThread, threadSchema } from './structured-thread';
export { sayThread } from './thread-text';
export { type Section, ToolText } from './tool-text';
