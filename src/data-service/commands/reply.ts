// The reply of a command, before the envelope writes it as text.
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

/**
 * Definitions of tables as a JSON array.
 * @throws ApiError REPLY_SIZE_LIMIT_VIOLATION
 */
export function listText(texts: readonly JsonText[]): JsonText {
  if (texts.reduce((sum, { length }) => sum + length + 1, 0) > maxReplyLength)
    throw tooLong('Request only the names, without "explain".');
  return `[${texts.join(',')}]`;
}

function tooLong(advice: string): ApiError {
  return apiError('request', 'REPLY_SIZE_LIMIT_VIOLATION', { limit: maxReplyLength, advice });
}
