// The opaque text that resumes a read: signed, bound to the table and the filter (differences: page state).
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import {
  isJsonArray,
  JsonNumber,
  type JsonObject,
  type JsonText,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import type { Table } from '../schema/table.js';
import type { Position, RowOrder } from './read.js';

/** Secret bytes that sign page states; kept in the data directory, so that they survive a restart. */
export type PageStateKey = Uint8Array;

/** The query a page state belongs to; a state of another query is refused. */
export interface PagedQuery {
  readonly table: Table;
  readonly filter: JsonObject | undefined;
  readonly order: RowOrder;
}

/** Where the next page starts and what it may give. */
export interface PageState {
  readonly position: Position;
  /** Rows the whole sequence of pages may still give; null without a limit. */
  readonly remaining: number | null;
}

/** Where it stands in a command. */
export const pageStateField = 'command.options.pageState';
const signatureBytes = 16;
/** A key has at most 65,535 bytes a column, so its JSON text stays far below this. */
const jsonLimits = { maxDepth: 4, maxNumberLength: 200_002 };

/** Writes a page state as URL-safe base64. */
export function writePageState(key: PageStateKey, query: PagedQuery, state: PageState): string {
  const position: JsonText[] = query.order.map(({ column }, at) => column.type.serialize(state.position[at]));
  const payload = Buffer.from(`[${state.remaining},${position.join(',')}]`);
  return Buffer.concat([sign(key, query, payload), payload]).toString('base64url');
}

/**
 * Reads a page state of this query.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID for one that we did not write, or wrote for another query
 */
export function readPageState(key: PageStateKey, query: PagedQuery, text: string): PageState {
  const bytes = Buffer.from(text, 'base64url');
  const signature = bytes.subarray(0, signatureBytes);
  const payload = bytes.subarray(signatureBytes);
  // The decoder skips characters that are not base64: a page state of this server encodes to the same text again.
  const isOurs =
    signature.length === signatureBytes &&
    timingSafeEqual(signature, sign(key, query, payload)) &&
    bytes.toString('base64url') === text;
  if (!isOurs) {
    const problem =
      'it is not a page state of this query; send it with the table, filter and sort that it was returned for';
    throw invalidFieldValue(pageStateField, text, problem);
  }
  return readPayload(payload.toString(), query.order);
}

function readPayload(text: string, order: RowOrder): PageState {
  const payload = parseJson(text, jsonLimits);
  if (!isJsonArray(payload)) throw new TypeError('a signed page state is no array');
  const [remaining, ...position] = payload;
  return {
    remaining: remaining instanceof JsonNumber ? Number(remaining.text) : null,
    position: order.map(({ column }, at) => column.type.parse(position[at] ?? null)),
  };
}

function sign(key: PageStateKey, query: PagedQuery, payload: Buffer): Buffer {
  const path = query.order.map(({ column, direction }) => `${column.id}:${direction}`).join(',');
  const filter = createHash('sha256').update(query.filter === undefined ? '{}' : stringifyJson(query.filter));
  return createHmac('sha256', key)
    .update(`1|${query.table.id}|${path}|${filter.digest('hex')}|`)
    .update(payload)
    .digest()
    .subarray(0, signatureBytes);
}
