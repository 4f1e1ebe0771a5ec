// Imports from pipes, of JSON in its forms, of corrected files, and the total of an export.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { dataAddress, openDataPort } from '../../src/cli/data-port.js';
import { expectRows } from '../../src/cli/moving/expected-rows.js';
import { readDefinitions } from '../../src/cli/tables/read-tables.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { createTable, move, send } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { makeTemporaryDirectory, type RunningServer, runColonnade, startServer } from './start-server.js';

describe('colonnade import of a source', () => {
  let server: RunningServer;
  const directory = makeTemporaryDirectory();
  before(async () => {
    server = await startServer();
    await createNotes(server.url, 'default_keyspace');
  });
  after(() => server.stop());

  function fileOf(name: string, content: string): string {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  }

  /** Imports what standard input sends. */
  async function fromInput(input: string, args: readonly string[]) {
    const progress = join(directory, 'progress.json');
    return runColonnade(['import', '-', ...args, '--progress', progress, '--url', server.url], {}, input);
  }

  async function importFile(path: string, args: readonly string[], code = 0) {
    return move(['import', path, ...args, '--url', server.url], code);
  }

  /** The documents of a collection without their ids, in the order of a member. */
  async function documents(collection: string, member: string, projection = '{"_id":0}'): Promise<string> {
    const find = `{"find":{"sort":{"${member}":1},"projection":${projection}}}`;
    const reply = await send(server.url, `/default_keyspace/${collection}`, find);
    return /"documents":(.*?),"nextPageState"/.exec(reply)?.[1] ?? reply;
  }

  it('reads standard input, with the format of its text', async () => {
    for (const [input, collection, wanted] of [
      ['{"n":1}\n{"n":2}', 'of_lines', '[{"n":1},{"n":2}]'],
      ['[{"n":1},\n{"n":2}]', 'of_array', '[{"n":1},{"n":2}]'],
      ['n,t\n1,a\n2,b\n', 'of_csv', '[{"n":1,"t":"a"},{"n":2,"t":"b"}]'],
    ] as const) {
      const { code, stdout, stderr } = await fromInput(input, ['--collection', collection]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /2 documents, checksum \w+, the collection has 2\n$/);
      assert.equal(await documents(collection, 'n'), wanted);
    }
  });

  it('says that a source is empty, and that standard input has no rows', async () => {
    const { code, stdout, stderr } = await fromInput('', ['--collection', 'empty']);
    assert.equal(code, 0);
    assert.match(stderr, /warning: standard input has no rows: nothing is imported\n/);
    assert.match(stdout, /empty: 0 documents/);
    const nothing = await move(['import', '-', '--collection', 'empty', '--url', server.url], 1);
    assert.match(nothing.stderr, /standard input is a device and has no rows: give a file/);
  });

  it('doubles nothing when a corrected file is imported again', async () => {
    const types = ['--columns', 'n:int,word:text'];
    const wrong = fileOf('rows.csv', 'n,word\n1,a\nx,b\n3,same\n3,same\n4,d\n');
    const first = await importFile(wrong, ['--collection', 'corrected', ...types], 1);
    assert.match(
      first.stdout,
      /^ids: made of the content of each record, so a record that was changed is a new/m,
    );
    assert.match(
      first.stderr,
      /1 rows were refused: correct them .+ the others keep their ids and are not doubled/,
    );
    const right = fileOf('rows.csv', 'n,word\n0,new\n1,a\n2,b\n3,same\n3,same\n4,d\n');
    const second = await importFile(right, ['--collection', 'corrected', ...types]);
    assert.match(second.stdout, /corrected: 6 documents, checksum \w+, the collection has 6\n$/);

    const lines = fileOf('rows.ndjson', '{"n":1}\n{"n":1}\n{"n":2,"$no":1}\n{"n":3}\n');
    await importFile(lines, ['--collection', 'corrected_lines'], 1);
    const array = fileOf('rows.json', '[{"n" : 1}, {"n":1}, {"n":2},\n{"n":3}]');
    assert.match(
      (await importFile(array, ['--collection', 'corrected_lines'])).stdout,
      /the collection has 4\n$/,
    );
  });

  it('makes the ids of documents whose id is null or a mark of no value, the same ones each time', async () => {
    const made = 'the members _id, else made of the content, so a record that was changed is a new one';
    for (const [name, text, args, ids] of [
      ['mark.csv', '_id,n\n1,1\nNA,2\n"",2\n,3\n', [], made],
      ['null.csv', '_id,n\na,1\nb,2\nNA,3\nNA,3\n', ['--null', 'NA'], made],
      ['key.csv', 'code,n\n1,1\n-,2\n-,3\n4,4\n', ['--primary-key', 'code'], 'the values of code'],
      ['null.ndjson', '{"_id":null,"n":1}\n{"n":2,"_id":null}\n{"_id":3,"n":3}\n{"_id":null}', [], made],
      ['extended.ndjson', '{"_id":{"$undefined":true},"n":1}\n'.repeat(4), [], ''],
    ] as const) {
      const collection = name.replace('.', '_');
      for (let run = 0; run < 2; run += 1) {
        const { stdout } = await importFile(fileOf(name, text), ['--collection', collection, ...args]);
        assert.match(stdout, new RegExp(`^ids: ${ids}`, 'm'));
        assert.match(stdout, /: 4 documents, checksum \w+, the collection has 4\n$/);
      }
      assert.doesNotMatch(await documents(collection, 'n', '{"_id":1}'), /null/);
    }
    const text = '{"_id":null,"sku":"a","n":1}\n';
    await importFile(fileOf('named.ndjson', text), ['--collection', 'named', '--id-from', 'sku']);
    assert.equal(await documents('named', 'n', '{"*":1}'), '[{"_id":"a","sku":"a","n":1}]');
  });

  it('takes the ids of documents from a column or member', async () => {
    const csv = fileOf('ids.csv', 'sku,n\na,1\n,2\nb,3\n');
    const { stderr, stdout } = await importFile(csv, ['--collection', 'skus', '--id-from', 'sku'], 1);
    assert.match(stdout, /^ids: the values of sku; a document whose id exists is replaced$/m);
    assert.match(stderr, /line 3: the column sku, which gives the id, is empty/);
    const json = fileOf('ids.json', '[{"sku":"a","n":5},{"n":6},{"sku":"c","n":7,"_id":1}]');
    const more = await importFile(json, ['--collection', 'skus', '--id-from', 'sku'], 1);
    assert.match(more.stderr, /line 1: the member sku has no value for the id/);
    assert.match(more.stderr, /line 1: the object has an _id, so sku cannot give it/);
    assert.equal(
      await documents('skus', 'n', '{"_id":1,"sku":1,"n":1}'),
      '[{"_id":"b","sku":"b","n":3},{"_id":"a","sku":"a","n":5}]',
    );
    const unknown = await importFile(csv, ['--collection', 'skus', '--id-from', 'other'], 1);
    assert.match(unknown.stderr, /has no column "other"; its columns are: sku,n/);
  });

  it('converts extended JSON for collections and tables', async () => {
    const text =
      '{"_id":{"$oid":"5f0000000000000000000001"},"n":{"$numberLong":"9007199254740993"},' +
      '"d":{"$date":"2020-01-31T00:00:00Z"},"x":{"$numberDecimal":"1.50"}}';
    const path = fileOf('export.json', `[${text}]`);
    const { stdout } = await importFile(path, ['--collection', 'extended']);
    assert.match(
      stdout,
      /^extended JSON is converted: 1 \$oid, 1 \$numberLong, 1 \$date, 1 \$numberDecimal$/m,
    );
    assert.equal(
      await documents('extended', 'n', '{"*":1}'),
      '[{"_id":{"$objectId":"5f0000000000000000000001"},"n":9007199254740993,"d":{"$date":1580428800000},"x":1.5}]',
    );
    const columns = { _id: 'text', n: 'bigint', d: 'date', x: 'decimal' };
    await createTable(server.url, '/default_keyspace', 'rows_of_json', { columns, primaryKey: '_id' });
    const rows = await importFile(path, ['--table', 'rows_of_json']);
    assert.match(rows.stdout, /^key: _id; a row whose key exists replaces the columns that it has$/m);
    assert.match(
      await send(server.url, '/default_keyspace/rows_of_json', '{"findOne":{}}'),
      /"_id":"5f0000000000000000000001","n":9007199254740993,"d":"2020-01-31","x":1\.5\}/,
    );
  });

  it('names the place of a mistake once, and inserts nothing of a broken array', async () => {
    const lines = Array.from({ length: 1200 }, (_, at) => `{"id":${at}},`).join('\n');
    const broken = await importFile(fileOf('broken.json', `[\n${lines}\nx]`), ['--collection', 'broken'], 1);
    assert.match(
      broken.stderr,
      /^colonnade: .+broken\.json line 1202, column 1: unexpected character "x" where an object .+\n$/,
    );
    const other = await importFile(fileOf('other.ndjson', 'id,n\n1,2\n'), ['--collection', 'broken'], 1);
    assert.match(other.stderr, /^colonnade: .+ line 1, column 1: .+ the file has no JSON objects.+\n$/);
    const { stdout } = await importFile(fileOf('spread.json', '{\n "n": 1\n}\n{\n "n": 2\n}'), [
      '--collection',
      'spread',
    ]);
    assert.match(stdout, /spread: 2 documents/);
  });

  it('finds the total of an export for its progress, if it is seen', async () => {
    const address = dataAddress({ url: server.url });
    assert.ok(typeof address !== 'string');
    let requests = 0;
    const port = openDataPort(address, {
      sendRequest: (request) => {
        requests += 1;
        return sendRequest(request);
      },
      clock: systemClock,
      wait: async () => {},
      interrupted: new AbortController().signal,
      notify: () => {},
    });
    await importFile(fileOf('four.ndjson', '{}\n{}\n{}\n{}\n'), ['--collection', 'four']);
    for (const [name, half] of [
      ['notes', 60],
      ['four', 2],
    ] as const) {
      const [table] = await readDefinitions(port, 'default_keyspace', [name]);
      assert.ok(table);
      const before = requests;
      assert.equal(expectRows(port, 'default_keyspace', table, false).share(half), undefined);
      assert.equal(requests, before);
      const expected = expectRows(port, 'default_keyspace', table, true);
      while (expected.share(half) === undefined) await delay(5);
      assert.equal(expected.share(half), 0.5);
    }
  });
});
