import { bilingual } from '../core/bilingual.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import type { ParkedPlace } from '../ports/dead-letters.ts';

/** The end of a page as a caller gives it back: opaque to him, of characters that a URL takes as they are. */
export function placeText({ lastAt, queue, eventId, cycle, attempt }: ParkedPlace): string {
  return Buffer.from(JSON.stringify({ lastAt, queue, eventId, cycle, attempt })).toString('base64url');
}

/** @throws AppError REQUEST_INVALID for a text that `placeText` did not make. */
export function readPlace(text: string): ParkedPlace {
  const parsed = parseJson(Buffer.from(text, 'base64url').toString());
  const value = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const { lastAt, queue, eventId, cycle, attempt } = value;
  const numbers = [lastAt, cycle, attempt].every((number) => Number.isSafeInteger(number));
  if (numbers && typeof queue === 'string' && typeof eventId === 'string') {
    return { lastAt: Number(lastAt), queue, eventId, cycle: Number(cycle), attempt: Number(attempt) };
  }
  throw new AppError('REQUEST_INVALID', {
    field: 'query.after',
    rule: bilingual('须为上一页返回的 DataAppend.Next', 'must be DataAppend.Next of the page before'),
  });
}
