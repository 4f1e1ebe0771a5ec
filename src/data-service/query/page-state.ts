// The opaque text that resumes a read: signed, bound to the table, the filter and the sort (differences: page state).

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type JsonObject, stringifyJson } from '../../foundation/json/json-value.js';
import type { ApiError } from '../errors/api-error.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import type { Table } from '../schema/table.js';
import type { Position, RowOrder } from './row-order.js';

/** Secret bytes that sign page states; stored in the data directory, so that they survive a restart. */
export type PageStateKey = Uint8Array;

/** The query of a page state; a page state of another query is refused. */
export interface PagedQuery {
  readonly table: Table;
  readonly filter: JsonObject | undefined;
  /** Null for a query without a sort. */
  readonly order: RowOrder | null;
}

/** Where the next page begins, and how many rows it may have. */
export interface PageState {
  readonly position: Position;
  /** The remaining number of rows for all following pages; null if unlimited. */
  readonly remaining: number | null;
}

/** Its path in a command. */
export const pageStateField = 'command.options.pageState';
const signatureBytes = 16;

/** Writes a page state as URL-safe base64. */
export function writePageState(key: PageStateKey, query: PagedQuery, state: PageState): string {
  const payload = Buffer.from(`${state.remaining ?? ''}|${state.position}`);
  return Buffer.concat([sign(key, query, payload), payload]).toString('base64url');
}

/**
 * Reads a page state of this query.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID for one that is not from this server, or for another query
 */
export function readPageState(key: PageStateKey, query: PagedQuery, text: string): PageState {
  const bytes = Buffer.from(text, 'base64url');
  const signature = bytes.subarray(0, signatureBytes);
  const payload = bytes.subarray(signatureBytes);
  // The decoder skips characters that are not base64, so the bytes are encoded again: the text of a page state of this
  // server is then the same.
  const hasForm = signature.length === signatureBytes && bytes.toString('base64url') === text;
  if (!hasForm) throw refusedPageState(text);
  if (!timingSafeEqual(signature, sign(key, query, payload))) throw foreignPageState(text);
  const stated = payload.toString();
  const end = stated.indexOf('|');
  return {
    remaining: end === 0 ? null : Number(stated.slice(0, end)),
    position: stated.slice(end + 1),
  };
}

const notOfThisQuery =
  'it is not a page state of this query; send it with the table, filter and sort that it was returned for';

/** The error for a page state that cannot resume the query. */
export function refusedPageState(text: string): ApiError {
  return invalidFieldValue(pageStateField, text, notOfThisQuery);
}

/** A signature that differs can be of another query or of another server: the message names both. */
function foreignPageState(text: string): ApiError {
  const advice = 'to the server that returned it or to one with the same --page-state-secret';
  return invalidFieldValue(pageStateField, text, `${notOfThisQuery}, ${advice}`);
}

function sign(key: PageStateKey, query: PagedQuery, payload: Buffer): Buffer {
  const path = query.order?.map(({ column, direction }) => `${column.id}:${direction}`).join(',') ?? '';
  const filter = createHash('sha256').update(query.filter === undefined ? '{}' : stringifyJson(query.filter));
  return createHmac('sha256', key)
    .update(`2|${query.table.firstId ?? query.table.id}|${path}|${filter.digest('hex')}|`)
    .update(payload)
    .digest()
    .subarray(0, signatureBytes);
}
