// Sorts: parses the clause, and determines whether the engine's order satisfies it (wire: Sort on tables).

import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { type ColumnType, isReadable, labelOf } from '../column-types/column-type.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { type Column, type Table, textIndexOn } from '../schema/table.js';
import { type Filter, fixesPartition } from './filter.js';
import { pageRows } from './read.js';
import type { RowOrder } from './row-order.js';
import { refuseVectorSort } from './vector-sort.js';

/**
 * Columns with directions, the most significant first; empty for no sort. Unlike in a `RowOrder`, rows may be equal.
 */
export type Sort = RowOrder;

/** How a sort is done. */
export type SortPath =
  /** The engine returns rows in this order; null for any order. */
  | { readonly kind: 'engine'; readonly order: RowOrder | null }
  /** All rows are read and sorted; the warning gives the reason. */
  | { readonly kind: 'memory'; readonly sort: Sort; readonly warning: ApiError };

/**
 * Parses a sort clause; absent and empty ones mean no sort.
 * @throws ApiError scope SORT
 */
export function parseSort(json: JsonObject | undefined, table: Table): Sort {
  const members = [...(json ?? [])];
  const unknown = members.filter(([name]) => !table.columnsByName.has(name));
  if (unknown.length > 0) {
    const unknownColumns = unknown.map(([name]) => name);
    throw apiError('sort', 'CANNOT_SORT_UNKNOWN_COLUMNS', {
      table: table.name,
      allColumns: table.columns,
      unknownColumns,
    });
  }
  const regular = members.filter(([, value]) => !isSpecial(value));
  if (regular.length < members.length && members.length > 1) {
    const namesOf = (some: typeof members) => some.map(([name]) => name);
    throw apiError('sort', 'CANNOT_SORT_ON_SPECIAL_WITH_OTHERS', {
      byVector: namesOf(members.filter(([, value]) => isVector(value))),
      byText: namesOf(members.filter(([, value]) => typeof value === 'string')),
      regular: namesOf(regular),
    });
  }
  return members.flatMap(([name, value]) => {
    const column = table.columnsByName.get(name);
    return column === undefined ? [] : [{ column, direction: parseDirection(column, value, table) }]; // checked above
  });
}

const unsorted: SortPath = { kind: 'engine', order: null };

/** Chooses how to sort: by the clustering order or its reverse inside one partition, otherwise in memory. */
export function chooseSortPath(sort: Sort, filter: Filter, table: Table, skip: number | undefined): SortPath {
  if (sort.length === 0) return unsorted;
  const inMemory = (warning: ApiError): SortPath => ({ kind: 'memory', sort, warning });
  const columns = sort.map(({ column }) => column);
  const clustering = table.clustering.map(({ column }) => column);
  const details = { columns, clustering, most: pageRows };
  if (skip !== undefined) return inMemory(apiError('warning', 'IN_MEMORY_SORTING_DUE_SKIP_OPTIONS', details));
  if (!columns.every((column) => clustering.includes(column))) {
    return inMemory(apiError('warning', 'IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING', details));
  }
  const factor = commonFactor(sort, table);
  if (factor === undefined) {
    return inMemory(apiError('warning', 'IN_MEMORY_SORTING_DUE_TO_OUT_OF_ORDER_PARTITION_SORTING', details));
  }
  if (!fixesPartition(filter, table)) {
    const partitionKey = table.partitionKey;
    return inMemory(
      apiError('warning', 'IN_MEMORY_SORTING_DUE_TO_PARTITION_KEY_NOT_RESTRICTED', {
        ...details,
        partitionKey,
      }),
    );
  }
  if (factor === 1) return { kind: 'engine', order: table.keyOrder };
  const reversed = table.keyOrder.map(({ column, direction }) => {
    return { column, direction: direction === 1 ? (-1 as const) : (1 as const) };
  });
  return { kind: 'engine', order: reversed };
}

/** Compares values of a column for a sort: a missing value comes before all others. */
export function compareForSort({ type }: Column, left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return type.compare(left, right);
}

/** 1 for the clustering order from its first column on, -1 for its reverse, undefined for any other. */
function commonFactor(sort: Sort, { clustering }: Table): number | undefined {
  const factors = sort.map(({ column, direction }, at) => {
    const own = clustering[at];
    return own?.column === column ? direction * own.direction : undefined;
  });
  const [first] = factors;
  return factors.every((factor) => factor === first) ? first : undefined;
}

/** A vector or a text requests another kind of search than a direction. */
function isSpecial(value: JsonValue): boolean {
  return typeof value === 'string' || isVector(value);
}

function isVector(value: JsonValue): boolean {
  return isJsonArray(value) || (isJsonObject(value) && value.has('$binary'));
}

/** Values with members have an order only for sets and tests of equality. */
function isSortable(type: ColumnType): boolean {
  const { container, frozen, userType } = type.static ?? type;
  return container === undefined && frozen === undefined && userType === undefined && isReadable(type);
}

function parseDirection(column: Column, value: JsonValue, table: Table): 1 | -1 {
  if (column.type.vector !== undefined) throw refuseVectorSort(column, value);
  if (value instanceof JsonNumber && (value.text === '1' || value.text === '-1')) {
    if (isSortable(column.type)) return value.text === '1' ? 1 : -1;
    const problem = `is not possible: values of the type ${labelOf(column.type)} cannot be sorted`;
    throw apiError('sort', 'INVALID_REGULAR_SORT_EXPRESSION', { column, problem });
  }
  if (typeof value === 'string') {
    if (column.type.traits.text) {
      const indexed = table.columns.filter((each) => textIndexOn(table, each) !== undefined);
      throw apiError('sort', 'CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS', { column, indexed });
    }
    throw apiError('sort', 'CANNOT_VECTORIZE_SORT_NON_VECTOR_COLUMN', { column });
  }
  if (isVector(value)) throw apiError('sort', 'CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS', { column });
  const problem = `must be 1 (ascending) or -1 (descending), but is ${showJson(value)}`;
  throw apiError('sort', 'INVALID_REGULAR_SORT_EXPRESSION', { column, problem });
}
