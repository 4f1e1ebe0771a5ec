// Parses projections (wire: find, Projection rules).

import { GenerationCache } from '../../foundation/generation-cache.js';
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { isReadable } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import type { Column, Table } from '../schema/table.js';

const everything = '*';

/** The columns of the rows in a reply. */
export interface Projection {
  /** In the order of the table; all of them are readable. */
  readonly columns: readonly Column[];
  /** Columns that are selected, but not by name, and are not readable. */
  readonly leftOut: readonly Column[];
}

/**
 * The columns of a projection. Absent, empty and scalar projections select all.
 * @throws ApiError scope PROJECTION
 */
export function parseProjection(json: JsonValue | undefined, table: Table): Projection {
  if (json !== undefined && isJsonArray(json) && json.length > 0) {
    throw apiError('projection', 'UNSUPPORTED_PROJECTION_DEFINITION', { found: showJson(json) });
  }
  if (json === undefined || json === null || !isJsonObject(json) || json.size === 0) return all(table);
  const isInclusion = readKind(json);
  const names = [...json.keys()];
  if (names.includes(everything)) {
    if (names.length > 1) throw unsupported('"*" must be the only member');
    if (isInclusion) return all(table);
    throw unknownColumns(names, table);
  }
  if (!names.some((name) => table.columnsByName.has(name))) throw unknownColumns(names, table);
  const selected = table.columns.filter((column) => names.includes(column.name) === isInclusion);
  const columns = selected.filter(({ type }) => isReadable(type));
  const leftOut = unreadableOf(selected);
  if (isInclusion && leftOut.length > 0)
    throw apiError('projection', 'UNSUPPORTED_COLUMN_TYPES', { table: table.name, columns: leftOut });
  return { columns: knownList(columns, table), leftOut };
}

const knownLists = new WeakMap<Table, GenerationCache<readonly Column[]>>();
const listsKept = 100;
const noLists = () => new GenerationCache<readonly Column[]>(listsKept);

/**
 * The list object of an earlier request for the same columns, because data derived from a list is cached by the object.
 */
function knownList(columns: readonly Column[], table: Table): readonly Column[] {
  const lists = getOrMake(knownLists, table, noLists);
  return getOrMake(lists, columns.map(({ id }) => id).join(), () => columns);
}

function all({ columns, readableColumns }: Table): Projection {
  return { columns: readableColumns, leftOut: readableColumns === columns ? [] : unreadableOf(columns) };
}

function unreadableOf(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ type }) => !isReadable(type));
}

function readKind(json: JsonObject): boolean {
  const kinds = [...json].map(([name, value]) => {
    if (name === '') throw unsupported('a member has an empty name');
    return includes(name, value);
  });
  const [first = true] = kinds;
  if (kinds.some((kind) => kind !== first)) throw unsupported('it includes some columns and excludes others');
  return first;
}

function includes(name: string, value: JsonValue): boolean {
  if (typeof value === 'boolean') return value;
  // Only the integer 0 excludes: the public API includes with `0.0`.
  if (value instanceof JsonNumber) return value.text !== '0' && value.text !== '-0';
  throw unsupported(`the value for "${name}" is ${showJson(value)}`);
}

function unsupported(problem: string): Error {
  return apiError('projection', 'UNSUPPORTED_PROJECTION_PARAM', { problem });
}

function unknownColumns(names: readonly string[], table: Table): Error {
  const unknown = names.filter((name) => !table.columnsByName.has(name));
  return apiError('projection', 'UNKNOWN_TABLE_COLUMNS', {
    table: table.name,
    allColumns: table.columns,
    unknownColumns: unknown,
  });
}
