// Looks through the vectors of a table before a change that some of them would make impossible.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import type { PrimaryKey } from '../../../query/key-filter.js';
import type { Column, IndexDefinition, Table } from '../../../schema/table.js';
import { whyUnsearchable } from '../../../schema/vector-limits.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';
import { mostShownKeys } from '../../refused-changes.js';
import { quotedTable } from '../cql-names.js';
import { selected } from '../statements/select-statements.js';

/** An index of vectors that is to be made. */
export type VectorIndexDefinition = Extract<IndexDefinition, { kind: 'vector' }>;

/** The bytes of the vectors of a page, about. */
const pageBytes = 1024 * 1024;
const mostPageRows = 1_000;

/**
 * The keys of some rows whose vector the index could not contain: one more than are shown, at most.
 * @throws CassandraFailure; EngineError `timeout`
 */
export async function unindexableKeys(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  { column, metric }: VectorIndexDefinition,
  limit: ReadTimeLimit,
): Promise<readonly PrimaryKey[]> {
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

/** The key of each row, then its vector. */
async function* vectorRows(
  session: Pick<CqlSession, 'run'>,
  table: Table,
  column: Column,
  limit: ReadTimeLimit,
): AsyncIterable<readonly unknown[]> {
  const columns = [...table.keyColumns, column].map(selected).join(', ');
  const vectorBytes = 4 * (column.type.vector?.dimension ?? 1);
  const statement = {
    cql: `SELECT ${columns} FROM ${quotedTable(table)}`,
    values: [],
    isIdempotent: true,
    pageRows: Math.max(1, Math.min(mostPageRows, Math.floor(pageBytes / vectorBytes))),
  };
  for (let page: string | null | undefined; page !== null; ) {
    limit.check();
    const found = await session.run(statement, page);
    yield* found.rows;
    page = found.next;
  }
}
