// `colonnade check`, `backup` and `restore` on directories with damage of every kind. Random damage: damage.long.test.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { loadSchema } from '../../src/data-service/engine/embedded/file/schema-store.js';
import {
  sqlPartitions,
  sqlSlot,
  sqlStatic,
  sqlTable,
} from '../../src/data-service/engine/embedded/file/sql-names.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { ask } from '../upgrades/fixture-server.js';
import { changeBySql } from './damage-kinds.js';
import { backUp, problemsIn, restore } from './damage-rounds.js';

const args = ['--dialect', 'extended'];
const command = (path: string, body: object) => ({
  ...{
    port: 'data' as const,
    method: 'POST' as const,
    path: `/v1/default_keyspace${path}`,
    body: JSON.stringify(body),
  },
});

/** A directory with tables `rows` and `shared`, which has a static column, and collections `docs` and `plain`. */
async function makeDirectory(): Promise<string> {
  const dataDir = makeTemporaryDirectory();
  const columns = {
    id: 'int',
    text: 'text',
    vector: { type: 'vector', dimension: 2 },
    parts: { type: 'set', valueType: 'text' },
  };
  const collection = { vector: { dimension: 2 }, lexical: { enabled: true }, indexing: { deny: ['secret'] } };
  await withServer({ dataDir, args }, async (server) => {
    const steps = [
      command('', { createTable: { name: 'rows', definition: { columns, primaryKey: 'id' } } }),
      command('/rows', { createIndex: { name: 'by_parts', definition: { column: 'parts' } } }),
      command('/rows', {
        insertOne: { document: { id: 1, text: 'one', vector: [1, 0.5], parts: ['a', 'b'] } },
      }),
      command('', { createCollection: { name: 'docs', options: collection } }),
      command('/docs', {
        insertOne: {
          document: {
            _id: 1,
            name: 'Ada',
            secret: 'plain',
            $vector: [0.25, 1],
            $lexical: 'a moth in a relay',
          },
        },
      }),
      // Updates of a collection without vectors keep their vectors in the document only.
      command('', { createCollection: { name: 'plain' } }),
      ...[[], [1, 2], { $binary: 'PwAAAA==' }].map(($vector, id) =>
        command('/plain', {
          updateOne: { filter: { _id: id }, update: { $set: { $vector } }, options: { upsert: true } },
        }),
      ),
      {
        ...command('', {}),
        port: 'ops' as const,
        path: '/local/cql',
        body: JSON.stringify({ query: sharedTable }),
      },
      command('/shared', { insertOne: { document: { a: 1, b: 2, s: 'value' } } }),
      {
        ...command('', {}),
        port: 'ops' as const,
        method: 'PUT' as const,
        path: '/local/embedding-keys/mine',
        body: '{"providerKey":"x"}',
      },
    ];
    for (const step of steps) await ask(server, step);
  });
  return dataDir;
}

const sharedTable = 'CREATE TABLE default_keyspace.shared (a int, b int, s text static, PRIMARY KEY (a, b))';

/** The names in the file of a table and its columns. */
function namesOf(database: Database, name: string) {
  const table = loadSchema(database, 'extended').keyspaces.get('default_keyspace')?.tables.get(name);
  assert.ok(table);
  return {
    table,
    rows: sqlTable(table),
    at: (column: string) => {
      const found = table.columnsByName.get(column);
      assert.ok(found, column);
      return sqlSlot(found);
    },
  };
}

type Names = ReturnType<typeof namesOf>;

describe('damage', () => {
  let original = '';
  before(async () => {
    original = await makeDirectory();
  });

  function copyOf(source = original): string {
    const copy = join(makeTemporaryDirectory(), 'copy');
    cpSync(source, copy, { recursive: true });
    return copy;
  }

  /** The problems after a change by SQL without triggers; without checksums, so that only contents are compared. */
  async function problemsAfter(
    name: string,
    sql: (names: Names) => string,
    hasSums = false,
  ): Promise<string> {
    const copy = copyOf();
    if (!hasSums) rmSync(join(copy, 'data.db-sums'));
    changeBySql(join(copy, 'data.db'), (database) => {
      database.exec(sql(namesOf(database, name)));
      return '';
    });
    return (await problemsIn(copy)).join('\n');
  }

  it('is not found in a restored directory after its first start, nor in a backup of it', async () => {
    const [backup, next] = [1, 2].map(() => join(makeTemporaryDirectory(), 'backup'));
    assert.ok(backup !== undefined && next !== undefined);
    assert.deepEqual(await backUp(original, backup), []);
    const restored = join(makeTemporaryDirectory(), 'restored');
    await restore(backup, restored);
    assert.deepEqual(await backUp(restored, join(makeTemporaryDirectory(), 'backup')), [], 'not started');
    await withServer({ dataDir: restored, args }, async () => {});
    assert.deepEqual(await problemsIn(restored), [], 'started');
    await withServer({ dataDir: restored, args }, async (server) => {
      await ask(server, command('/rows', { insertOne: { document: { id: 2, text: 'two' } } }));
      await ask(server, command('/rows', { alterTable: { operation: { drop: { columns: ['text'] } } } }));
    });
    assert.deepEqual(await problemsIn(restored), [], 'after a column was dropped');
    assert.deepEqual(await backUp(restored, next), []);
    assert.deepEqual(await problemsIn(next), [], 'a backup of it');
  });

  it('is not found where there is none', async () => {
    assert.deepEqual(await problemsIn(copyOf()), []);
    assert.equal(await problemsAfter('rows', () => 'SELECT 1'), '');
  });

  for (const [what, name, change, problem] of [
    [
      'an _id in the text of a document that is not that of its key',
      'docs',
      ({ rows, at }: Names) =>
        `UPDATE ${rows} SET ${at('document')} = replace(${at('document')}, '"_id":1', '"_id":2')`,
      /default_keyspace\.docs: the document in row 1 is damaged: its _id is not that of its key/,
    ],
    [
      'a $lexical without its text',
      'docs',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('$lexical')} = NULL`,
      /row 1 is damaged: its \$lexical is damaged/,
    ],
    [
      'a $vector that is not that of the search',
      'docs',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('$vector')} = x'0000803f0000803f'`,
      /row 1 is damaged: its \$vector is damaged/,
    ],
    [
      'reserved members that are not JSON',
      'docs',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('reserved')} = '{"$vector":['`,
      /row 1 is damaged: its reserved members are damaged/,
    ],
    [
      'a vector of another dimension',
      'rows',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('vector')} = x'0000803f'`,
      /default_keyspace\.rows: row 1 with the key \(1\): vector holds no vector<float,2>/,
    ],
    [
      'a vector with an element that is not finite',
      'rows',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('vector')} = x'0000803f0000c07f'`,
      /vector holds no vector<float,2>/,
    ],
    [
      'members that are not in their index',
      'rows',
      ({ rows, at }: Names) => `UPDATE ${rows} SET ${at('parts')} = '["a"]'`,
      /the index by_parts differs from the rows/,
    ],
    [
      'a static value of another type',
      'shared',
      ({ table }: Names) => {
        const column = table.columnsByName.get('s');
        assert.ok(column);
        return `UPDATE ${sqlPartitions(table)} SET ${sqlStatic(column)} = x'01'`;
      },
      /default_keyspace\.shared: the static values of the partition \(1\): s is stored as another type/,
    ],
  ] as const) {
    it(`is found in contents: ${what}`, async () => {
      assert.match(await problemsAfter(name, change), problem);
    });
  }

  it('is found in values without a second copy, by checksums', async () => {
    const denied = ({ rows, at }: Names) =>
      `UPDATE ${rows} SET ${at('document')} = replace(${at('document')}, 'plain', 'other')`;
    assert.equal(await problemsAfter('docs', denied), '', 'there is a second copy');
    const differs = /data\.db is not as the server wrote it: .*page \d+ .*differ/;
    assert.match(await problemsAfter('docs', denied, true), differs);
    assert.match(
      await problemsAfter('rows', ({ rows, at }) => `UPDATE ${rows} SET ${at('text')} = 'two'`, true),
      differs,
    );
  });

  it('includes objects of other programs, which check and the start report and restore refuses', async () => {
    const copy = copyOf();
    const backup = join(makeTemporaryDirectory(), 'backup');
    const trigger = ({ rows }: Names) =>
      `CREATE TRIGGER tidy AFTER INSERT ON ${rows} BEGIN DELETE FROM ${rows}; END`;
    changeBySql(join(copy, 'data.db'), (database) => {
      database.exec(
        `${trigger(namesOf(database, 'rows'))}; CREATE TABLE extra (x); CREATE VIEW seen AS SELECT 1`,
      );
      return '';
    });
    const problems = (await problemsIn(copy)).join('\n');
    const named =
      /the trigger "tidy" on default_keyspace\.rows is not part of the schema: .+ \(DROP TRIGGER "tidy"\)/;
    assert.match(problems, named);
    assert.match(problems, /the table "extra" is not part of the schema/);
    assert.match(problems, /the view "seen" is not part of the schema/);
    await withServer({ dataDir: copy, args }, async (server) => {
      assert.match(server.stderr().replaceAll('\\"', '"'), named);
    });
    await backUp(copy, backup);
    const target = join(makeTemporaryDirectory(), 'restored');
    await assert.rejects(
      restore(backup, target),
      /data\.db: the trigger "tidy" on default_keyspace\.rows is not part of the schema/,
    );
    assert.ok(!existsSync(join(target, 'data.db')));
  });

  it('includes objects of the schema that are missing', async () => {
    const copy = copyOf();
    changeBySql(join(copy, 'ops', 'ops.db'), (database) => {
      database.exec('CREATE TABLE extra (x)');
      return '';
    });
    assert.match((await problemsIn(copy)).join('\n'), /ops\.db: the table "extra" is not part of the schema/);
    const other = copyOf();
    const trigger = changeBySql(join(other, 'data.db'), (database) => {
      const [index] = namesOf(database, 'rows').table.indexes;
      return `m${namesOf(database, 'rows').table.id}_${index?.id}_insert`;
    });
    const database = openDatabase({ path: join(other, 'data.db') });
    database.exec(`DROP TRIGGER ${trigger}`);
    database.close();
    assert.match(
      (await problemsIn(other)).join('\n'),
      new RegExp(`the trigger ${trigger} on default_keyspace\\.rows is missing`),
    );
  });

  /** A backup with a change that its description knows. */
  async function changedBackup(change: (directory: string) => void, version?: number): Promise<string> {
    const backup = join(makeTemporaryDirectory(), 'backup');
    await backUp(original, backup);
    change(backup);
    const path = join(backup, 'backup.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    for (const file of manifest.files) {
      const content = readFileSync(join(backup, file.name));
      file.bytes = content.length;
      file.sha256 = createHash('sha256').update(content).digest('hex');
      if (version !== undefined && file.name === 'data.db') file.version = version;
    }
    writeFileSync(path, JSON.stringify(manifest));
    return backup;
  }

  for (const [what, change, problem] of [
    [
      'a cut page-state.key',
      (directory: string) => truncateSync(join(directory, 'page-state.key'), 10),
      /page-state\.key.* has 10 bytes instead of 32|page-state\.key: has 10 bytes/,
    ],
    [
      'an empty key of the key store',
      (directory: string) => truncateSync(join(directory, 'key-store.key'), 0),
      /key-store\.key.* has 0 bytes instead of 32|key-store\.key: has 0 bytes/,
    ],
    [
      'a newer version of the data file than its description says',
      (directory: string) => {
        changeBySql(join(directory, 'data.db'), (database) => {
          database.exec('PRAGMA user_version = 999');
          return '';
        });
      },
      /data\.db: it was written by a later release \(version 999 of its format, this release has \d+/,
    ],
    [
      'an older version of the data file than its description says',
      (directory: string) => {
        changeBySql(join(directory, 'data.db'), (database) => {
          database.exec('PRAGMA user_version = 11');
          return '';
        });
      },
      /data\.db: it has version 11 of its format; the description of the backup says \d+/,
    ],
    [
      'a key store of another key',
      (directory: string) => writeFileSync(join(directory, 'key-store.key'), Buffer.alloc(32, 7)),
      /key-store\.enc.*(?:key file is a different one)/,
    ],
  ] as const) {
    it(`of a backup is found by check and by restore: ${what}`, async () => {
      const backup = await changedBackup(change);
      assert.match((await problemsIn(backup)).join('\n'), problem);
      const target = join(makeTemporaryDirectory(), 'restored');
      await assert.rejects(restore(backup, target), problem);
      assert.ok(!existsSync(join(target, 'data.db')));
    });
  }

  it('of a data directory stays visible in its backup, which warns of it', async () => {
    const copy = copyOf();
    const path = join(copy, 'data.db');
    const bytes = readFileSync(path);
    const at = bytes.indexOf('plain');
    assert.ok(at > 0);
    bytes.write('other', at);
    writeFileSync(path, bytes);
    const backup = join(makeTemporaryDirectory(), 'backup');
    assert.match(
      (await backUp(copy, backup)).join('\n'),
      /warning: .+data\.db is damaged in 1 pages, and the backup is, too/,
    );
    assert.match((await problemsIn(backup)).join('\n'), /data\.db is not as the server wrote it: page \d+/);
    const target = join(makeTemporaryDirectory(), 'restored');
    await restore(backup, target);
    assert.match((await problemsIn(target)).join('\n'), /data\.db is not as the server wrote it: page \d+/);
  });
});
