const { EventSubscriber, sql, UnitOfWork } = require('@agentrelay/extension');
const { Module } = require('@nestjs/common');
const { DiscoveryModule, DiscoveryService } = require('@nestjs/core');

/** Retention runs once a minute by itself; here more often. */
const UPKEEP_EVERY_MS = 2_000;
/** Of each minute the laggard fails for the first part, longer than events are kept, and is slow for the rest. */
const FAILING_MS = 30_000;
const LAG_MS = 100;

/** An extension of the relays under chaos: notes how often each subscriber was told of each event, in the transaction of its place. */
class Signals {
  constructor(unitOfWork) {
    this.unitOfWork = unitOfWork;
  }

  async onModuleInit() {
    await this.unitOfWork.query(sql`
      CREATE TABLE IF NOT EXISTS chaos_signals (
        subscriber text, event_id uuid, times integer NOT NULL, PRIMARY KEY (subscriber, event_id))`);
  }

  async handle(events, transaction) {
    await note('chaos-signals', events, transaction);
  }
}
Reflect.defineMetadata('design:paramtypes', [UnitOfWork], Signals);
EventSubscriber('chaos-signals')(Signals);

/** A subscriber that fails and lags: retention has to wait for it. */
class Laggard {
  async handle(events, transaction) {
    await note('chaos-laggard', events, transaction);
    await new Promise((resolve) => setTimeout(resolve, LAG_MS));
    if (Date.now() % 60_000 < FAILING_MS) throw new Error('It fails on purpose.');
  }
}
EventSubscriber('chaos-laggard')(Laggard);

async function note(subscriber, events, transaction) {
  await transaction.query(sql`
    INSERT INTO chaos_signals SELECT ${subscriber}, id, 1 FROM unnest(${events.map(({ id }) => id)}::uuid[]) AS id
    ON CONFLICT (subscriber, event_id) DO UPDATE SET times = chaos_signals.times + 1`);
}

/** Lets the relay's own maintenance run often. */
class OftenUpkeep {
  constructor(discovery) {
    this.discovery = discovery;
  }

  onApplicationBootstrap() {
    const found = this.discovery.getProviders().find(({ name }) => name === 'MaintenanceService');
    if (found === undefined) throw new Error('The relay has no MaintenanceService.');
    setInterval(() => void found.instance.tick(), UPKEEP_EVERY_MS).unref();
  }
}
Reflect.defineMetadata('design:paramtypes', [DiscoveryService], OftenUpkeep);

class SignalsModule {}
Module({ imports: [DiscoveryModule], providers: [Signals, Laggard, OftenUpkeep] })(SignalsModule);
module.exports = { SignalsModule };
