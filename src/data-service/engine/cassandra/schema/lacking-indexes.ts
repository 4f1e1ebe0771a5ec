// Finds out which indexes may lack rows. All indexes of a table share one numbering of the rows of each file. Where
// Cassandra 5.0 writes a file, it counts static values that are gone, and rows that have not expired; where it builds
// another index over the file, it does not count the former, nor what has expired since. Behind them, that index finds
// other rows.
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { DefinitionRows, IndexRow } from './schema-rows.js';

/** A node that takes longer counts as silent. */
const askTimeoutMs = 2_000;

/**
 * The indexes that can lack rows: those of tables with static columns, or whose values expire, that were made behind
 * another index of the table. Values also expire in other tables, if clients say so when they write them: the cluster
 * does not show in which.
 */
export function laterIndexes({ tables, columns, indexes }: DefinitionRows): readonly IndexRow[] {
  if (indexes.length < 2) return [];
  const endangered = new Set([
    ...columns.filter(({ kind }) => kind === 'static').map(({ keyspace, table }) => `${keyspace}.${table}`),
    ...tables
      .filter(({ timeToLiveSeconds }) => timeToLiveSeconds > 0)
      .map(({ keyspace, name }) => `${keyspace}.${name}`),
  ]);
  if (endangered.size === 0) return [];
  return indexes.filter(
    ({ keyspace, table, name, madeMicros }) =>
      endangered.has(`${keyspace}.${table}`) &&
      indexes.some(
        (other) =>
          other.keyspace === keyspace &&
          other.table === table &&
          other.name !== name &&
          other.madeMicros <= madeMicros,
      ),
  );
}

/**
 * The indexes that a node may have built over a file: it has a file that is older than the index. A compaction
 * puts a newer file in its place, which has all rows. A node that does not say it counts as one with such files.
 * @throws CassandraFailure where no node is known
 */
export async function readLacking(
  session: Pick<CqlSession, 'nodes'>,
  indexes: readonly IndexRow[],
): Promise<ReadonlySet<IndexRow>> {
  if (indexes.length === 0) return new Set();
  const nodes = await session.nodes();
  const lacking = await Promise.all(nodes.map((node) => lackingOn(node, indexes)));
  return new Set(lacking.flat());
}

/** Asks for one keyspace after another, so that a load of the schema asks each node one question at a time. */
async function lackingOn(node: CqlNode, indexes: readonly IndexRow[]): Promise<readonly IndexRow[]> {
  const lacking: IndexRow[] = [];
  let isSilent = false;
  for (const keyspace of new Set(indexes.map((index) => index.keyspace))) {
    const own = indexes.filter((index) => index.keyspace === keyspace);
    const begun: BegunFiles | undefined = isSilent ? undefined : await filesBegun(node, keyspace);
    isSilent = begun === undefined;
    lacking.push(
      ...own.filter(
        ({ name, madeMicros }) => begun === undefined || (begun.get(name) ?? madeMicros) < madeMicros,
      ),
    );
  }
  return lacking;
}

/** When the oldest file of each index was begun, in microseconds since 1970, by the names of the indexes. */
type BegunFiles = ReadonlyMap<string, number>;

/** The files of the indexes of a keyspace; undefined from a node that does not say it. */
async function filesBegun(node: CqlNode, keyspace: string): Promise<BegunFiles | undefined> {
  try {
    const rows = await readAllRows(node, {
      cql: 'SELECT index_name, sstable_name FROM system_views.sai_sstable_indexes WHERE keyspace_name = ?',
      values: [Buffer.from(keyspace)],
      isIdempotent: true,
      consistency: 'LOCAL_ONE',
      timeoutMs: askTimeoutMs,
    });
    const begun = new Map<string, number>();
    for (const [index, file] of rows) {
      const name = String(index);
      begun.set(name, Math.min(begun.get(name) ?? Number.POSITIVE_INFINITY, writtenMicros(String(file))));
    }
    return begun;
  } catch (error) {
    if (error instanceof CassandraFailure) return undefined;
    throw error;
  }
}

/** Days, seconds and tenths of microseconds since the calendar of UUIDs began, and the rest of the UUID. */
const timedName = /-([0-9a-z]{4})_([0-9a-z]{4})_([0-9a-z]{5})[0-9a-z]{13}-[^/]*$/;
/** The time from the beginning of that calendar, in 1582, to 1970. */
const calendarSeconds = 12_219_292_800;

/** When a file was begun, in microseconds since 1970; 0 for a file whose name is a number and says no time. */
export function writtenMicros(file: string): number {
  const [, days, seconds, rest] = timedName.exec(file) ?? [];
  if (days === undefined || seconds === undefined || rest === undefined) return 0;
  const wholeSeconds = Number.parseInt(days, 36) * 86_400 + Number.parseInt(seconds, 36) - calendarSeconds;
  return wholeSeconds * 1_000_000 + Math.floor(Number.parseInt(rest, 36) / 10);
}
