import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { MetricsConfig } from '../config';
import { Gauges } from './gauges';
import { MetricsRegistry } from './metrics-registry';
import { Traffic } from './traffic';

/** `GET /metrics` on a port of its own, which no ingress leads to. It answers until the very end of a shutdown. */
@Injectable()
export class MetricsServer implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsServer.name);
  private server: Server | undefined;

  constructor(
    private readonly config: MetricsConfig,
    private readonly metrics: MetricsRegistry,
    private readonly traffic: Traffic,
    private readonly gauges: Gauges,
  ) {}

  /** @throws Error when the port is taken */
  async onModuleInit(): Promise<void> {
    const { host, port } = this.config;
    if (port === undefined) return;
    this.metrics.watchProcess();
    this.traffic.watch();
    this.server = createServer((request, response) => {
      const wanted = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
      if (wanted) void this.answer(response);
      else response.writeHead(404).end('Metrics are at GET /metrics.\n');
    });
    this.server.listen(port, host);
    await once(this.server, 'listening');
    const { port: taken } = this.server.address() as AddressInfo;
    this.logger.log(`Metrics are served at http://${host}:${taken}/metrics.`);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.server === undefined) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(response: ServerResponse): Promise<void> {
    try {
      await this.gauges.refresh();
      const text = await this.metrics.registry.metrics();
      response.writeHead(200, { 'content-type': this.metrics.registry.contentType }).end(text);
    } catch (error) {
      this.logger.error({ err: error }, 'The metrics could not be read.');
      response.writeHead(500).end();
    }
  }
}
