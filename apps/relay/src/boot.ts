import 'reflect-metadata';
import helmet from '@fastify/helmet';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import { type Environment, HttpConfig, PublicUrl, readSettings } from './config';
import { createHttpAdapter } from './edge';
import { RelayModule } from './relay.module';
import { RPC_PATH } from './rpc';

export interface RunningRelay {
  /** Where it listens. */
  url: string;
  app: NestFastifyApplication;
}

/**
 * Brings a relay up: settings, schema, listener. Resolves when it serves requests.
 * @throws InvalidSettingsError, or the error of the database or the listener
 */
export async function bootRelay(environment: Environment): Promise<RunningRelay> {
  const settings = readSettings(environment);
  const adapter = createHttpAdapter(new Set([RPC_PATH]));
  const app = await NestFactory.create<NestFastifyApplication>(RelayModule.forSettings(settings), adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  await app.register(helmet);
  const http = app.get(HttpConfig);
  await app.listen(http.port, http.host);
  const url = await app.getUrl();
  app.get(PublicUrl).useListeningAddress(url);
  return { url, app };
}
