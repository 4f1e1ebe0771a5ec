// The thread that counts the pages of tables; see `table-sizes.ts`.
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { serveThread } from '../../../../foundation/threads/serve-thread.js';
import type { TableSizes, TableSizesJob } from './table-sizes.js';

/** Other work of the machine has priority. */
const niceness = 10;

/** Pages that are counted before the thread looks whether it must end: some milliseconds. */
const pagesPerLook = 1_000;

/**
 * One statement for each tree, because a long snapshot would delay checkpoints of the write-ahead log. Undefined if it
 * must end before.
 */
function countPages(database: Database, isEndRequested: () => boolean): TableSizes | undefined {
  const tables = database
    .statement(
      `SELECT 't' || id AS tree, keyspace || '.' || name AS name FROM tables
       UNION ALL SELECT 't' || entries_id, keyspace || '.' || name FROM tables WHERE entries_id IS NOT NULL`,
    )
    .all();
  const names = new Map(tables.map(({ tree, name }) => [String(tree), String(name)]));
  const trees = database
    .statement('SELECT name, tbl_name FROM sqlite_schema WHERE rootpage > 0')
    .all()
    .map(({ name, tbl_name }) => ({ tree: String(name), table: names.get(tableOf(String(tbl_name))) }));
  const sizes = new Map<string, number>();
  const pages = database.statement('SELECT pgsize FROM dbstat WHERE name = ?', { returnArrays: true });
  for (const { tree, table } of trees) {
    if (table === undefined) continue;
    let [bytes, count] = [0, 0];
    for (const [size] of pages.iterate([tree])) {
      if (count % pagesPerLook === 0 && isEndRequested()) return undefined;
      bytes += Number(size);
      count += 1;
    }
    sizes.set(table, (sizes.get(table) ?? 0) + bytes);
  }
  return sizes;
}

/**
 * The static values, `g7`, the entries of documents, `d7`, `e7` and `n7`, and the tables of an index on members,
 * `m7_2`, or on words, `p7_2`, `r7_2`, `s7_2` and `x7_2`, belong to `t7`.
 */
function tableOf(name: string): string {
  return name.replace(/^[degmnprsx](\d+)(_\d+)?$/, 't$1');
}

serveThread<TableSizesJob, never, TableSizes>(
  ({ path }, owner) => {
    const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 1_000 });
    try {
      const sizes = countPages(database, () => owner.isEndRequested());
      if (sizes !== undefined) owner.post(sizes);
    } finally {
      database.close();
    }
    return { receive: () => {}, close: () => {} };
  },
  { niceness },
);
