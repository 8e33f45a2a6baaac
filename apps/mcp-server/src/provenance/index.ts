export { structuredThread, threadSchema } from './structured-thread';
export { sayThread } from './thread-text';
export { ToolText } from './tool-text';
