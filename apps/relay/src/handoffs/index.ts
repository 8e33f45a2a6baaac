export { AcceptHandoff } from './commands/accept-handoff/accept-handoff.command';
export { AppendMessage } from './commands/append-message/append-message.command';
export { CancelHandoff } from './commands/cancel-handoff/cancel-handoff.command';
export { CompleteHandoff } from './commands/complete-handoff/complete-handoff.command';
export { SendHandoff } from './commands/send-handoff/send-handoff.command';
export type * from './handoff.views';
export { HandoffsModule } from './handoffs.module';
export { ListHandoffs } from './queries/list-handoffs/list-handoffs.query';
export { ViewThread } from './queries/view-thread/view-thread.query';
