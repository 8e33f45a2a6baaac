export { inboxItemSchema, structuredItem } from './inbox-item';
export { INBOX_PAGE, unreadAnswers, unreadMessages, WAITING } from './inbox-reader';
export { sayInbox } from './inbox-text';
