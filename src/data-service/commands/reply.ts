// The reply of a command, before the envelope writes it as text.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonText } from '../../foundation/json/json-value.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { ReadResult } from '../query/read.js';
import { maxReplyLength, type ShownColumns, writeRows } from '../query/row-text.js';

/** The reply of a command; members without a value are omitted from the text. */
export interface Reply {
  /** The member `data`; omitted when there is an error. */
  readonly data?: JsonText;
  /** Members of `status`, in order. */
  readonly status?: readonly (readonly [name: string, value: JsonText])[];
  readonly warnings?: readonly ApiError[];
  readonly errors?: readonly ApiError[];
}

/** The reply of a schema command that was carried out. */
export const okReply: Reply = { status: [['ok', '1']] };

/**
 * The rows of a read as a JSON array.
 * @throws ApiError REPLY_SIZE_LIMIT_VIOLATION, EngineError `timeout`
 */
export function rowsText({ rows, written, deadline }: ReadResult, columns: ShownColumns): JsonText {
  const { text, count } = written ?? writeRows(rows, columns, maxReplyLength, deadline);
  const isCut = written === undefined && count < rows.length;
  if (isCut || text.length > maxReplyLength)
    throw tooLong('Exclude large columns with a projection, or request fewer rows with "limit".');
  return text;
}

/** So many characters of definitions are made in one turn of the event loop, in some milliseconds. */
const charactersOfTurn = 64 * 1024;

/**
 * Names or definitions as a JSON array. Other requests are answered between its turns.
 * @throws ApiError REPLY_SIZE_LIMIT_VIOLATION
 */
export async function listInTurns<Item>(
  items: readonly Item[],
  describe: (item: Item) => JsonText,
): Promise<JsonText> {
  const texts: JsonText[] = [];
  let length = 0;
  let endOfTurn = charactersOfTurn;
  for (const item of items) {
    if (length >= endOfTurn) {
      await nextTurn();
      endOfTurn = length + charactersOfTurn;
    }
    const text = describe(item);
    texts.push(text);
    length += text.length + 1;
    if (length > maxReplyLength) throw tooLong('Request only the names, without "explain".');
  }
  return `[${texts.join(',')}]`;
}

function tooLong(advice: string): ApiError {
  return apiError('request', 'REPLY_SIZE_LIMIT_VIOLATION', { limit: maxReplyLength, advice });
}
