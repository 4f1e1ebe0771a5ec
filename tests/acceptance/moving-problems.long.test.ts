// `colonnade export` and `colonnade import` between two real servers.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  createKeyspace,
  createTable as createTableAt,
  insertAll,
  move,
  newExportDirectory,
  openGate,
  query,
  rowsOf,
  send,
  useServerPair,
} from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { makeTemporaryDirectory, startServer } from './start-server.js';

describe('colonnade export and import', () => {
  const { source, target, to, keyspace, createTable, both } = useServerPair();

  it('move vectors with their services and indexes, and embed nothing', async () => {
    const ks = await keyspace('vectors');
    await createNotes(source().url, ks);
    const directory = newExportDirectory();
    const args = ['--keyspace', ks, '--tables', 'notes', '--compress', '--url', source().url];
    await move(['export', directory, ...args]);
    await move(['import', directory, ...to('vectors2')]);
    // The rows behind the first two are equally similar: each server chooses some of them.
    for (const [level, command] of [
      ['', '{"listTables":{"options":{"explain":true}}}'],
      ['/notes', '{"listIndexes":{"options":{"explain":true}}}'],
      ['/notes', '{"find":{"sort":{"meaning":"text 7"},"options":{"limit":2,"includeSimilarity":true}}}'],
    ] as const) {
      const [ours, theirs] = await both(`/${ks}${level}`, `/vectors2${level}`, command);
      assert.equal(theirs, ours, command);
    }
    assert.equal(await rowsOf(target().url, '/vectors2/notes'), await rowsOf(source().url, `/${ks}/notes`));
  });

  it('move tables from another server without files, and name what is refused by its key', async () => {
    const ks = await keyspace('direct');
    await createNotes(source().url, ks);
    await send(source().url, `/${ks}`, '{"createCollection":{"name":"things"}}');
    await insertAll(source().url, `/${ks}/things`, ['{"_id":1,"b":[1.50,{}],"a":null}']);
    await createTable(`/${ks}`, 'empty', { columns: { id: 'int' }, primaryKey: 'id' });
    const progress = join(makeTemporaryDirectory(), 'progress.json');
    const from = ['import', '--from', source().url, '--from-keyspace', ks, '--progress', progress];
    const { stdout } = await move([...from, ...to('direct2'), '--json']);
    const { ok, from: url, tables } = JSON.parse(stdout);
    assert.deepEqual([ok, url], [true, source().url]);
    assert.deepEqual(
      tables.map(({ name, rows, verified }: Record<string, unknown>) => [name, rows, verified]),
      [
        ['notes', 120, true],
        ['empty', 0, true],
        ['things', 1, true],
      ],
    );
    for (const [path, command] of [
      ['', '{"listTables":{"options":{"explain":true}}}'],
      ['/notes', '{"listIndexes":{"options":{"explain":true}}}'],
      ['/things', '{"find":{}}'],
    ] as const) {
      const [ours, theirs] = await both(`/${ks}${path}`, `/direct2${path}`, command);
      assert.equal(theirs, ours, command);
    }
    assert.equal(await rowsOf(target().url, '/direct2/notes'), await rowsOf(source().url, `/${ks}/notes`));
    assert.ok(!existsSync(progress));

    await createTable(`/${ks}`, 'odd', {
      columns: { id: 'int', v: { type: 'vector', dimension: 2 } },
      primaryKey: 'id',
    });
    await insertAll(source().url, `/${ks}/odd`, ['{"id":7,"v":[0,0]}', '{"id":8,"v":[1,0]}']);
    await move([...from, '--tables', 'odd', ...to('direct2')]);
    await send(target().url, '/direct2/odd', '{"deleteMany":{"filter":{}}}');
    const index = '{"createVectorIndex":{"name":"by_v","definition":{"column":"v"}}}';
    await send(target().url, '/direct2/odd', index);
    const { stderr } = await move([...from, '--tables', 'odd', ...to('direct2')], 1);
    assert.match(
      stderr,
      /^colonnade: odd: the row \{"id":7\}: INVALID_COLUMN_VALUES: .+\n.*1 rows were refused\n$/,
    );
  });

  it('name columns and tables that cannot be moved, and fail unless that is allowed', async () => {
    const ks = await keyspace('partly');
    await query(source().opsUrl, `CREATE TABLE ${ks}.hits (page text PRIMARY KEY, n counter)`);
    await query(
      source().opsUrl,
      `CREATE TABLE ${ks}.mixed (a int, b int, s text static, f frozen<list<int>>, t timeuuid, x int, PRIMARY KEY (a, b))`,
    );
    await insertAll(source().url, `/${ks}/mixed`, [
      '{"a":1,"b":2,"x":3,"t":"00000000-0000-1000-8080-808080808080"}',
    ]);
    const leftOut = [
      'colonnade: warning: hits: the table is left out, because the API cannot insert its column n (counter)',
      'colonnade: warning: mixed: the column s (static text) is left out',
      'colonnade: warning: mixed: the column f (frozen<list<int>>) is left out',
    ];
    const directory = newExportDirectory();
    const run = await move(['export', directory, '--keyspace', ks, '--url', source().url], 1);
    assert.deepEqual(run.stderr.trimEnd().split('\n').sort(), leftOut.toSorted());
    const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    assert.equal(manifest.tables.flatMap((table: { leftOut: string[] }) => table.leftOut).length, 3);

    const refused = await move(['import', directory, ...to('partly2')], 1);
    assert.match(refused.stderr, /commands cannot create these columns of the table mixed: t \(timeuuid\)/);
    const allowed = await move(['import', directory, '--allow-unsupported', ...to('partly2')]);
    assert.match(allowed.stderr, /warning: mixed: the column t \(timeuuid\) is left out/);
    assert.match(await rowsOf(target().url, '/partly2/mixed'), /^\[\{"a":1,"b":2,"x":3\}\]\n$/);

    await send(target().url, '', '{"createKeyspace":{"name":"partly3"}}');
    await query(
      target().opsUrl,
      'CREATE TABLE partly3.mixed (a int, b int, t timeuuid, x int, PRIMARY KEY (a, b))',
    );
    await move(['import', directory, ...to('partly3')], 1);
    assert.equal(await rowsOf(target().url, '/partly3/mixed'), await rowsOf(source().url, `/${ks}/mixed`));
  });

  it('say so if there is nothing to move', async () => {
    const ks = await keyspace('nothing');
    const directory = newExportDirectory();
    const exported = await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    assert.equal(exported.stdout, 'the keyspace nothing has no tables or collections: the export is empty\n');
    const imported = await move(['import', directory, ...to('nothing2')]);
    assert.equal(imported.stdout, 'the export has no tables or collections: there is nothing to import\n');
  });

  it('refuse a table that differs, and name the difference', async () => {
    const ks = await keyspace('differing');
    const key = { partitionBy: ['a'], partitionSort: { b: -1 } };
    await createTable(`/${ks}`, 'books', { columns: { a: 'int', b: 'int', x: 'text' }, primaryKey: key });
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    await send(target().url, '', `{"createKeyspace":{"name":"${ks}"}}`);
    const other = {
      columns: { a: 'int', b: 'int', x: 'int', y: 'int' },
      primaryKey: { ...key, partitionSort: { b: 1 } },
    };
    await send(target().url, `/${ks}`, JSON.stringify({ createTable: { name: 'books', definition: other } }));
    const { stderr } = await move(['import', directory, '--url', target().url], 1);
    assert.equal(
      stderr,
      'colonnade: the table books exists with another definition: ' +
        'the column x is {"type":"int"} and not {"type":"text"}; the column y is not in the export; ' +
        'the primary key is {"partitionBy":["a"],"partitionSort":{"b":1}} and not {"partitionBy":["a"],"partitionSort":{"b":-1}}\n',
    );
  });

  it('report refused rows with their lines, and rows that the target has in addition', async () => {
    const ks = await keyspace('refusing');
    await createTable(`/${ks}`, 'vectors', {
      columns: { id: 'int', v: { type: 'vector', dimension: 2 } },
      primaryKey: 'id',
    });
    await insertAll(source().url, `/${ks}/vectors`, [
      '{"id":1,"v":[0,0]}',
      '{"id":2,"v":[1,0]}',
      '{"id":3,"v":[0,0]}',
    ]);
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    await move(['import', directory, ...to('refusing2')]);
    await send(target().url, '/refusing2/vectors', '{"deleteMany":{"filter":{}}}');
    const index = '{"createVectorIndex":{"name":"by_v","definition":{"column":"v"}}}';
    await send(target().url, '/refusing2/vectors', index);
    await send(target().url, '/refusing2/vectors', '{"insertOne":{"document":{"id":9}}}');

    const { stderr } = await move(['import', directory, ...to('refusing2')], 1);
    const lines = stderr.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^colonnade: 0001-vectors\.ndjson line 1: INVALID_COLUMN_VALUES: .+/);
    assert.match(lines[1] ?? '', /^colonnade: 0001-vectors\.ndjson line 3: INVALID_COLUMN_VALUES: .+/);
    assert.match(
      lines[2] ?? '',
      /^colonnade: vectors: the rows of refusing2\.vectors differ from the export: 2 rows .+, inserted were 1 /,
    );
    assert.deepEqual(lines.slice(3), ['colonnade: 2 rows were refused']);
    assert.ok(!existsSync(join(directory, 'import-progress.json')));
  });

  it('insert nothing of a damaged export', async () => {
    const ks = await keyspace('damaged');
    await createTable(`/${ks}`, 'books', { columns: { id: 'int' }, primaryKey: 'id' });
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    appendFileSync(join(directory, '0001-books.ndjson'), '{"id":1}\n');
    const { stderr } = await move(['import', directory, ...to('damaged2')], 1);
    assert.match(
      stderr,
      /0001-books\.ndjson is damaged: it has 1 rows with checksum .+, the manifest names 0 /,
    );
    assert.ok(!(await send(target().url, '', '{"findKeyspaces":{}}')).includes('damaged2'));
    await move(['export', directory, '--keyspace', ks, '--url', source().url], 1);
  });

  it('wait for a server that is busy or loses the connection, a bounded number of times', async () => {
    const ks = await keyspace('busy');
    await createTable(`/${ks}`, 'books', { columns: { id: 'int' }, primaryKey: 'id' });
    await insertAll(source().url, `/${ks}/books`, ['{"id":1}']);
    const directory = newExportDirectory();
    const gate = await openGate(source().url, (command, count) => {
      if (command !== 'find' || count > 2) return 'pass';
      return count === 1 ? 'cut' : 503;
    });
    const run = await move(['export', directory, '--keyspace', ks, '--url', gate.url]);
    assert.equal(run.stderr.match(/the HTTP status 503; again in 0 ms/g)?.length, 2);
    assert.match(run.stderr, /again in 500 ms/);
    gate.close();
    const busy = await openGate(target().url, (command) => (command === 'insertMany' ? 503 : 'pass'));
    const args = ['import', directory, '--url', busy.url, '--to-keyspace', 'busy2'];
    const { stderr } = await move([...args, '--retries', '3'], 1);
    assert.match(stderr, /cannot be used, after 4 attempts: the HTTP status 503\n$/);
    assert.equal(busy.count('insertMany'), 4);
    busy.close();
  });

  it('move the other tables if one fails, and continue with that one', async () => {
    const ks = await keyspace('failing');
    for (const name of ['first', 'second', 'third']) {
      await createTable(`/${ks}`, name, { columns: { id: 'int' }, primaryKey: 'id' });
      await insertAll(source().url, `/${ks}/${name}`, ['{"id":1}']);
    }
    const directory = newExportDirectory();
    const from = await openGate(source().url, (command, count) =>
      command === 'find' && count === 1 ? 404 : 'pass',
    );
    const exportArgs = ['export', directory, '--keyspace', ks, '--url', from.url];
    const exported = await move(exportArgs, 1);
    assert.deepEqual(namesOf(exported.stdout), ['first', 'third']);
    assert.match(
      exported.stderr,
      /^colonnade: failing\.second: HTTP_404: .+\n.*not moved: second; the same command/,
    );
    assert.deepEqual(namesOf((await move(exportArgs)).stdout), ['first', 'second', 'third']);
    from.close();
    const into = await openGate(target().url, (command, count) =>
      command === 'insertMany' && count === 0 ? 404 : 'pass',
    );
    const importArgs = ['import', directory, '--url', into.url, '--to-keyspace', 'failing2'];
    const imported = await move(importArgs, 1);
    assert.deepEqual(namesOf(imported.stdout), ['second', 'third']);
    assert.match(
      imported.stderr,
      /^colonnade: first: rows cannot be inserted into failing2\.first: HTTP_404: /,
    );
    assert.match(
      imported.stderr,
      /the table failing2\.first, which this import created, got no row and is removed/,
    );
    assert.match(imported.stderr, /not moved: first; the same command continues/);
    assert.deepEqual(namesOf((await move(importArgs)).stdout), ['first', 'second', 'third']);
    assert.ok(!existsSync(join(directory, 'import-progress.json')));
    into.close();
  });

  it('name tables and indexes that the target refuses before a row is sent', async () => {
    const [rich, poor] = await Promise.all([
      startServer({ args: ['--dialect', 'extended'] }),
      startServer({ args: ['--collections', 'off'] }),
    ]);
    await createKeyspace(rich.url, 'held');
    await send(rich.url, '/held', '{"createCollection":{"name":"docs"}}');
    await insertAll(rich.url, '/held/docs', ['{"_id":1}']);
    const columns = { id: 'int', a: 'text', b: 'text' };
    await createTableAt(rich.url, '/held', 'texts', { columns, primaryKey: 'id' });
    const textIndex = '{"createTextIndex":{"name":"by_a","definition":{"column":"a"}}}';
    await send(rich.url, '/held/texts', textIndex);
    await send(rich.url, '/held/texts', '{"createIndex":{"name":"by_b","definition":{"column":"b"}}}');
    await insertAll(rich.url, '/held/texts', ['{"id":1,"a":"x","b":"y"}']);
    const from = ['--from', rich.url, '--from-keyspace', 'held', '--progress', newExportDirectory()];
    const gate = await openGate(poor.url, () => 'pass');
    const args = ['import', ...from, '--url', gate.url];
    const refused = await move(args, 1);
    const problems = [
      /the target cannot hold the collection docs: (?:COMMAND_UNKNOWN|UNSUPPORTED_\w+): /,
      /the target cannot hold the index by_a \(text\) of the table texts: LEXICAL_FEATURE_NOT_ENABLED: /,
    ];
    for (const problem of problems) assert.match(refused.stderr, problem);
    assert.match(refused.stderr, /--allow-unsupported/);
    assert.equal(gate.count('insertMany'), 0);
    const allowed = await move([...args, '--allow-unsupported']);
    for (const problem of problems) assert.match(allowed.stderr, problem);
    assert.deepEqual(namesOf(allowed.stdout), ['texts']);
    assert.match(await send(poor.url, '/held/texts', '{"listIndexes":{}}'), /\["by_b"\]/);
    gate.close();
    await Promise.all([rich.stop(), poor.stop()]);
  });

  it('end with a clear message where nothing can be done', async () => {
    const none = join(makeTemporaryDirectory(), 'none');
    const other = makeTemporaryDirectory();
    writeFileSync(join(other, 'notes.txt'), 'mine');
    const cut = makeTemporaryDirectory();
    const texts = '"madeBy":"x","source":"x","madeAt":"x","keyspace":"x"';
    writeFileSync(join(cut, 'manifest.json'), `{"format":1,${texts},"isComplete":true,"tables":{}}`);
    const cases: readonly (readonly [args: readonly string[], code: number, problem: RegExp])[] = [
      [
        ['export', none, '--url', source().url, '--tables', 'nope'],
        1,
        /there is no table or collection default_keyspace\.nope; there are none in default_keyspace/,
      ],
      [['export', other, '--url', source().url], 1, /is not empty and has no manifest\.json/],
      [['export', none, '--url', source().url, '--keyspace', 'nope'], 1, /UNKNOWN_KEYSPACE/],
      [['export', none, '--url', 'http://127.0.0.1:1'], 1, /http:\/\/127\.0\.0\.1:1 does not answer/],
      [['import', cut, '--url', target().url], 1, /manifest\.json is damaged: it has no list of tables/],
      [['import', other, '--url', target().url], 1, /has no manifest\.json: it is not an export/],
      [['import', join(other, 'none'), '--url', target().url], 1, /there is no directory .+none$/m],
      [
        ['import', '--from', source().url, '--from-keyspace', 'nope', '--url', target().url],
        1,
        /UNKNOWN_KEYSPACE.* On the command line: --from-keyspace NAME\.$/m,
      ],
      [
        ['import', '--from', 'http://127.0.0.1:1', '--url', target().url],
        1,
        /give its address with --from$/m,
      ],
    ];
    for (const [args, code, problem] of cases) assert.match((await move(args, code)).stderr, problem);
  });
});

/** The names of the tables that a move reports, in its order. */
function namesOf(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^(\w+): \d+ (?:rows|documents), checksum /gm)].map(([, name = '']) => name);
}
