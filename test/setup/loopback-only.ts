import { Socket } from 'node:net';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Fails any test that opens a connection to another host than this machine. */
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [options] = args.flat() as [unknown];
  const { host, path } = (typeof options === 'object' && options !== null ? options : {}) as {
    host?: string;
    path?: string;
  };
  if (path === undefined && host !== undefined && !LOOPBACK.test(host)) {
    throw new Error(`A test tried to reach ${host}; tests speak to loopback addresses only.`);
  }
  return (connect as (...all: unknown[]) => Socket).apply(this, args);
};
