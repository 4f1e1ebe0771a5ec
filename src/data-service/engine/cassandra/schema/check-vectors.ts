// Looks through the vectors of a table before a change that some of them would make impossible.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import type { PrimaryKey } from '../../../query/key-filter.js';
import type { Column, IndexDefinition, Table } from '../../../schema/table.js';
import { whyUnsearchable } from '../../../schema/vector-limits.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';
import { mostShownKeys } from '../../refused-changes.js';
import { quotedColumn, quotedTable } from '../cql-names.js';
import { selected } from '../statements/select-statements.js';

/** An index of vectors that is to be made. */
export type VectorIndexDefinition = Extract<IndexDefinition, { kind: 'vector' }>;

/** The bytes of the vectors of a page, about: of those that nodes read, and of those that they send. */
const pageBytes = { read: 4 * 1024 * 1024, sent: 1024 * 1024 };
const mostPageRows = 1_000;
/** How much less a node may find for the square of a vector, because it adds up rounded numbers. */
const rounding = 0.99;

/**
 * The keys of some rows whose vector the index could not contain: one more than are shown, at most. Vectors are sent
 * only if one of the table is likely to be such a vector.
 * @throws CassandraFailure; EngineError `timeout`
 */
export async function unindexableKeys(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  { column, metric }: VectorIndexDefinition,
  limit: ReadTimeLimit,
): Promise<readonly PrimaryKey[]> {
  if (await areSurelyIndexable(session, table, column, limit)) return [];
  const keys: PrimaryKey[] = [];
  for await (const row of vectorRows(session, table, column, limit)) {
    const vector = row.at(-1) ?? null;
    if (vector === null) continue;
    const floats = column.type.cql.fromDriver(vector) as Float32Array; // values of a vector column are these
    if (whyUnsearchable(column, floats, metric) === undefined) continue;
    keys.push(table.keyColumns.map(({ type }, at) => type.cql.fromDriver(row[at])));
    if (keys.length > mostShownKeys) break;
  }
  return keys;
}

/** Whether any row has a vector in the column. @throws CassandraFailure; EngineError `timeout` */
export async function hasVectors(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  column: Column,
  limit: ReadTimeLimit,
): Promise<boolean> {
  for await (const row of vectorRows(session, table, column, limit)) {
    if ((row.at(-1) ?? null) !== null) return true;
  }
  return false;
}

/**
 * Whether the squares of all vectors show that none is zero and no element is too large. Nodes send each as a number,
 * (1 + square) / 2: a half for zero and for vectors near it.
 */
async function areSurelyIndexable(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  column: Column,
  limit: ReadTimeLimit,
): Promise<boolean> {
  const most = (rounding * (column.vectorLimits?.mostMagnitude ?? Number.POSITIVE_INFINITY) ** 2) / 2;
  const vector = quotedColumn(column);
  const square = `similarity_dot_product(${vector}, ${vector})`;
  for await (const [found] of rowsOf(session, table, square, pageRowsOf(column, pageBytes.read), limit)) {
    const isSure = found === null || (typeof found === 'number' && found > 0.5 && found < most);
    if (!isSure) return false;
  }
  return true;
}

/** The key of each row, then its vector. */
function vectorRows(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  column: Column,
  limit: ReadTimeLimit,
): AsyncIterable<readonly unknown[]> {
  const columns = [...table.keyColumns, column].map(selected).join(', ');
  return rowsOf(session, table, columns, pageRowsOf(column, pageBytes.sent), limit);
}

function pageRowsOf({ type }: Column, bytes: number): number {
  const vectorBytes = 4 * (type.vector?.dimension ?? 1);
  return Math.max(1, Math.min(mostPageRows, Math.floor(bytes / vectorBytes)));
}

async function* rowsOf(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  columns: string,
  pageRows: number,
  limit: ReadTimeLimit,
): AsyncIterable<readonly unknown[]> {
  const cql = `SELECT ${columns} FROM ${quotedTable(table)}`;
  const statement = { cql, values: [], isIdempotent: true, pageRows };
  for (let page: string | null | undefined; page !== null; ) {
    limit.check();
    const found = await session.run(statement, page);
    yield* found.rows;
    page = found.next;
  }
}
