import { InvalidCursorError } from '../fault.ts';
import { isResultId } from '../result-id.ts';
import type { Cursor } from '../store.ts';

/** The last entry of a page: the next one begins behind it, whatever came or went in between. */
export type Position = { measuredAtMs: number; id: string };

export const toCursor = ({ measuredAtMs, id }: Position): Cursor =>
  Buffer.from(`${measuredAtMs} ${id}`).toString('base64url');

/** @throws InvalidCursorError */
export const fromCursor = (cursor: Cursor): Position => {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!/^\d{1,16}$/.test(time) || !isResultId(id) || rest.length > 0) throw new InvalidCursorError();
  return { measuredAtMs: Number(time), id };
};
