// Write plans → INSERT, UPDATE, DELETE and TRUNCATE statements.
import type { CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { encodeMembers } from '../../../column-types/container-bytes.js';
import { matchesAll } from '../../../query/filter.js';
import { type ChangePlan, type ColumnChange, containerOf, type DeletePlan } from '../../../query/write.js';
import type { Assignments } from '../../../schema/parse-row.js';
import { clusteringProblem, partitionProblem } from '../../../schema/parse-row.js';
import type { Column, Table } from '../../../schema/table.js';
import { whyUnstorable } from '../../../schema/vector-limits.js';
import { quotedColumn, quotedTable } from '../cql-names.js';
import { type ColumnRange, onlyValue } from './column-range.js';
import { pushedFilter } from './pushed-filter.js';
import { addEquals, type Conditions, conditionsOf } from './select-statements.js';

/** What Cassandra allows a TRUNCATE by default. */
const truncateTimeoutMs = 60_000;

/** Stores one row: what it does not name stays, and null removes a value. */
export function insertStatement(table: Table, { columns, values }: Assignments): CqlStatement {
  const names = columns.map(quotedColumn).join(', ');
  const marks = columns.map(() => '?').join(', ');
  return {
    cql: `INSERT INTO ${quotedTable(table)} (${names}) VALUES (${marks})`,
    values: columns.map((column, at) => encoded(table, column, values[at] ?? null)),
    isIdempotent: columns.every((column, at) => canBeStoredTwice(column, values[at] ?? null)),
  };
}

function canBeStoredTwice({ type }: Column, value: unknown): boolean {
  return value === null || type.cql.cells !== 'unnamed';
}

/** Changes one row. Sent twice, an addition and a push would be carried out twice. */
export function changeStatement({ table, key, changes }: ChangePlan): CqlStatement {
  const isTakenAway = (change: ColumnChange) => change.kind === 'set' && change.column.type.add !== undefined;
  const gone = changes.filter(isTakenAway).map(({ column }) => column);
  const others = changes.filter((change) => !isTakenAway(change));
  const isIdempotent = others.every(
    (change) =>
      change.kind === 'pull' || (change.kind === 'set' && canBeStoredTwice(change.column, change.value)),
  );
  const where: Conditions = { texts: [], values: [] };
  // Static values are those of the partition: CQL refuses the name of a row if it changes no value of it.
  const isOfPartition = changes.every(({ column }) => column.type.static !== undefined);
  const named = isOfPartition ? table.partitionKey : table.keyColumns;
  addEquals(where, named, key.slice(0, named.length));
  const update = updateOf(table, others, where);
  if (gone.length === 0) return { ...update, isIdempotent };
  // A counter is not set, not even to null.
  const names = gone.map(quotedColumn).join(', ');
  const remove = {
    cql: `DELETE ${names} FROM ${quotedTable(table)}${whereText(where)}`,
    values: where.values,
  };
  if (others.length === 0) return { ...remove, isIdempotent };
  return {
    cql: `BEGIN COUNTER BATCH ${update.cql}; ${remove.cql}; APPLY BATCH`,
    values: [...update.values, ...remove.values],
    isIdempotent,
  };
}

/**
 * Deletes all rows, or one slice of a partition with each statement.
 * @throws TypeError for a filter that CQL cannot express: its part for CQL would delete more rows
 */
export function deleteStatements({ table, filter }: DeletePlan): readonly CqlStatement[] {
  if (matchesAll(filter)) {
    // It has no time: carried out late, it would remove rows that were stored after it was acknowledged.
    const cql = `TRUNCATE ${quotedTable(table)}`;
    return [{ cql, values: [], isIdempotent: false, timeoutMs: truncateTimeoutMs }];
  }
  const pushed = pushedFilter(filter);
  if (pushed === undefined) return [];
  if (!pushed.isWhole) throw new TypeError('rows to delete are named by operators that CQL has');
  return slicesOf(table.keyColumns, pushed.ranges)
    .filter((slice) => isStorable(table, slice))
    .map((slice) => {
      const where = conditionsOf(table, { ranges: slice });
      return {
        cql: `DELETE FROM ${quotedTable(table)}${whereText(where)}`,
        values: where.values,
        isIdempotent: true,
      };
    });
}

function updateOf(table: Table, changes: readonly ColumnChange[], where: Conditions) {
  const assigned = changes.map(({ kind, column }) => `${quotedColumn(column)} = ${newValue(kind, column)}`);
  return {
    cql: `UPDATE ${quotedTable(table)} SET ${assigned.join(', ')}${whereText(where)}`,
    values: [...changes.map((change) => operandOf(table, change)), ...where.values],
  };
}

function newValue(kind: ColumnChange['kind'], column: Column): string {
  switch (kind) {
    case 'set':
      return '?';
    case 'push':
    case 'add':
      return `${quotedColumn(column)} + ?`;
    case 'pull':
      return `${quotedColumn(column)} - ?`;
  }
}

function operandOf(table: Table, change: ColumnChange): Buffer | null {
  if (change.kind !== 'pull') return encoded(table, change.column, change.value);
  const { cql } = containerOf(change.column).namedBy;
  // Elements of lists are removed by their bytes.
  const encodings = (name: unknown) => [cql.encode(name), ...(cql.formerEncodings?.(name) ?? [])];
  return encodeMembers(change.names.flatMap(encodings).map((bytes) => [bytes]));
}

/** @throws TypeError for a vector that the column cannot have: a plan with one is a bug, and could damage a node */
function encoded(table: Table, column: Column, value: unknown): Buffer | null {
  if (value instanceof Float32Array) {
    const reason = whyUnstorable(table, column, value);
    if (reason !== undefined) throw new TypeError(`${column.name}: ${reason}`);
  }
  return value === null ? null : column.type.cql.encode(value);
}

function whereText({ texts }: Conditions): string {
  return ` WHERE ${texts.join(' AND ')}`;
}

/** The ranges with one value for each column that has several, in all combinations. */
function slicesOf(
  columns: readonly Column[],
  ranges: ReadonlyMap<Column, ColumnRange>,
): readonly ReadonlyMap<Column, ColumnRange>[] {
  let slices: readonly ReadonlyMap<Column, ColumnRange>[] = [new Map()];
  for (const column of columns) {
    const range = ranges.get(column);
    if (range === undefined) continue;
    const own = range.kind === 'values' ? range.values.map(onlyValue) : [range];
    slices = slices.flatMap((slice) => own.map((each) => new Map([...slice, [column, each]])));
  }
  return slices;
}

/** Whether Cassandra takes the values of the key, which no row has otherwise: it refuses deletes of others. */
function isStorable(table: Table, slice: ReadonlyMap<Column, ColumnRange>): boolean {
  const named = table.clustering.flatMap(({ column }) =>
    slice.get(column)?.kind === 'values' ? [column] : [],
  );
  const keyValue = (column: Column) => firstValue(slice.get(column));
  return partitionProblem(table, keyValue) === undefined && clusteringProblem(named, keyValue) === undefined;
}

function firstValue(range: ColumnRange | undefined): unknown {
  return range?.kind === 'values' ? range.values[0] : undefined;
}
