// `colonnade import` and `colonnade export` of single CSV and NDJSON files.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { begin, move, openGate, query, rowsOf, send, useServerPair } from './between-servers.js';
import { makeTemporaryDirectory, runColonnade } from './start-server.js';

const people = `\ufeffid,name,born,seen,visits,rate,active,key,note\r
1,"Ann ""A"" Lee",1990-02-28,2026-01-31 12:00,7,1.10,true,018f0000-0000-7000-8000-000000000001,""\r
\r
2,"two
lines",2000-02-29,2026-01-31T12:00:00.5+01:00,3000000000,-2,FALSE,018f0000-0000-7000-8000-000000000002,\r
3,"a;b, é",,,,,,,007\r
`;

describe('colonnade import and export of files', () => {
  const { source, target, keyspace, createTable } = useServerPair();
  const fileOf = (name: string, content: string | Uint8Array) => {
    const path = join(makeTemporaryDirectory(), name);
    writeFileSync(path, content);
    return path;
  };
  const at = (ks: string) => ['--url', source().url, '--to-keyspace', ks];

  it('show the guessed types without a server', async () => {
    const path = fileOf('people.csv', people);
    const { stdout } = await move([
      'import',
      path,
      '--table',
      'people',
      '--dry-run',
      '--url',
      'http://127.0.0.1:9',
    ]);
    const guess =
      'id:int,name:text,born:date,seen:timestamp,visits:bigint,rate:decimal,active:boolean,key:uuid,note:text';
    assert.equal(
      stdout,
      `${path}: 3 rows, delimiter ,
  id      int        such as "1"
  name    text       such as "Ann \\"A\\" Lee"
  born    date       such as "1990-02-28"  1 empty
  seen    timestamp  such as "2026-01-31 12:00"  1 empty
  visits  bigint     such as "7"  1 empty
  rate    decimal    such as "1.10"  1 empty
  active  boolean    such as "true"  1 empty
  key     uuid       such as "018f0000-0000-7000-8000-000000000001"  1 empty
  note    text       such as "007"  1 empty
Correct types with --columns ${guess}
`,
    );
    const json = await move([
      'import',
      path,
      '--table',
      'people',
      '--dry-run',
      '--json',
      '--columns',
      'id:text',
    ]);
    const { ok, file, rows, columns } = JSON.parse(json.stdout);
    assert.deepEqual([ok, file, rows, columns[0]], [true, path, 3, { name: 'id', type: 'text', empty: 0 }]);
  });

  it('create a table, insert every value, and write the same rows to a file', async () => {
    const path = fileOf('people.csv', people);
    const { stdout } = await move(['import', path, '--table', 'people', ...at('filled')]);
    assert.match(stdout, /\npeople: 3 rows, checksum \w{64}, the table has 3\n$/);
    assert.equal(
      await rowsOf(source().url, '/filled/people', '{"id":{"$in":[1,2,3]}}'),
      '[{"id":1,"name":"Ann \\"A\\" Lee","born":"1990-02-28","seen":"2026-01-31T12:00:00.000Z","visits":7,' +
        '"rate":1.1,"active":true,"key":"018f0000-0000-7000-8000-000000000001","note":""},' +
        '{"id":2,"name":"two\\nlines","born":"2000-02-29","seen":"2026-01-31T11:00:00.500Z",' +
        '"visits":3000000000,"rate":-2,"active":false,"key":"018f0000-0000-7000-8000-000000000002"},' +
        '{"id":3,"name":"a;b, é","note":"007"}]\n',
    );
    assert.ok(!existsSync(`${path}.import-progress.json`));

    const out = join(makeTemporaryDirectory(), 'out.csv');
    const from = ['--table', 'people', '--keyspace', 'filled', '--url', source().url];
    await move(['export', out, ...from, '--delimiter', ';']);
    await move(['import', out, '--table', 'copy', ...at('filled')]);
    assert.equal(await rowsOf(source().url, '/filled/copy'), await rowsOf(source().url, '/filled/people'));
    assert.match((await move(['export', out, ...from], 1)).stderr, /out\.csv exists: give a new file/);
    const lines = join(makeTemporaryDirectory(), 'out.ndjson.gz');
    const written = await move(['export', lines, ...from]);
    await send(source().url, '/filled/copy', '{"deleteMany":{"filter":{}}}');
    const read = await move(['import', lines, '--table', 'copy', ...at('filled')]);
    const checksumIn = (output: string) => /checksum (\w+)/.exec(output)?.[1];
    assert.equal(checksumIn(written.stdout), checksumIn(read.stdout));
    assert.equal(await rowsOf(source().url, '/filled/copy'), await rowsOf(source().url, '/filled/people'));
  });

  it('use the types of an existing table, and report refused rows with their lines', async () => {
    const ks = await keyspace('existing');
    const columns = { id: 'int', f: 'double', b: 'blob', tags: { type: 'set', valueType: 'text' } };
    await createTable(`/${ks}`, 'things', { columns, primaryKey: 'id' });
    const path = fileOf(
      'things.tsv',
      'id\tf\ttags\tb\n1\tNaN\t"[""x"",""y""]"\tAA==\nx\t1\t\t\n3\t"a\nb"\t\t\n4\t1\t\n5\t\t\t!\n6\t2\t\t\n6\t3\t\t',
    );
    const { stdout, stderr } = await move(['import', path, '--table', 'things', ...at(ks)], 1);
    assert.match(stdout, /\nthings: 3 rows, 4 refused, checksum \w+, the table has 2\n$/);
    const problems = stderr.replaceAll(path, 'FILE').trimEnd().split('\n');
    assert.deepEqual(problems.slice(0, 3), [
      'colonnade: FILE line 3: the column id is int, which "x" is not',
      'colonnade: FILE line 4: the column f is double, which "a\\nb" is not',
      'colonnade: FILE line 6: the record has 3 fields and not 4: with --ragged the missing fields have no value',
    ]);
    assert.match(problems[3] ?? '', /FILE line 7: INVALID_COLUMN_VALUES/);
    assert.deepEqual(problems.slice(4), [
      'colonnade: 4 rows were refused: correct them and import the file again; ' +
        'the others keep their keys and are not doubled',
      'colonnade: 1 rows replaced others of the file with the same key',
    ]);
    const differing = await move(
      ['import', fileOf('a.csv', 'id,x\n1,2\n'), '--table', 'things', '--columns', 'id:text', ...at(ks)],
      1,
    );
    assert.match(
      differing.stderr,
      /does not fit the table things: the table has no column x; the column id is int and not text/,
    );
  });

  it('make documents, the same ones each time', async () => {
    const path = fileOf('docs.csv', 'n,when,word\n1,2026-01-31T00:00:00Z,x\n2,,\n');
    for (let run = 0; run < 2; run += 1) {
      const { stdout } = await move(['import', path, '--collection', 'docs', ...at('documents')]);
      assert.match(stdout, /docs: 2 documents, checksum \w+, the collection has 2\n$/);
    }
    const found = await send(
      source().url,
      '/documents/docs',
      '{"find":{"projection":{"_id":0},"sort":{"n":1}}}',
    );
    assert.match(found, /"documents":\[\{"n":1,"when":\{"\$date":1769817600000\},"word":"x"\},\{"n":2\}\]/);

    const partly = fileOf('partly.csv', '_id,n\n,1\n7,2\n,3\n');
    for (let run = 0; run < 2; run += 1) {
      const { stdout } = await move(['import', partly, '--collection', 'partly', ...at('documents')]);
      assert.match(stdout, /partly: 3 documents, checksum \w+, the collection has 3\n$/);
    }
    const twoIds = ['import', partly, '--collection', 'partly', '--primary-key', 'n', ...at('documents')];
    assert.match((await move(twoIds, 1)).stderr, /has a column _id, so n cannot be the id too/);

    const lines = fileOf('docs.jsonl', '{"_id":1,"a":{"b":[1.50]}}\nnothing\n\n{"a":2,"a":3}\n{}');
    const { stderr } = await move(['import', lines, '--collection', 'more', ...at('documents')], 1);
    assert.match(
      stderr,
      /line 2: column 1: unexpected character .+\n.+line 4: column 11: member name "a" appears/,
    );
    const out = join(makeTemporaryDirectory(), 'more.csv');
    await move(['export', out, '--collection', 'more', '--keyspace', 'documents', '--url', source().url]);
    assert.deepEqual(
      readFileSync(out, 'utf8')
        .replace(/\w{8}-\w{4}-8\w{3}-\w{4}-\w{12}/, 'UUID')
        .split('\n')
        .sort(),
      ['', '1,"{""b"":[1.5]}"', 'UUID,', '_id,a'],
    );
  });

  it('move objects, arrays and vectors of documents in CSV, and name the members whose types change', async () => {
    const ks = await keyspace('typed');
    const create = (name: string) =>
      send(
        source().url,
        `/${ks}`,
        `{"createCollection":{"name":"${name}","options":{"vector":{"dimension":2}}}}`,
      );
    for (const name of ['first', 'second']) await create(name);
    const objectId = '{"$objectId":"507f1f77bcf86cd799439011"}';
    const documents = [
      '{"_id":1,"o":{"a":[1,null]},"l":[],"$vector":[0.5,-1],"zip":"12","mixed":1,"when":{"$date":7},"day":"2026-01-31","far":{"$date":9000000000000000}}',
      `{"_id":2,"o":{"when":{"$date":7}},"l":["x"],"zip":"34","mixed":[1],"ref":${objectId}}`,
    ];
    await send(source().url, `/${ks}/first`, `{"insertMany":{"documents":[${documents.join(',')}]}}`);
    const out = join(makeTemporaryDirectory(), 'typed.csv');
    const from = ['--keyspace', ks, '--url', source().url];
    const { stdout, stderr } = await move(['export', out, '--collection', 'first', ...from, '--json']);
    const warning =
      'warning: CSV does not keep the types of all members of first. Where an import guesses them: ' +
      'zip (text becomes int); mixed (number becomes text, json becomes text); ref (objectId becomes text). ' +
      'A file .ndjson keeps all types';
    assert.equal(stderr, `colonnade: ${warning}\n`);
    assert.deepEqual(JSON.parse(stdout).problems, [warning]);
    const columns = ['--columns', 'zip:text'];
    const guess = await move(['import', out, '--collection', 'second', '--dry-run', ...columns]);
    assert.match(guess.stdout, /\n {2}o +json +such as "\{\\"a\\":\[1,null\]\}"\n/);
    await move(['import', out, '--collection', 'second', ...columns, ...at(ks)]);
    const read = (name: string, projection: string) =>
      send(source().url, `/${ks}/${name}`, `{"find":{"sort":{"_id":1},"projection":${projection}}}`);
    const kept = '{"mixed":0,"ref":0,"$vector":1}';
    assert.equal(await read('second', kept), await read('first', kept));
    assert.match(
      await read('second', '{"_id":0,"mixed":1,"ref":1}'),
      /"mixed":"\[1\]","ref":"507f1f77bcf86cd799439011"/,
    );

    const refused = await move(['import', out, '--table', 'third', '--columns', 'o:json', ...at(ks)], 1);
    assert.match(
      refused.stderr,
      /the column o cannot be json in a table: give --collection, or another type/,
    );
    const texts = await move(['import', out, '--table', 'third', '--dry-run']);
    assert.match(texts.stdout, /\n {2}o +text /);
  });

  it('refuse a file that they cannot read, and create nothing', async () => {
    const cases: readonly (readonly [content: string | Uint8Array, problem: RegExp])[] = [
      [
        'id,a\n1,"a, b"\n2,"c"\n3,"d"\n4,"x\n',
        /cannot be read as CSV: the record at line 5: its quote is not closed/,
      ],
      [
        Buffer.from('id,a\n1,x\n2,caf\xe9\n', 'latin1'),
        /line 3 is not UTF-8: give its encoding, such as --encoding latin1/,
      ],
      [gzipSync('id,a\n1,x\n').subarray(0, 20), /cannot be decompressed \(gzip\): unexpected end of file/],
      ['', /is empty: its first line must name the columns/],
      ['a,b\n1,2\n', /has no column id: name the primary key of the new table, such as --primary-key a/],
      [`id\n${'x'.repeat(17 * 1024 * 1024)}\n`, /the record at line 2: it has more than 16777216 characters/],
    ];
    for (const [content, problem] of cases) {
      const { stderr } = await move(
        ['import', fileOf('bad.csv', content), '--table', 't', ...at('nowhere')],
        1,
      );
      assert.match(stderr, problem);
    }
    assert.ok(!(await send(source().url, '', '{"findKeyspaces":{}}')).includes('nowhere'));
  });

  it('name what an export to a file leaves out, and miss no member that is added meanwhile', async () => {
    const ks = await keyspace('left_out');
    await query(source().opsUrl, `CREATE TABLE ${ks}.t (id int PRIMARY KEY, f frozen<list<int>>, n text)`);
    await send(source().url, `/${ks}/t`, '{"insertOne":{"document":{"id":1,"n":"x"}}}');
    const at = ['--keyspace', ks, '--url', source().url];
    const out = join(makeTemporaryDirectory(), 'out.csv');
    const { stderr } = await move(['export', out, '--table', 't', ...at], 1);
    assert.match(stderr, /warning: t: the column f \(frozen<list<int>>\) is left out\n/);
    assert.equal(readFileSync(out, 'utf8'), 'id,n\n1,x\n');
    const lines = join(makeTemporaryDirectory(), 'out.ndjson');
    await move(['export', lines, '--table', 't', '--allow-unsupported', ...at]);

    await send(source().url, `/${ks}`, '{"createCollection":{"name":"c"}}');
    await send(source().url, `/${ks}/c`, '{"insertOne":{"document":{"_id":1}}}');
    let adding: Promise<void> | undefined;
    let isAdded = false;
    const gate = await openGate(source().url, (command, before) => {
      if (command !== 'find' || before === 0 || isAdded) return 'pass';
      adding ??= send(source().url, `/${ks}/c`, '{"insertOne":{"document":{"_id":2,"new":3}}}').then(() => {
        isAdded = true;
      });
      return 503;
    });
    const late = join(makeTemporaryDirectory(), 'late.csv');
    const options = ['--keyspace', ks, '--url', gate.url, '--retries', '1000'];
    const failed = await move(['export', late, '--collection', 'c', ...options], 1);
    await adding;
    assert.match(failed.stderr, /"new" was added during the export, and the file has no column for it/);
    assert.ok(!existsSync(late));
    gate.close();
  });

  it('remove the collection or table that an import created, if it could store no row', async () => {
    const bad = fileOf('bad.ndjson', '{"_id":[1]}\n{"_id":{}}\n');
    const refused = await move(['import', bad, '--collection', 'lost', ...at('default_keyspace')], 1);
    assert.match(refused.stdout, /\nlost: 0 documents, 2 refused/);
    const removed = (kind: string, row: string) =>
      new RegExp(
        `the ${kind} default_keyspace.lost, which this import created, got no ${row} and is removed\n`,
      );
    assert.match(refused.stderr, removed('collection', 'document'));
    assert.ok(!existsSync(`${bad}.import-progress.json`));

    const good = fileOf('good.csv', 'id,n\n1,2\n');
    let verdict: 400 | 'cut' = 400;
    const gate = await openGate(source().url, (command, before) => {
      if (command === 'insertMany') return before > 1 ? 'pass' : verdict;
      return command === 'find' && verdict === 'cut' ? 'cut' : 'pass';
    });
    const args = ['import', good, '--table', 'lost', '--url', gate.url, '--retries', '0'];
    const failed = await move(args, 1);
    assert.match(failed.stderr, removed('table', 'row'));
    assert.match(failed.stderr, /rows cannot be inserted into default_keyspace\.lost: HTTP_400/);
    assert.doesNotMatch(await send(source().url, '/default_keyspace', '{"listTables":{}}'), /lost/);

    verdict = 'cut';
    const left = await move(args, 1);
    assert.match(
      left.stderr,
      /lost, which this import created, may be empty and cannot be removed: .+ uses it\n/,
    );
    verdict = 400;
    assert.match((await move(args)).stdout, /\nlost: 1 rows, checksum \w+, the table has 1\n$/);
    gate.close();
  });

  /** Begins an import of `path` into the target, and kills it when it has recorded some rows. */
  const killed = async (path: string, argsTo: (url: string) => readonly string[]) => {
    const gate = await openGate(target().url, (command, before) =>
      command === 'insertMany' && before >= 35 ? 'hold' : 'pass',
    );
    const { child, ended } = begin([...argsTo(gate.url)]);
    await gate.held;
    while (!existsSync(`${path}.import-progress.json`))
      await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await ended;
    return gate;
  };

  it('continue after a kill', async () => {
    const rows = Array.from({ length: 5000 }, (_, row) => `${row % 4999},text ${row}`);
    const path = fileOf('many.csv', `id,t\n${rows.join('\n')}\n`);
    const to = ['--to-keyspace', 'killed', '--url'];
    const args = (url: string) => ['import', path, '--table', 'many', ...to, url];
    const gate = await killed(path, args);
    const ofOtherTable = args(target().url).map((each) => (each === 'many' ? 'other' : each));
    for (const other of [args(source().url), ofOtherTable])
      assert.match((await move(other, 1)).stderr, /belongs to another import/);
    gate.close();
    await send(target().url, '/killed/many', '{"insertOne":{"document":{"id":-1}}}');
    // The target knows its page states, whatever its address is.
    const { stdout, stderr } = await move(args(target().url), 1);
    assert.match(stdout, /\nmany: 5000 rows, checksum \w+, the table has 5000\n$/);
    assert.equal(stderr, 'colonnade: 1 rows replaced others of the file with the same key\n');
  });

  it('store the last of rows with the same key, also if a request is answered late, and count the others', async () => {
    const rows = Array.from({ length: 250 }, (_, row) => `${row % 240},t${row}`);
    const path = fileOf('twice.csv', `id,t\n${rows.join('\n')}\n`);
    const lines = rows.map((row) => `{"_id":${row.replace(',t', ',"t":"t')}"}`);
    const json = fileOf('twice.ndjson', lines.join('\n'));
    for (const [file, kind, id, ...args] of [
      [path, 'table', 'id'],
      [path, 'collection', '_id', '--primary-key', 'id'],
      [path, 'collection', '_id', '--id-from', 'id'],
      [json, 'collection', '_id'],
    ] as const) {
      const gate = await openGate(source().url, (command, before) =>
        command === 'insertMany' && before === 0 ? 'hold' : 'pass',
      );
      const to = ['--to-keyspace', await keyspace('twice'), '--verify', 'no', '--url', gate.url];
      const name = `${kind}_${file === json ? 'json' : args.join('').replaceAll('-', '')}`;
      const { ended, stderr } = begin(['import', file, `--${kind}`, name, ...args, ...to]);
      await gate.held;
      await new Promise((resolve) => setTimeout(resolve, 300)); // time for requests that are not to be sent
      gate.release();
      const code = await ended;
      gate.close();
      assert.equal(code, 1, stderr());
      assert.equal(stderr(), 'colonnade: 10 rows replaced others of the file with the same key\n');
      const found = await rowsOf(source().url, `/twice/${name}`, `{"${id}":3}`);
      assert.match(found, /"t":"t243"/);
    }
  });

  it('say that a file has changed during its import, and import it again from its beginning', async () => {
    const rows = Array.from({ length: 30_000 }, (_, row) => `${row},"${'a text '.repeat(8)}${row}"`);
    const path = fileOf('growing.csv', `id,t\n${rows.join('\n')}\n`);
    const gate = await openGate(source().url, (command, before) =>
      command === 'insertMany' && before === 40 ? 'hold' : 'pass',
    );
    const args = ['import', path, '--table', 'growing', '--to-keyspace', 'changed', '--url'];
    const { ended, stderr } = begin([...args, gate.url]);
    await gate.held;
    appendFileSync(path, 'x,"a later line"\n');
    gate.release();
    const code = await ended;
    gate.close();
    assert.equal(code, 1);
    assert.match(
      stderr(),
      /growing\.csv has changed during the import: rows .+ remain.+Import it again when/,
    );
    assert.ok(!existsSync(`${path}.import-progress.json`));
    const again = await move([...args, source().url], 1);
    assert.match(again.stdout, /\ngrowing: 30000 rows, 1 refused, checksum \w+, the table has 30000\n$/);
  });

  it('begin with the first row after too many refused ones', async () => {
    const path = fileOf('corrected.csv', `id,n\n${'x,1\n'.repeat(1001)}`);
    const args = ['import', path, '--table', 'corrected', '--columns', 'id:int,n:int', ...at('corrected')];
    assert.match((await move(args, 1)).stderr, /more than 1000 rows were refused\n/);
    writeFileSync(path, `id,n\n2,2\n${'x,1\n'.repeat(1001)}`);
    assert.match((await move(args, 1)).stderr, /more than 1000 rows were refused\n/);
    writeFileSync(path, 'id,n\n1,1\n');
    assert.match((await move(args)).stdout, /\ncorrected: 1 rows, checksum \w+, the table has 2\n$/);
  });

  it('continue only with the options that decided the rows before', async () => {
    const rows = Array.from({ length: 5000 }, (_, row) => `${row},a${row},${row}`);
    const path = fileOf('options.csv', `n,sku,m\n${rows.join('\n')}\n`);
    const to = ['--to-keyspace', 'killed', '--url'];
    const args = (url: string) => ['import', path, '--collection', 'options', ...to, url];
    (await killed(path, args)).close();
    const others = [
      ...['--id-from sku', '--primary-key sku', '--columns m:text', '--names n,sku,k', '--null 7'],
      ...['--decimal ,', '--thousands ,', '--encoding latin1', '--ragged', '--skip-initial-space'],
      ...['--no-header --skip-lines 1', '--comment 4', '--delimiter ;', "--quote '"],
    ];
    for (const options of others) {
      const { stderr } = await move([...args(target().url), ...options.split(' ')], 1);
      assert.match(stderr, /belongs to another import, to .+ with other options: /, options);
    }
    // These say what is guessed.
    const { stdout } = await move([...args(target().url), '--columns', 'm:int', '--delimiter', ',']);
    assert.match(stdout, /\noptions: 5000 documents, checksum \w+, the collection has 5000\n$/);
  });

  it('finish their work if nobody reads the problems, and report a result that cannot be written', async () => {
    const wrong = Array.from({ length: 300 }, (_, row) => `x${row},t`);
    const path = fileOf('mixed.csv', `id,t\n${wrong.join('\n')}\n1,good\n`);
    const args = ['import', path, '--table', 'mixed', '--columns', 'id:int', ...at('unread'), '--json'];
    const closed = ['bash', '-c', 'exec 2> >(head -c 1 >/dev/null); exec "$@"', 'bash'];
    const { code, stdout } = await runColonnade(args, {}, undefined, closed);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).tables[0].rows, 1);

    const full = await runColonnade(['help'], {}, undefined, ['sh', '-c', 'exec "$@" >/dev/full', 'sh']);
    assert.equal(full.code, 1);
    assert.match(full.stderr, /^colonnade: standard output cannot be written: ENOSPC.+\n$/);
  });

  it('say what a file is that an export could not finish', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `{"_id":${row},"text":"a text of the row ${row}"}`);
    const lines = fileOf('long.ndjson', rows.join('\n'));
    await move(['import', lines, '--collection', 'long', ...at('unfinished')]);
    const out = join(makeTemporaryDirectory(), 'long.csv');
    const of = ['--collection', 'long', '--keyspace', 'unfinished', '--url'];
    const args = (url: string, path = out) => ['export', path, ...of, url];
    const launcher = ['sh', '-c', 'ulimit -S -f 64 && exec "$@"', 'sh']; // blocks of 512 or 1024 bytes
    const full = await runColonnade(args(source().url), {}, undefined, launcher);
    assert.equal(full.code, 1);
    assert.match(
      full.stderr,
      /long\.csv\.part cannot be written: EFBIG.+ Make room, then run the same command/,
    );

    const gate = await openGate(source().url, (command, before) =>
      command === 'find' && before > 0 ? 'hold' : 'pass',
    );
    const { child, ended, stderr } = begin(args(gate.url));
    await gate.held;
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.equal(stderr(), 'colonnade: interrupted; the same command starts again with the first row\n');
    gate.close();

    // Two at the same time: the one that is behind does not take the file of the other for its own.
    // It reads the 60 pages twice, the second time to write them.
    const slow = await openGate(source().url, (command, before) =>
      command === 'find' && before === 90 ? 'hold' : 'pass',
    );
    const behind = begin(args(slow.url));
    await slow.held;
    await move(args(source().url));
    slow.release();
    assert.equal(await behind.ended, 1);
    assert.match(behind.stderr(), /long\.csv\.part has changed: another process writes to it/);
    slow.close();

    const other = await openGate(source().url, (command, before) =>
      command === 'find' && before === 90 ? 'hold' : 'pass',
    );
    const taken = `${out}.csv`;
    const late = begin(args(other.url, taken));
    await other.held;
    writeFileSync(taken, 'of others');
    other.release();
    const code = await late.ended;
    other.close();
    assert.equal(code, 1);
    assert.match(
      late.stderr(),
      /was created by another program during the export: the rows are in .+\.part\n$/,
    );
    assert.equal(readFileSync(taken, 'utf8'), 'of others');
    assert.equal(readFileSync(`${taken}.part`, 'utf8').split('\n').length, 3002);
  });
});
