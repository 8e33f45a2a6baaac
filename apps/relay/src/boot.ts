import 'reflect-metadata';
import helmet from '@fastify/helmet';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Logger } from 'nestjs-pino';
import { adjustLimits } from '@agentrelay/protocol';
import { version } from '@agentrelay/version';
import { type Environment, formerNamesGiven, HttpConfig, limitsOf, PublicUrl, readSettings } from './config';
import { createHttpAdapter } from './http';
import { type Extension, loadExtensions } from './extensions';
import { RelayModule } from './relay.module';
import { startTracing, traceRequests } from './tracing';

export interface RunningRelay {
  /** Where it listens. */
  url: string;
  app: NestFastifyApplication;
}

/**
 * Brings a relay up: settings, schema, listener. Resolves when it serves requests. `extensions` are modules from outside,
 * beside those that the settings name.
 * @throws InvalidSettingsError, ExtensionError, or the error of the database or the listener
 */
export async function bootRelay(
  environment: Environment,
  extensions: readonly Extension[] = [],
): Promise<RunningRelay> {
  const settings = readSettings(environment);
  adjustLimits(limitsOf(settings));
  const modules = RelayModule.forSettings(settings, [...extensions, ...loadExtensions(settings.RELAY_EXTENSIONS)]);
  const adapter = createHttpAdapter({
    trustedProxies: settings.RELAY_TRUSTED_PROXIES,
    requestTimeoutMs: settings.RELAY_REQUEST_TIMEOUT_MS,
  });
  await traceIfWanted(settings.OTEL_EXPORTER_OTLP_ENDPOINT, adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(modules, adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.flushLogs();
  for (const warning of formerNamesGiven(environment)) app.get(Logger).warn(warning);
  await app.register(helmet);
  await app.init();
  const { host, port } = app.get(HttpConfig);
  const url = await listen(app, host, port);
  app.get(PublicUrl).useListeningAddress(url);
  return { url, app };
}

async function traceIfWanted(endpoint: string | undefined, fastify: FastifyInstance): Promise<void> {
  if (endpoint === undefined) return;
  const endTracing = await startTracing(endpoint, version());
  traceRequests(fastify);
  fastify.addHook('onClose', endTracing);
}

/** Listens through Fastify itself: a port that is taken is then our caller's to explain, and not logged as a crash. */
async function listen(app: NestFastifyApplication, host: string, port: number): Promise<string> {
  try {
    return await app.getHttpAdapter().getInstance().listen({ host, port });
  } catch (error) {
    await app.close();
    throw error;
  }
}
