import { proveFullThread } from './full-thread';

describe('a thread of 64 MiB, on a relay with a heap of 256 MiB', () => {
  proveFullThread({ messages: 150, threadMiB: 64, readers: 8, timeoutMs: 900_000 });
});
