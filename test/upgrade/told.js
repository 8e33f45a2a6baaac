const { EventSubscriber, sql } = require('@agentrelay/extension');
const { Module } = require('@nestjs/common');

/** An extension of both versions: notes how often it was told of each event, in the transaction of its place. */
class Told {
  async handle(events, transaction) {
    await transaction.query(sql`
      INSERT INTO told SELECT id, 1 FROM unnest(${events.map(({ id }) => id)}::uuid[]) AS id
      ON CONFLICT (event_id) DO UPDATE SET times = told.times + 1`);
  }
}
EventSubscriber('told')(Told);

class ToldModule {}
Module({ providers: [Told] })(ToldModule);
module.exports = { ToldModule };
