import { EventSubscriber, type EventSubscription, type EventView, sql, type Transaction } from '@agentrelay/extension';

/** Counts what is sent, by intent. Written through the transaction it is given, each event counts exactly once. */
@EventSubscriber('change-freeze-tally')
export class IntentTally implements EventSubscription {
  async handle(events: readonly EventView[], transaction: Transaction): Promise<void> {
    const intents = events.filter(({ type }) => type === 'handoff.created').map(({ payload }) => payload['intent']);
    if (intents.length === 0) return;
    await transaction.query(sql`
      INSERT INTO change_freeze_tally (intent, sent)
      SELECT intent, count(*) FROM unnest(${intents}::text[]) AS intent GROUP BY intent
      ON CONFLICT (intent) DO UPDATE SET sent = change_freeze_tally.sent + excluded.sent`);
  }
}
