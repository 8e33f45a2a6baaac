export { answersAfter, inboxRoom } from './answers-page';
export { inboxItemSchema, structuredItem } from './inbox-item';
export { INBOX_PAGE, unreadAnswers, unreadThreads, WAITING } from './inbox-reader';
export { sayInbox } from './inbox-text';
