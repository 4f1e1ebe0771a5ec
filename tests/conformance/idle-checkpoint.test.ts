// The rows of the embedded engine are in the data file itself once nobody writes any more.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseFailure } from '../../src/foundation/sqlite/database-failure.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createTable, insert } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

/** What the data file would hold without its log; 0 also for a copy that was taken while the log was moved. */
function rowsInFile(dataDirectory: string): number {
  const copy = join(newDataDirectory(), 'data.db');
  copyFileSync(join(dataDirectory, 'data.db'), copy);
  try {
    const database = openDatabase({ path: copy });
    try {
      return Number(database.statement('SELECT count(*) AS rows FROM t1').get()?.['rows']);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof DatabaseFailure) return 0;
    throw error;
  }
}

describe('the write-ahead log of a writer at rest', { timeout: 60_000 }, () => {
  it('is moved into the data file, again after later writes', async () => {
    const dataDirectory = newDataDirectory();
    const engine = await openEmbedded(dataDirectory);
    const table = await createTable(engine, { columns: { id: 'int' } });
    for (const round of [1, 2]) {
      const ids = Array.from({ length: 1_000 }, (_, at) => `{"id":${round * 10_000 + at}}`);
      await insert(engine, table, ...ids);
      while (rowsInFile(dataDirectory) < round * 1_000) await sleep(100);
    }
    await engine.close();
  });
});
