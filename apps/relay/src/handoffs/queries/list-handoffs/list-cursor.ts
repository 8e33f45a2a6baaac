import { RelayError } from '@agentrelay/protocol';

/** Where a page ended: activity time and id of its last item. */
export interface ListPosition {
  updatedAt: Date;
  id: string;
}

const SHAPE = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeCursor({ updatedAt, id }: ListPosition): string {
  return Buffer.from(`${updatedAt.getTime()}.${id}`).toString('base64url');
}

/** @throws RelayError invalid_params when the text is not a cursor of ours */
export function decodeCursor(cursor: string): ListPosition {
  const [, time, id] = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (time === undefined || id === undefined) {
    throw new RelayError('invalid_params', 'page.cursor is not one that this relay gave out; start again without it.', {
      field: 'page.cursor',
    });
  }
  return { updatedAt: new Date(Number(time)), id };
}
