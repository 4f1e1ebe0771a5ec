// The data of a text index in the file: files of an earlier release, and what a repair finds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { randomSearch, randomText, SearchedTexts } from './searched-texts.js';

const small = { chunk: 120, sharedList: 12, texts: 50, segments: 3 };

/** Makes an indexed table of 160 rows, some of them changed. */
async function makeTexts(directory: string): Promise<SearchedTexts> {
  const random = seededRandom(5);
  const engine = await openEmbedded(directory, { dialect: 'extended', textSizes: small });
  const texts = await SearchedTexts.make(engine);
  await texts.createIndex();
  for (let from = 0; from < 160; from += 40)
    await texts.put(Array.from({ length: 40 }, (_, at) => [from + at, randomText(random)] as const));
  for (let id = 0; id < 160; id += 9) await texts.remove(id);
  for (let id = 1; id < 160; id += 9) await texts.put([[id, randomText(random)]]);
  await engine.close();
  return texts;
}

async function checkAll(texts: SearchedTexts, message: string): Promise<void> {
  const random = seededRandom(6);
  for (let count = 0; count < 10; count += 1) await texts.check(randomSearch(random), 100, message);
}

/** Changes the file while no engine uses it. */
function changeFile(directory: string, sql: string): void {
  const database = openDatabase({ path: join(directory, 'data.db') });
  database.exec(sql);
  database.close();
}

function nameOf(letter: string, { table }: SearchedTexts): string {
  return `${letter}${table.id}_${table.indexes[0]?.id}`;
}

describe('a text index of a file of an earlier release', () => {
  it('is built again beside other work', async () => {
    const directory = newDataDirectory();
    const texts = await makeTexts(directory);
    const [postings, statistics] = [nameOf('p', texts), nameOf('s', texts)];
    changeFile(
      directory,
      'ALTER TABLE tables DROP COLUMN first_id; ALTER TABLE tables DROP COLUMN entries_id; ' +
        `ALTER TABLE tables DROP COLUMN built; ALTER TABLE tables DROP COLUMN last; DROP TABLE ${postings}; ` +
        `DROP TABLE ${nameOf('r', texts)}; DROP TABLE ${nameOf('x', texts)}; ` +
        `DROP TABLE ${statistics}; CREATE TABLE ${postings} (token TEXT NOT NULL, row INTEGER NOT NULL, ` +
        'count INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY (token, row)) WITHOUT ROWID; ' +
        `CREATE TABLE ${statistics} AS SELECT 3 AS rows, 9 AS length, 0 AS built, 0 AS last; ` +
        'PRAGMA user_version = 9',
    );
    const engine = await openEmbedded(directory, { dialect: 'extended' });
    await texts.moveTo(engine);
    while (texts.table.indexes.some(({ isBuilding }) => isBuilding === true)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await texts.refresh();
    }
    await checkAll(texts, 'built again');
    await engine.close();
  });
});

describe('repair of a text index', () => {
  for (const [what, change] of [
    [
      'has no longer some of its postings',
      (texts) => `DELETE FROM ${nameOf('p', texts)} WHERE token >= x'77'`,
    ],
    [
      'has a text that no row has',
      (texts) => `INSERT INTO ${nameOf('r', texts)} VALUES (9999, x'31007700', NULL)`,
    ],
    ['has wrong statistics', (texts) => `UPDATE ${nameOf('x', texts)} SET length = length + 1`],
    ['has postings that are not readable', (texts) => `UPDATE ${nameOf('p', texts)} SET postings = x'05ff'`],
  ] as const satisfies readonly (readonly [string, (texts: SearchedTexts) => string])[]) {
    it(`builds one again that ${what}`, async () => {
      const directory = newDataDirectory();
      const texts = await makeTexts(directory);
      changeFile(directory, change(texts));
      const engine = await openEmbedded(directory, { dialect: 'extended' });
      await texts.moveTo(engine);
      const [index] = texts.table.indexes;
      const task = { action: 'repair', keyspace: texts.table.keyspace, tables: [texts.table.name] } as const;
      const repair = () => engine.maintain?.(task, new AbortController().signal);
      const checked = `1 tables with ${texts.ids.size} rows checked`;
      const rebuilt = `rebuilt: the text index ${index?.name} of ${texts.table.keyspace}.${texts.table.name}`;
      assert.deepEqual(await repair(), { state: 'success', detail: `${checked}; ${rebuilt}` });
      assert.deepEqual(await repair(), { state: 'success', detail: checked });
      await texts.refresh();
      await checkAll(texts, what);
      await engine.close();
    });
  }
});
