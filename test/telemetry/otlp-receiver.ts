import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  service: unknown;
}

interface Export {
  resourceSpans: {
    resource: { attributes: Pair[] };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'links'> & { attributes: Pair[]; links?: ReceivedSpan['links'] })[];
    }[];
  }[];
}

interface Pair {
  key: string;
  value: Record<string, unknown>;
}

/** A collector that keeps what it is sent. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.take(JSON.parse(Buffer.concat(chunks).toString()) as Export);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = values(resource.attributes)['service.name'];
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, attributes: values(span.attributes), links: span.links ?? [], service });
      }
    }
  }
}

function values(pairs: Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
