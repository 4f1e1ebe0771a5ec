// The vector indexes of a server that follows another one: they follow the changes that the other server makes in the
// data file, also when it has trimmed its log of them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { dataFile } from '../../src/data-service/engine/embedded/file/open-for-reading.js';
import { sqlColumn, sqlTable, sqlVectorLog } from '../../src/data-service/engine/embedded/file/sql-names.js';
import { openFollowingEngine } from '../../src/data-service/engine/embedded/following-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { openForSearches } from './measured-searches.js';
import { SearchedTable } from './searched-table.js';

const dimension = 8;

describe('a vector index of a server that follows another one', () => {
  const seed = newSeed();
  const random = seededRandom(seed);
  const vector = () => Float32Array.from({ length: dimension }, () => random.below(2_000) / 1_000 - 1);
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at): [number, Float32Array] => [from + at, vector()]);

  it('finds what the other server has written, changed and deleted', async () => {
    await withBoth(async ({ writer, follower, answeredBy }) => {
      const table = await SearchedTable.make(writer, dimension, 'cosine');
      await table.put(rows(0, 400));
      await table.createIndex();
      await (await table.on(follower)).indexIsLoaded(answeredBy);
      await table.put(rows(300, 500));
      for (let id = 0; id < 20; id += 1) await table.remove(id);
      await table.clear(20);
      const followed = await table.on(follower);
      for (let count = 0; count < 20; count += 1) {
        assert.ok((await followed.recall(vector(), 10)) >= 0.9, `seed ${seed}`);
        assert.equal(answeredBy(), 'index');
      }
      await table.dropIndex();
      assert.equal(await (await table.on(follower)).recall(vector(), 10), 1);
      assert.equal(answeredBy(), 'rows');
    });
  });

  it('is built again when the log has lost entries', async () => {
    await withBoth(async ({ writer, follower, directory, answeredBy }) => {
      const table = await SearchedTable.make(writer, dimension, 'euclidean');
      await table.put(rows(0, 400));
      await table.createIndex();
      await (await table.on(follower)).indexIsLoaded(answeredBy);
      await table.put(rows(400, 401));
      exchangeUnnoticed(directory, table);
      const [first, second] = [table.rows.get(1), table.rows.get(2)];
      assert.ok(first !== undefined && second !== undefined);
      table.rows.set(1, second).set(2, first);
      const followed = await table.on(follower);
      do {
        assert.equal(await followed.recall(first, 1), 1, `seed ${seed}`);
        assert.equal(await followed.recall(second, 1), 1, `seed ${seed}`);
      } while (answeredBy() !== 'index');
    });
  });
});

/** Exchanges the vectors of the rows 1 and 2 in one commit, behind which the log begins with a later entry. */
function exchangeUnnoticed(directory: string, { table }: SearchedTable): void {
  const [index] = table.indexes;
  assert.ok(index?.kind === 'vector');
  const [log, name, column] = [sqlVectorLog(table, index), sqlTable(table), sqlColumn(index.column)];
  const database = openDatabase({ path: dataFile(directory), busyTimeoutMs: 10_000 });
  try {
    const ids = table.keyColumns.map((key) => sqlColumn(key));
    database.transaction(() => {
      const vectors = [2, 1].map((id) =>
        database.statement(`SELECT ${column} AS v FROM ${name} WHERE ${ids[0]} = ?`).get([id]),
      );
      for (const [at, row] of vectors.entries())
        database
          .statement(`UPDATE ${name} SET ${column} = ? WHERE ${ids[0]} = ?`)
          .run([row?.['v'] ?? null, at + 1]);
      database.exec(`DELETE FROM ${log} WHERE sequence < (SELECT max(sequence) FROM ${log})`);
      database.exec(`UPDATE ${log} SET sequence = sequence + 1, row_id = 400`);
    });
  } finally {
    database.close();
  }
}

interface Both {
  readonly writer: Engine;
  readonly follower: Engine;
  readonly directory: string;
  /** What answered the last search of the follower. */
  readonly answeredBy: () => string;
}

/** Both engines have the same data file: what a follower's pages come from makes no difference to its reads. */
async function withBoth(use: (both: Both) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-followed-'));
  const writer = await openForSearches(directory);
  try {
    let by = '';
    const follower = await openFollowingEngine({
      dataDirectory: directory,
      clock: systemClock,
      readTimeoutMs: 60_000,
      mostBytesOfRead: 256 * 1024,
      onWarning: (error) => assert.fail(error),
      onVectorSearch: (way) => {
        by = way;
      },
      whyReadOnly: () => 'this server follows another one',
    });
    try {
      await use({ writer, follower, directory, answeredBy: () => by });
    } finally {
      await follower.close();
    }
  } finally {
    await writer.close();
    rmSync(directory, { recursive: true });
  }
}
