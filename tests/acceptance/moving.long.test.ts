// `colonnade export` and `colonnade import` of all types, and of many and of large rows, killed in the middle.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import {
  begin,
  insertAll,
  killWhenHeld,
  move,
  newExportDirectory,
  openGate,
  rowsOf,
  send,
  useServerPair,
} from './between-servers.js';
import { createEveryType, valueRows } from './moved-tables.js';
import { makeTemporaryDirectory } from './start-server.js';

const rowCount = 20_000;
const verified = new RegExp(`^many: ${rowCount} rows, checksum [0-9a-f]{64}, verified\n$`);

describe('colonnade export and import', () => {
  const { source, target, to, keyspace, createTable, both } = useServerPair();

  before(async () => {
    const columns = { part: 'int', at: 'int', text: 'text', v: { type: 'vector', dimension: 4 } };
    const primaryKey = { partitionBy: ['part'], partitionSort: { at: -1 } };
    await createTable('/default_keyspace', 'many', { columns, primaryKey });
    const rows = Array.from(
      { length: rowCount },
      (_, at) => `{"part":${at % 20},"at":${at},"text":"${'é'.repeat(100)} ${at}","v":[${at},1,0.5,-1e-3]}`,
    );
    await insertAll(source().url, '/default_keyspace/many', rows);
    const createVectorIndex = { name: 'by_v', definition: { column: 'v', options: { metric: 'euclidean' } } };
    await send(source().url, '/default_keyspace/many', JSON.stringify({ createVectorIndex }));
  });

  it('move every column type with its boundary values, also as keys in both directions', async () => {
    const ks = await keyspace('types');
    const tables = await createEveryType(source().url, ks);
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    const { stdout } = await move(['import', directory, ...to('types2')]);
    assert.match(stdout, new RegExp(`^values: ${valueRows} rows, checksum [0-9a-f]{64}, verified$`, 'm'));
    const [ours, theirs] = await both(`/${ks}`, '/types2', '{"listTables":{"options":{"explain":true}}}');
    assert.equal(theirs, ours);
    for (const table of tables)
      assert.equal(
        await rowsOf(target().url, `/types2/${table}`),
        await rowsOf(source().url, `/${ks}/${table}`),
      );
  });

  for (const compression of [[], ['--compress']]) {
    const kind = compression.length > 0 ? 'compressed' : 'plain';

    it(`continue after kills in the middle (${kind})`, async () => {
      const directory = newExportDirectory();
      const out = await openGate(source().url, (command, count) =>
        command === 'find' && count === 300 ? 'hold' : 'pass',
      );
      const exportArgs = ['export', directory, ...compression, '--url', out.url];
      const exporting = begin(exportArgs);
      await out.held;
      exporting.child.kill('SIGKILL');
      await exporting.ended;
      await move(['import', directory, ...to(`killed_${kind}`)], 1);
      const exported = await move(exportArgs);
      assert.match(exported.stdout, new RegExp(`^many: ${rowCount} rows, checksum`));
      const pages = rowCount / 50;
      assert.ok(out.count('find') > pages && out.count('find') < 2 * pages, `${out.count('find')} pages`);
      out.close();

      const into = await openGate(target().url, (command, count) =>
        command === 'insertMany' && count === 130 ? 'hold' : 'pass',
      );
      const importArgs = ['import', directory, '--url', into.url, '--to-keyspace', `killed_${kind}`];
      const importing = begin(importArgs);
      await into.held;
      importing.child.kill('SIGKILL');
      await importing.ended;
      const imported = await move(importArgs);
      assert.match(
        imported.stdout,
        new RegExp(`^many: ${rowCount} rows, checksum [0-9a-f]{64}, verified\n$`),
      );
      const batches = rowCount / 100;
      assert.ok(into.count('insertMany') < 1.5 * batches, `${into.count('insertMany')} batches`);
      into.close();
      const rows = await rowsOf(target().url, `/killed_${kind}/many`);
      assert.ok(rows === (await rowsOf(source().url, '/default_keyspace/many')));
    });
  }

  it('continue a move from another server after kills of either side of it', async () => {
    const progress = join(makeTemporaryDirectory(), 'progress.json');
    const hold = (command: string, at: number) => (found: string, count: number) =>
      found === command && count === at ? 'hold' : 'pass';
    const out = await openGate(source().url, hold('find', 200));
    const into = await openGate(target().url, hold('insertMany', 150));
    const args = ['import', '--from', out.url, '--tables', 'many', '--url', into.url];
    const all = [...args, '--to-keyspace', 'directly', '--progress', progress];
    for (const held of [out.held, into.held]) {
      const importing = begin(all);
      await held;
      importing.child.kill('SIGKILL');
      await importing.ended;
      assert.ok(JSON.parse(readFileSync(progress, 'utf8')).tables.many.lines >= 6_000);
    }
    const { stdout } = await move(all);
    assert.match(stdout, verified);
    // Each kill repeats less than the rows between two records of the progress, and the pages under way.
    assert.ok(into.count('insertMany') < rowCount / 100 + 2 * 30, `${into.count('insertMany')} batches`);
    assert.ok(out.count('find') < rowCount / 50 + 2 * 60, `${out.count('find')} pages`);
    for (const gate of [out, into]) gate.close();
    const rows = await rowsOf(target().url, '/directly/many');
    assert.ok(rows === (await rowsOf(source().url, '/default_keyspace/many')));
  });

  it('continue at other addresses of the same servers, and at those of no other server', async () => {
    const hold = (command: string, at: number) => (found: string, count: number) =>
      found === command && count === at ? 'hold' : 'pass';
    const out = await openGate(source().url, hold('find', 200));
    const into = await openGate(target().url, hold('insertMany', 150));
    const directory = newExportDirectory();
    const exporting = ['export', directory, '--tables', 'many', '--url'];
    await killWhenHeld([...exporting, out.url], out.held);
    const { stderr } = await move([...exporting, target().url], 1);
    assert.match(stderr, /there is no table or collection|does not accept its page states/);
    await move([...exporting, source().url]);
    const importing = ['import', directory, '--to-keyspace', 'elsewhere', '--url'];
    await killWhenHeld([...importing, into.url], into.held);
    const refused = await move([...importing, source().url], 1);
    assert.match(refused.stderr, /belongs to another import, to .*--page-state-secret/);
    assert.match((await move([...importing, target().url])).stdout, verified);
    for (const gate of [out, into]) gate.close();
  });

  it('continue a move from another server at other addresses of both servers', async () => {
    const progress = join(makeTemporaryDirectory(), 'progress.json');
    const into = await openGate(target().url, (found, count) =>
      found === 'insertMany' && count === 150 ? 'hold' : 'pass',
    );
    const out = await openGate(source().url, () => 'pass');
    const args = ['import', '--tables', 'many', '--to-keyspace', 'further', '--progress', progress];
    await killWhenHeld([...args, '--from', out.url, '--url', into.url], into.held);
    const refused = await move([...args, '--from', source().url, '--url', source().url], 1);
    assert.match(refused.stderr, /the target does not accept its page states/);
    const again = await openGate(target().url, () => 'pass');
    assert.match((await move([...args, '--from', source().url, '--url', again.url])).stdout, verified);
    assert.ok(again.count('insertMany') < 100, `${again.count('insertMany')} batches of ${rowCount / 100}`);
    for (const gate of [out, into, again]) gate.close();
  });

  it('continue after Ctrl-C', async () => {
    const directory = newExportDirectory();
    const out = await openGate(source().url, (command, count) =>
      command === 'find' && count === 200 ? 'hold' : 'pass',
    );
    const args = ['export', directory, '--url', out.url];
    const exporting = begin(args);
    await out.held;
    exporting.child.kill('SIGINT');
    assert.equal(await exporting.ended, 130);
    assert.equal(exporting.stderr(), 'colonnade: interrupted; the same command continues\n');
    await move(args);
    out.close();

    const into = await openGate(target().url, (command, count) =>
      command === 'insertMany' && count === 100 ? 'hold' : 'pass',
    );
    const importArgs = ['import', directory, '--url', into.url, '--to-keyspace', 'stopped'];
    const importing = begin(importArgs);
    await into.held;
    importing.child.kill('SIGINT');
    assert.equal(await importing.ended, 130);
    const progress = JSON.parse(readFileSync(join(directory, 'import-progress.json'), 'utf8'));
    assert.ok(progress.tables.many.lines >= 9_000);
    assert.match((await move(importArgs)).stdout, /^many: 20000 rows, checksum [0-9a-f]{64}, verified\n$/);
    into.close();
  });

  it('move a row that is larger than a request', async () => {
    const ks = await keyspace('large');
    const definition = { columns: { id: 'int', a: 'blob', b: 'blob' }, primaryKey: 'id' };
    await createTable(`/${ks}`, 'blobs', definition);
    const half = Buffer.alloc(9 * 1024 * 1024, 7).toString('base64');
    await send(source().url, `/${ks}/blobs`, `{"insertOne":{"document":{"id":1,"a":{"$binary":"${half}"}}}}`);
    await send(source().url, `/${ks}/blobs`, `{"insertOne":{"document":{"id":1,"b":{"$binary":"${half}"}}}}`);
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--compress', '--url', source().url]);
    const { stdout } = await move(['import', directory, ...to('large2')]);
    assert.match(stdout, /^blobs: 1 rows, .*verified$/m);
  });

  it('export a table from the beginning that was made again since', async () => {
    const ks = await keyspace('remade');
    const fill = async (name: string, text: string) => {
      await createTable(`/${ks}`, name, { columns: { id: 'int', x: 'text' }, primaryKey: 'id' });
      const rows = Array.from({ length: 120 }, (_, at) => `{"id":${at},"x":"${text}"}`);
      await insertAll(source().url, `/${ks}/${name}`, rows);
    };
    for (const name of ['kept', 'made_again', 'under_way']) await fill(name, 'old');
    const directory = newExportDirectory();
    const args = ['export', directory, '--keyspace', ks, '--compress'];
    // The pages of the first two tables are three each: the third table is under way.
    const gate = await openGate(source().url, (command, count) =>
      command === 'find' && count === 7 ? 404 : 'pass',
    );
    await move([...args, '--url', gate.url], 1);
    for (const name of ['made_again', 'under_way']) {
      await send(source().url, `/${ks}`, `{"dropTable":{"name":"${name}"}}`);
      await fill(name, 'new');
    }
    const { stdout } = await move([...args, '--url', gate.url]);
    gate.close();
    assert.match(stdout, /^made_again: the table was made again since the export began; it starts again$/m);
    assert.doesNotMatch(stdout, /^kept: the table/m);
    await move(['import', directory, ...to('remade2')]);
    for (const name of ['kept', 'made_again', 'under_way'])
      assert.equal(
        await rowsOf(target().url, `/remade2/${name}`),
        await rowsOf(source().url, `/${ks}/${name}`),
      );
  });

  it('insert again what was inserted into a table that is gone from the target', async () => {
    const ks = await keyspace('lost');
    const tables = ['dropped', 'emptied', 'kept'];
    for (const name of tables) {
      await createTable(`/${ks}`, name, { columns: { id: 'int' }, primaryKey: 'id' });
      await insertAll(source().url, `/${ks}/${name}`, ['{"id":1}', '{"id":2}']);
    }
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    const gate = await openGate(target().url, (command, count) =>
      command === 'insertMany' && count === 2 ? 404 : 'pass',
    );
    const args = ['import', directory, '--url', gate.url, '--to-keyspace', 'lost2'];
    await move(args, 1);
    await send(target().url, '/lost2', '{"dropTable":{"name":"dropped"}}');
    await send(target().url, '/lost2/emptied', '{"deleteMany":{"filter":{}}}');
    const { stdout } = await move(args);
    gate.close();
    for (const name of ['dropped', 'emptied'])
      assert.match(
        stdout,
        new RegExp(`^${name}: the rows that were inserted are gone from lost2.${name};`, 'm'),
      );
    assert.doesNotMatch(stdout, /^kept: the rows/m);
    for (const name of tables)
      assert.match(stdout, new RegExp(`^${name}: 2 rows, checksum .+, verified$`, 'm'));
  });
});
