export { MessagesModule } from './messages.module';
export { type MessageRow, MessagesRepository, type NewMessage, type ReadingWish } from './messages.repository';
