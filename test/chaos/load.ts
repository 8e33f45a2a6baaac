import type { Client } from './client';
import type { Random } from './random';

const text = (body: string): object => ({ role: 'user', parts: [{ type: 'text', text: body }] });

/** Agents at work: each worker takes handoffs through their lives, one after the other, until it is told to stop. */
export class Load {
  private stopping = false;
  private bodies = 0;
  private readonly work: Promise<unknown>;

  constructor(
    private readonly clients: readonly Client[],
    private readonly random: Random,
    workers: number,
  ) {
    this.work = Promise.all(Array.from({ length: workers }, () => this.live()));
  }

  /** Lets every handoff that is under way come to its end. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.work;
  }

  private async live(): Promise<void> {
    while (!this.stopping) {
      const sender = this.random.pick(this.clients);
      const recipient = this.random.pick(this.clients.filter((client) => client !== sender));
      await this.handoff(sender, recipient);
    }
  }

  private async handoff(sender: Client, recipient: Client): Promise<void> {
    const body = this.body();
    const sent = await sender.make(
      'message/send',
      { recipient: recipient.handle, message: text(body) },
      { kind: 'send', recipient: recipient.handle, body },
    );
    if (sent === undefined) return;
    const task = String(sent['task_id']);
    await Promise.all([this.look(recipient, task), this.append(sender, task)]);
    const session = await this.race(sender, recipient, task);
    if (session === undefined) return;
    for (let i = this.random.between(0, 3); i > 0; i--) {
      // Two at once: which comes first is the relay's to say.
      await Promise.all([this.append(sender, task), this.append(recipient, task)]);
    }
    if (this.random.chance(0.7)) {
      const summary = this.body();
      const params = { task_id: task, transition: 'complete', result_summary: summary, session_id: session };
      // An append may come before the end or after it.
      await Promise.all([
        recipient.make('tasks/update', params, { kind: 'complete', task, body: summary, session }),
        this.append(sender, task),
      ]);
    }
  }

  /** Two sessions of the recipient want the handoff, and at times the sender wants it back. Returns the session that has it. */
  private async race(sender: Client, recipient: Client, task: string): Promise<string | undefined> {
    const accept = async (session: string): Promise<string | undefined> => {
      const params = { task_id: task, transition: 'accept', session_id: session };
      const won = await recipient.make('tasks/update', params, { kind: 'accept', task, session });
      return won && session;
    };
    const cancel = async (): Promise<undefined> => {
      await sender.make('tasks/cancel', { task_id: task }, { kind: 'cancel', task });
    };
    const sessions = await Promise.all([
      accept(`${task}-one`),
      accept(`${task}-two`),
      this.random.chance(0.3) ? cancel() : undefined,
    ]);
    return sessions.find((session) => session !== undefined);
  }

  private async append(author: Client, task: string): Promise<void> {
    const body = this.body();
    await author.make('message/send', { task_id: task, message: text(body) }, { kind: 'append', task, body });
  }

  private async look(reader: Client, task: string): Promise<void> {
    await reader.make('tasks/get', { task_id: task }, { kind: 'get', task });
    await reader.make('tasks/list', { page: { limit: 20 } }, { kind: 'list' });
  }

  /** A text that no other message has. */
  private body(): string {
    return `text ${++this.bodies}`;
  }
}
