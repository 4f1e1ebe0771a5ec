// Converts statements about rows to the plans that commands also make.
import { firstRepeated } from '../../foundation/first-repeated.js';
import { labelOf, ValueMismatch } from '../column-types/column-type.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { listed, listedColumns } from '../errors/error-entry.js';
import type { Comparison } from '../query/filter.js';
import { filterOperators } from '../query/filter-operators.js';
import { sliceProblem, wholeKeyOf } from '../query/key-filter.js';
import type { ReadPlan } from '../query/read.js';
import type { ChangePlan, ColumnChange, DeletePlan, InsertPlan } from '../query/write.js';
import { keyProblem, parseValue } from '../schema/parse-row.js';
import { type Column, isCounterTable, type Table } from '../schema/table.js';
import type { Assignment, Relation, Statement } from './statement.js';
import { jsonOf, type Term } from './term.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** The maximum number of rows of a SELECT, which are in one reply. */
export const maxSelectedRows = 1_000;
/** The maximum size of these rows in bytes. */
const maxSelectedBytes = 16 * 1024 * 1024;

/** @throws NativeQueryRefused */
export function planInsert({ columns: names, terms }: Of<'insert'>, table: Table): InsertPlan {
  if (isCounterTable(table))
    throw new NativeQueryRefused('INSERT cannot be used on a table with counters; use UPDATE');
  const columns = namedColumns(names, table);
  const values = columns.map((column, at) => literalValue(terms[at], column));
  const keyValue = (column: Column) => values[columns.indexOf(column)] ?? null;
  const missing = table.keyColumns.filter((column) => keyValue(column) === null);
  if (missing.length > 0)
    throw new NativeQueryRefused(
      `the row has no value for columns of the primary key: ${listedColumns(missing)}`,
    );
  refuseBadKey(table, keyValue);
  return { table, rows: [{ columns, values }] };
}

/** @throws NativeQueryRefused */
export function planUpdate({ assignments, where }: Of<'update'>, table: Table): ChangePlan {
  const columns = namedColumns(
    assignments.map(({ column }) => column),
    table,
  );
  refuseKeyColumns(columns, table);
  const changes = columns.flatMap((column, at) => {
    const assignment = assignments[at];
    return assignment === undefined ? [] : [changeOf(column, assignment)]; // always defined
  });
  return { table, key: keyOfOneRow(where, table), changes };
}

/** Deletes columns of one row, or whole rows. @throws NativeQueryRefused */
export function planDelete({ columns: names, where }: Of<'delete'>, table: Table): ChangePlan | DeletePlan {
  if (names.length === 0) return { table, filter: { kind: 'and', filters: slice(where, table) } };
  const columns = namedColumns(names, table);
  refuseKeyColumns(columns, table);
  const changes = columns.map((column) => ({ kind: 'set' as const, column, value: null }));
  return { table, key: keyOfOneRow(where, table), changes };
}

/** @throws NativeQueryRefused */
export function planSelect({ columns: names, where, limit }: Of<'select'>, table: Table): ReadPlan {
  if (limit !== undefined && limit > maxSelectedRows)
    throw new NativeQueryRefused(`LIMIT is at most ${maxSelectedRows}`);
  return {
    table,
    columns: names === undefined ? table.columns : namedColumns(names, table),
    filter: { kind: 'and', filters: slice(where, table) },
    order: table.keyOrder,
    page: { after: null, limit: limit ?? maxSelectedRows, kind: 'paged', maxBytes: maxSelectedBytes },
    form: 'values',
    search: null,
  };
}

/** Columns that exist, each named once. */
function namedColumns(names: readonly string[], table: Table): readonly Column[] {
  const unknown = names.filter((name) => !table.columnsByName.has(name));
  if (unknown.length > 0) {
    throw new NativeQueryRefused(
      `unknown columns: ${listed(unknown)}; the table has ${listedColumns(table.columns)}`,
    );
  }
  const twice = firstRepeated(names);
  if (twice !== undefined) throw new NativeQueryRefused(`the column ${twice} is named twice`);
  return names.flatMap((name) => table.columnsByName.get(name) ?? []);
}

function refuseKeyColumns(columns: readonly Column[], table: Table): void {
  const ofKey = columns.filter((column) => table.keyColumns.includes(column));
  if (ofKey.length > 0)
    throw new NativeQueryRefused(`columns of the primary key cannot change: ${listedColumns(ofKey)}`);
}

function changeOf(column: Column, { kind, term }: Assignment): ColumnChange {
  const counts = column.type.add !== undefined;
  if (kind === 'set') {
    if (counts)
      throw new NativeQueryRefused(
        `a counter can only be incremented or decremented: SET ${column.name} = ${column.name} + 1`,
      );
    return { kind, column, value: literalValue(term, column) };
  }
  if (!counts) {
    throw new NativeQueryRefused(
      `only a counter can be incremented or decremented, and ${listedColumns([column])} is not a counter; use updateOne for lists, sets and maps`,
    );
  }
  const value = literalValue(term, column);
  // The least 64-bit integer has no positive counterpart and stays the same, because counters wrap around.
  if (typeof value !== 'bigint') throw new NativeQueryRefused(`${column.name}: null cannot be added`);
  return { kind: 'add', column, value: kind === 'add' ? value : BigInt.asIntN(64, -value) };
}

const vectorsByCommands = 'use insertOne, insertMany or updateOne to write vectors';

function literalValue(term: Term | undefined, column: Column): unknown {
  if (term === undefined) throw new TypeError(`no value for ${column.name}`); // the reader checked their number
  const read = parseValue(column, jsonOf(term, column.type));
  // Commands also check vectors against the indexes of their column.
  if ('value' in read && (read.value === null || column.type.vector === undefined)) return read.value;
  const reason = 'reason' in read ? read.reason : vectorsByCommands;
  throw new NativeQueryRefused(`${described(column)}: ${reason}`);
}

function keyOfOneRow(where: readonly Relation[], table: Table): ChangePlan['key'] {
  const key = wholeKeyOf(comparisonsOf(where, table), table);
  if (key === undefined) {
    throw new NativeQueryRefused(
      `WHERE must name every column of the primary key once, with "=": ${listedColumns(table.keyColumns)}`,
    );
  }
  refuseBadKey(table, (column) => key[table.keyColumns.indexOf(column)]);
  return key;
}

/** The comparisons for partitions or slices of them. */
function slice(where: readonly Relation[], table: Table): readonly Comparison[] {
  const comparisons = comparisonsOf(where, table);
  const problem = sliceProblem(comparisons, table, '"=" or IN');
  if (problem !== undefined)
    throw new NativeQueryRefused(`WHERE does not select rows by their key: ${problem}`);
  return comparisons;
}

function comparisonsOf(where: readonly Relation[], table: Table): readonly Comparison[] {
  return where.map(({ column: name, operator, terms }) => {
    const column = table.columnsByName.get(name);
    if (column === undefined || !table.keyColumns.includes(column)) {
      const key = listedColumns(table.keyColumns);
      throw new NativeQueryRefused(`WHERE can use columns of the primary key only (${key}), not ${name}`);
    }
    const operands = terms.map((term) => operandOf(term, column));
    const isOne = operator === '$in' && operands.length === 1;
    return { kind: 'comparison', column, operator: filterOperators[isOne ? '$eq' : operator], operands };
  });
}

function operandOf(term: Term, column: Column): unknown {
  const json = jsonOf(term, column.type);
  if (json === null) throw new NativeQueryRefused(`${column.name} cannot be compared with null`);
  try {
    return column.type.parse(json);
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    throw new NativeQueryRefused(`${described(column)}: ${error.message}`);
  }
}

function refuseBadKey(table: Table, keyValue: (column: Column) => unknown): void {
  const problem = keyProblem(table, keyValue);
  if (problem !== undefined) throw new NativeQueryRefused(`the column ${problem.name}: ${problem.reason}`);
}

function described({ name, type }: Column): string {
  return `the column ${name} (${labelOf(type)})`;
}
