import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';

/** What every Nest application on Fastify and PostgreSQL has to load and connect: the floor of the relay's start. */
@Controller()
class ReadyController {
  @Get('readyz')
  ready(): string {
    return 'ok';
  }
}

@Module({
  imports: [TypeOrmModule.forRoot({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' })],
  controllers: [ReadyController],
})
class BareModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(BareModule, new FastifyAdapter());
  app.enableShutdownHooks();
  await app.listen(Number(process.env['PORT']), '127.0.0.1');
}

void main();
