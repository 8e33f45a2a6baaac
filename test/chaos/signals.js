const { EventSubscriber, sql, UnitOfWork } = require('@agentrelay/extension');
const { Module } = require('@nestjs/common');

/** An extension of the relays under chaos: notes how often it was told of each event, in the transaction of its place. */
class Signals {
  constructor(unitOfWork) {
    this.unitOfWork = unitOfWork;
  }

  async onModuleInit() {
    await this.unitOfWork.query(sql`
      CREATE TABLE IF NOT EXISTS chaos_signals (event_id uuid PRIMARY KEY, times integer NOT NULL)`);
  }

  async handle(events, transaction) {
    await transaction.query(sql`
      INSERT INTO chaos_signals SELECT id, 1 FROM unnest(${events.map(({ id }) => id)}::uuid[]) AS id
      ON CONFLICT (event_id) DO UPDATE SET times = chaos_signals.times + 1`);
  }
}
Reflect.defineMetadata('design:paramtypes', [UnitOfWork], Signals);
EventSubscriber('chaos-signals')(Signals);

class SignalsModule {}
Module({ providers: [Signals] })(SignalsModule);
module.exports = { SignalsModule };
