import { proveFullThread } from './full-thread';

describe('a thread as large as it may be, on a relay with a heap of 256 MiB', () => {
  proveFullThread({ messages: 6, threadMiB: 16, readers: 4, timeoutMs: 60_000 });
});
