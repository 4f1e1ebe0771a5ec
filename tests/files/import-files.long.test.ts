// Imports every made file as a table and as a collection of a real server, and reads it back.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CliCommand } from '../../src/cli/cli-command.js';
import { exportCommand } from '../../src/cli/export.js';
import { importCommand } from '../../src/cli/import.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { useWireServer } from '../wire/wire-server.js';
import { type MadeFile, type MadeValue, madeFiles, refusedFiles } from './made-files.js';

const surroundings = {
  sendRequest,
  clock: systemClock,
  wait: async () => {},
  input: () => process.stdin,
  onInterrupt: () => new AbortController().signal,
  version: '1.2.3',
};
const isUnprintable = /\p{Cc}/u;

type Kind = 'table' | 'collection';

describe('colonnade import of files as people bring them', () => {
  const { send, process: server } = useWireServer();
  const directory = makeTemporaryDirectory();
  let made = 0;

  const run = async (command: CliCommand, args: readonly string[]) => {
    let text = '';
    const print = (part: string) => {
      text += part;
    };
    const code = await command.run([...args, '--url', server().url], { out: print, problem: print });
    return { code, text };
  };
  const save = ({ content, extension = 'csv' }: Pick<MadeFile, 'content' | 'extension'>) => {
    made += 1;
    const path = join(directory, `made_${made}.${extension}`);
    writeFileSync(path, content);
    return { path, name: `made_${made}` };
  };
  const importAs = async (kind: Kind, file: Omit<MadeFile, 'title' | 'rows'>) => {
    const { path, name } = save(file);
    const key = kind === 'table' && file.key !== undefined ? ['--primary-key', file.key] : [];
    const args = [path, `--${kind}`, name, ...(file.args ?? []), ...key];
    return { name, ...(await run(importCommand(surroundings), args)) };
  };
  const read = async (name: string): Promise<readonly Record<string, unknown>[]> => {
    const { text } = await send({ path: `/v1/default_keyspace/${name}`, body: '{"find":{}}' });
    return JSON.parse(text).data.documents;
  };

  for (const file of madeFiles)
    it(`reads ${file.title}`, async () => {
      for (const kind of ['table', 'collection'] as const) {
        const { name, code, text } = await importAs(kind, file);
        assert.equal(code, file.refuses === undefined ? 0 : 1, text);
        assert.match(text, file.says ?? /./);
        assert.match(text, file.refuses ?? /./);
        for (const line of text.split('\n')) assert.doesNotMatch(line, isUnprintable);
        const found = (await read(name)).map(({ _id, ...row }) => row);
        const expected = file.rows.map((row) => readBack(row, kind));
        assert.deepEqual(sorted(found), sorted(expected), `${kind}: ${text}`);
      }
    });

  for (const file of refusedFiles)
    it(`refuses ${file.title}, and creates nothing`, async () => {
      const { name, code, text } = await importAs('collection', file);
      assert.equal(code, 1);
      assert.match(text, file.problem);
      const { text: collections } = await send({
        path: '/v1/default_keyspace',
        body: '{"findCollections":{}}',
      });
      assert.ok(!collections.includes(`"${name}"`));
    });

  it('reads what an export wrote, with the line of types that an import prints', async () => {
    const content = 'id,"last, first", x ,"a\'b","it""s"\n1,007,,=1+1,-5\n2,+49,"", y ,"two\nlines"\n';
    const first = await importAs('table', { content, args: ['--columns', 'id:int'] });
    const out = join(directory, 'out.csv');
    await run(exportCommand(surroundings), [out, '--table', first.name]);
    const again = await run(importCommand(surroundings), [
      out,
      '--table',
      'again',
      '--columns',
      columnsIn(first.text),
    ]);
    assert.equal(again.code, 0, again.text);
    assert.deepEqual(sorted(await read('again')), sorted(await read(first.name)));

    const safe = join(directory, 'safe.csv');
    await run(exportCommand(surroundings), [safe, '--table', first.name, '--escape-formulas']);
    assert.deepEqual(readFileSync(safe, 'utf8').split('\n').sort(), [
      '',
      "1,007,,'=1+1,'-5",
      '2,\'+49,""," y ","two',
      'id,"last, first"," x ",a\'b,"it""s"',
      'lines"',
    ]);
  });

  it('puts columns with blanks around their names into those of a table', async () => {
    const first = await importAs('table', { content: 'id,name\n1,Ann\n' });
    const { path } = save({ content: 'id, name \n2,Bob\n' });
    const { code, text } = await run(importCommand(surroundings), [path, '--table', first.name]);
    assert.equal(code, 0, text);
    assert.match(text, /note: the column " name " goes into name\n/);
    assert.deepEqual(
      sorted(await read(first.name)),
      sorted([
        { id: 1, name: 'Ann' },
        { id: 2, name: 'Bob' },
      ]),
    );
  });

  it('keeps NaN in the doubles of a table', async () => {
    const args = ['--columns', 'n:double'];
    const table = await importAs('table', { content: 'id,n\n1,NaN\n2,NA\n3,1.5\n', args });
    assert.deepEqual(
      sorted(await read(table.name)),
      sorted([{ id: 1, n: 'NaN' }, { id: 2 }, { id: 3, n: 1.5 }]),
    );
    assert.match(table.text, /note: "NA" stands for no value in n \(1\)\n/);
    assert.doesNotMatch(table.text, /"NaN" stands for no value/);
  });

  it('reads long decimals, and times of other years than 0 to 9999, that an export wrote', async () => {
    const columns = { id: 'int', n: 'decimal', l: { type: 'list', valueType: 'decimal' }, t: 'timestamp' };
    const rows = [
      '{"id":1,"n":1e400,"l":[1.50,-1e-300],"t":"+123456-01-01T00:00:00.001Z"}',
      '{"id":2,"n":-1.5e-300,"l":[1e99],"t":"-0001-12-31T23:59:59Z"}',
    ];
    const definition = { columns, primaryKey: 'id' };
    const path = '/v1/default_keyspace';
    for (const name of ['far', 'further'])
      await send({ path, body: JSON.stringify({ createTable: { name, definition } }) });
    for (const row of rows) await send({ path: `${path}/far`, body: `{"insertOne":{"document":${row}}}` });
    const out = join(directory, 'far.csv');
    await run(exportCommand(surroundings), [out, '--table', 'far']);
    const { code, text } = await run(importCommand(surroundings), [out, '--table', 'further']);
    assert.equal(code, 0, text);
    assert.equal((await read('further')).length, 2);
    const again = join(directory, 'further.csv');
    await run(exportCommand(surroundings), [again, '--table', 'further']);
    assert.equal(readFileSync(again, 'utf8'), readFileSync(out, 'utf8'));
    assert.match(readFileSync(out, 'utf8'), /^1,1e400,/m);
  });
});

/** What a shell makes of the printed option. */
function columnsIn(text: string): string {
  const word = /--columns '(.+)'\n/.exec(text)?.[1] ?? '';
  return word.replaceAll("'\\''", "'");
}

function readBack(row: Readonly<Record<string, MadeValue>>, kind: Kind): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readBackValue(value, kind)]));
}

function readBackValue(value: MadeValue, kind: Kind): unknown {
  if (typeof value !== 'object') return value;
  if ('uuid' in value) return kind === 'table' ? value.uuid : { $uuid: value.uuid };
  return kind === 'table' ? value.date : { $date: Date.parse(value.date) };
}

/** In an order that does not depend on that of the server, with members in the order of their names. */
function sorted(rows: readonly object[]): readonly string[] {
  const entries = rows.map((row) => Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1)));
  return entries.map((row) => JSON.stringify(row)).sort();
}
