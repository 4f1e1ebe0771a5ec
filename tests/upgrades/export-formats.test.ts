// Exports and imports in every format of rows: earlier ones are read, compared and continued in their own format.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newestFormat } from '../../src/cli/moving/row-format.js';
import {
  insertAll,
  move,
  newExportDirectory,
  openGate,
  rowsOf,
  send,
  useServerPair,
} from '../acceptance/between-servers.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

/** Exports that the versions with these formats made: `format-1` and so on. */
const exportsFolder = fileURLToPath(new URL('../../../tests/upgrades/exports', import.meta.url));

const rows = [
  '{"id":1,"f":1,"d":-2.5,"l":[1,0.5],"s":[2,-1],"m":{"a":3},"v":[1,0]}',
  '{"id":2,"f":-0.0,"d":1e98,"v":[0.1,-3]}',
];
const linesOfFormat: Readonly<Record<number, readonly string[]>> = {
  1: [
    '{"d":-2.5,"f":1,"id":1,"l":[1,0.5],"m":{"a":3},"s":[-1,2],"v":[1,0]}',
    `{"d":1${'0'.repeat(98)},"f":-0.0,"id":2,"v":[0.1,-3]}`,
  ],
  2: [
    '{"d":-2.5,"f":1.0,"id":1,"l":[1.0,0.5],"m":{"a":3.0},"s":[-1.0,2.0],"v":[1.0,0.0]}',
    '{"d":1e98,"f":-0.0,"id":2,"v":[0.1,-3.0]}',
  ],
};

interface StoredManifest {
  readonly format: number;
  readonly tables: readonly { readonly name: string; readonly file: string; readonly checksum: string }[];
}

function manifestOf(directory: string): StoredManifest {
  return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
}

/** Replaces a text of a file, which it must have. */
function replaceIn(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes(from), `${from} is not in ${text}`);
  writeFileSync(path, text.replace(from, to));
}

/** The sorted lines of the table `floats`. */
function linesOf(directory: string): readonly string[] {
  const table = manifestOf(directory).tables.find(({ name }) => name === 'floats');
  assert.ok(table);
  return readFileSync(join(directory, table.file), 'utf8').trimEnd().split('\n').sort();
}

const checksumIn = (stdout: string) => /^floats: 2 rows, checksum ([0-9a-f]{64})/m.exec(stdout)?.[1];

describe('an export', () => {
  const { source, target, to, keyspace, createTable } = useServerPair();
  const ks = 'of_formats';
  const exportTo = (directory: string, url: string, code = 0) =>
    move(['export', directory, '--keyspace', ks, '--url', url], code);

  before(async () => {
    await keyspace(ks);
    await createTable(`/${ks}`, 'a_first', { columns: { id: 'int' }, primaryKey: 'id' });
    await insertAll(
      source().url,
      `/${ks}/a_first`,
      Array.from({ length: 120 }, (_, id) => `{"id":${id}}`),
    );
    const columns = {
      ...{ id: 'int', f: 'float', d: 'double', l: { type: 'list', valueType: 'double' } },
      ...{ s: { type: 'set', valueType: 'float' }, m: { type: 'map', keyType: 'text', valueType: 'double' } },
      v: { type: 'vector', dimension: 2 },
    };
    await createTable(`/${ks}`, 'floats', { columns, primaryKey: 'id' });
    await insertAll(source().url, `/${ks}/floats`, rows);
  });

  it('writes whole floats with a point, to a directory and to a file', async () => {
    const directory = newExportDirectory();
    await exportTo(directory, source().url);
    assert.equal(manifestOf(directory).format, newestFormat);
    assert.deepEqual(linesOf(directory), linesOfFormat[newestFormat]);
    const imported = await move(['import', directory, ...to('newest')]);
    assert.match(imported.stdout, /^floats: 2 rows, checksum [0-9a-f]{64}, verified$/m);
    assert.equal(await rowsOf(target().url, '/newest/floats'), await rowsOf(source().url, `/${ks}/floats`));

    const file = join(makeTemporaryDirectory(), 'floats.ndjson');
    const ofFile = ['--table', 'floats', '--keyspace', ks, '--url', source().url];
    const exported = await move(['export', file, ...ofFile]);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.deepEqual(lines.sort(), linesOfFormat[newestFormat]);
    const again = await move(['import', file, '--table', 'floats', ...to('newest')]);
    assert.equal(checksumIn(again.stdout), checksumIn(exported.stdout));
  });

  it('of an earlier format continues in it, and so does a move from a server', async () => {
    const directory = newExportDirectory();
    // The first table has three pages.
    const gate = await openGate(source().url, (command, count) =>
      command === 'find' && count === 3 ? 404 : 'pass',
    );
    await exportTo(directory, gate.url, 1);
    replaceIn(join(directory, 'manifest.json'), `"format":${newestFormat}`, '"format":1');
    const exported = await exportTo(directory, gate.url);
    gate.close();
    assert.equal(manifestOf(directory).format, 1);
    assert.deepEqual(linesOf(directory), linesOfFormat[1]);
    const imported = await move(['import', directory, ...to('continued')]);
    assert.match(imported.stdout, /^floats: 2 rows, checksum [0-9a-f]{64}, verified$/m);
    assert.equal(checksumIn(imported.stdout), checksumIn(exported.stdout));

    const progress = join(makeTemporaryDirectory(), 'progress.json');
    const from = ['import', '--from', source().url, '--from-keyspace', ks, '--progress', progress];
    const into = await openGate(target().url, (command, count) =>
      command === 'insertMany' && count === 0 ? 404 : 'pass',
    );
    const args = [...from, '--url', into.url, '--to-keyspace', 'moved'];
    await move(args, 1);
    const { hash }: { readonly hash: string } = JSON.parse(readFileSync(progress, 'utf8'));
    const hashOfFormat1 = createHash('sha256').update(`${source().url} ${ks}`).digest('hex');
    replaceIn(progress, hash, hashOfFormat1);
    const moved = await move(args);
    into.close();
    assert.match(moved.stdout, /^floats: 2 rows, checksum [0-9a-f]{64}, verified$/m);
    assert.equal(checksumIn(moved.stdout), checksumIn(exported.stdout));
    const afresh = await move([...from, ...to('afresh')]);
    assert.match(afresh.stdout, /^floats: 2 rows, checksum [0-9a-f]{64}, verified$/m);
    assert.notEqual(checksumIn(afresh.stdout), checksumIn(exported.stdout));
  });

  for (const stored of readdirSync(exportsFolder))
    it(`of an earlier version is imported and compared: ${stored}`, async () => {
      const directory = newExportDirectory();
      cpSync(join(exportsFolder, stored), directory, { recursive: true });
      const name = stored.replaceAll('-', '_');
      const { stdout } = await move(['import', directory, ...to(name)]);
      for (const table of manifestOf(directory).tables)
        assert.match(stdout, new RegExp(`^${table.name}: .+, checksum ${table.checksum}, verified$`, 'm'));
      const find = (table: string, id: string) =>
        send(target().url, `/${name}/${table}`, `{"findOne":{"filter":{"${id}":1}}}`);
      assert.match(await find('floats', 'id'), /"f":1\.0,"d":-2\.0,.*"v":\[1\.0,0\.0,-0\.0\]/);
      assert.match(await find('notes', '_id'), /\{"_id":1,"n":1\}/);
    });

  it('of a later format is refused', async () => {
    const directory = newExportDirectory();
    cpSync(join(exportsFolder, 'format-1'), directory, { recursive: true });
    replaceIn(join(directory, 'manifest.json'), '"format":1', `"format":${newestFormat + 1}`);
    for (const args of [
      ['import', directory, ...to('later')],
      ['export', directory, '--url', source().url],
    ])
      assert.match(
        (await move(args, 1)).stderr,
        /manifest\.json has the format 3; this version reads the formats 1 and 2$/m,
      );
  });
});
