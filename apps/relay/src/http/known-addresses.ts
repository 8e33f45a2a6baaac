import { RelayError } from '@agentrelay/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ADDRESSES = Symbol('known addresses');
type KnowingInstance = FastifyInstance & { [ADDRESSES]?: KnownAddresses };

/** Lets `refuseOtherAddresses` know every route that is registered from now on. */
export function rememberAddresses(fastify: FastifyInstance): void {
  const addresses = new KnownAddresses();
  fastify.decorate(ADDRESSES, addresses);
  fastify.addHook('onRoute', ({ url, method }) => addresses.add(url, [method].flat()));
}

/** @throws RelayError not_found, or method_not_allowed with what the address takes, when no route takes the request */
export function refuseOtherAddresses(request: FastifyRequest, reply: FastifyReply): void {
  if (!request.is404) return;
  const { [ADDRESSES]: addresses } = request.server as KnowingInstance;
  const allowed = addresses?.methodsAt(request.url) ?? [];
  if (allowed.length === 0) throw new RelayError('not_found', 'There is nothing at this address.');
  void reply.header('allow', allowed.join(', '));
  const message = `This address does not take ${request.method}; it takes ${allowed.join(', ')}.`;
  throw new RelayError('method_not_allowed', message, { allowed });
}

/** Every route that is registered, for whoever checks a rule on all of them. */
export function registeredRoutes(fastify: FastifyInstance): { method: string; url: string }[] {
  const { [ADDRESSES]: addresses } = fastify as KnowingInstance;
  return addresses?.all() ?? [];
}

/** Which methods each address takes, so that a wrong method is told apart from a wrong address. */
class KnownAddresses {
  private readonly known: { url: string; pattern: RegExp; methods: string[] }[] = [];

  add(url: string, methods: string[]): void {
    const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literal(segment)));
    this.known.push({ url, pattern: new RegExp(`^${segments.join('/')}/?$`), methods });
  }

  all(): { method: string; url: string }[] {
    return this.known.flatMap(({ url, methods }) => methods.map((method) => ({ method, url })));
  }

  methodsAt(url: string): string[] {
    const [path = ''] = url.split('?', 1);
    return [...new Set(this.known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
