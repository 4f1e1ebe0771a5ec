// `colonnade check` on a table of which two pages are at each other's place.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { problemsIn } from './damage-rounds.js';
import { DataClient } from './data-client.js';

const rowCount = 3_000;

async function makeRows(dataDir: string): Promise<void> {
  await withServer({ dataDir }, async ({ url }) => {
    const client = new DataClient(url);
    const columns = { id: 'int', text: 'text' };
    const createTable = { name: 'rows', definition: { columns, primaryKey: 'id' } };
    await client.mustSend('/default_keyspace', { createTable });
    for (let first = 0; first < rowCount; first += 100) {
      const documents = Array.from({ length: 100 }, (_, at) => ({ id: first + at, text: 'x'.repeat(100) }));
      await client.mustSend('/default_keyspace/rows', { insertMany: { documents } });
    }
    client.close();
  });
}

/** Exchanges the first and the last page with rows of the only table. */
function exchangeEnds(path: string): void {
  const database = openDatabase({ path });
  const sql =
    "SELECT pageno FROM dbstat WHERE pagetype = 'leaf' AND ncell > 0 AND name = " +
    "(SELECT 't' || id FROM tables WHERE name = 'rows') ORDER BY path";
  const pages = database
    .statement(sql)
    .all()
    .map(({ pageno }) => Number(pageno));
  const pageBytes = Number(database.statement('PRAGMA page_size').get()?.['page_size']);
  database.close();
  assert.ok(pages.length > 50);
  const bytes = readFileSync(path);
  const place = (page = 0) => [(page - 1) * pageBytes, page * pageBytes] as const;
  const [first, last] = [place(pages[0]), place(pages.at(-1))];
  const kept = Buffer.from(bytes.subarray(...first));
  bytes.copyWithin(first[0], ...last);
  kept.copy(bytes, last[0]);
  writeFileSync(path, bytes);
}

describe('a table of which two pages are exchanged', () => {
  it('is checked to the end, and its rows are reported', async () => {
    const dataDir = makeTemporaryDirectory();
    await makeRows(dataDir);
    exchangeEnds(join(dataDir, 'data.db'));
    const problems = await problemsIn(dataDir, AbortSignal.timeout(60_000));
    assert.match(problems.join('\n'), /the rows behind row \d+ are not in the order of their numbers/);
  });
});
