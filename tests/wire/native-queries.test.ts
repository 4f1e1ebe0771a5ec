// Native queries on the operations port: statements, replies, and requests that are refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, cql, sendToOps, restart } = useWireServer();
const path = '/local/cql';
const nothing = '{"columns":[],"rows":[]}';
const early = '00000000-0000-1000-8080-808080808080';
const time = '13814000-1dd2-11b2-8000-000000000000';

/** Sends a statement that is refused with this message. */
async function refused(query: string, message: string | RegExp): Promise<void> {
  const { status, text } = await sendToOps({ path, body: JSON.stringify({ query }) });
  if (message instanceof RegExp) return assert.match(text, message);
  assert.deepEqual([status, text], [400, JSON.stringify({ type: 'BadRequest', message, details: [] })]);
}

describe('POST /local/cql', () => {
  it('carries out CREATE TABLE, INSERT, UPDATE, SELECT, DELETE, ALTER TABLE and DROP TABLE', async () => {
    const create =
      'CREATE TABLE IF NOT EXISTS default_keyspace.all_of_it (p int, c timeuuid, "N" varchar, f set<int>, ' +
      'PRIMARY KEY ((p), c)) WITH CLUSTERING ORDER BY (c DESC);';
    assert.equal(await cql(create), nothing);
    assert.equal(await cql(create), nothing);
    const insert = `INSERT INTO default_keyspace.all_of_it (p, c, "N", f) VALUES (1, ${time}, 'it''s', {2, 1})`;
    assert.equal(await cql(insert), nothing);
    const update = `UPDATE default_keyspace.all_of_it SET "N" = $$a;b$$ WHERE p = 1 AND c = ${early}`;
    assert.equal(await cql(update), nothing);
    assert.equal(
      await cql('SELECT * FROM default_keyspace.all_of_it WHERE p = 1'),
      '{"columns":[{"name":"p","type":"int"},{"name":"c","type":"timeuuid"},{"name":"N","type":"text"},' +
        '{"name":"f","type":"set<int>"}],' +
        `"rows":[[1,"${time}","it's",[1,2]],[1,"${early}","a;b",null]]}`,
    );
    await cql(`DELETE f FROM default_keyspace.all_of_it WHERE p = 1 AND c = ${time}`);
    await cql(`DELETE FROM default_keyspace.all_of_it WHERE p = 1 AND c < ${time}`);
    await cql('ALTER TABLE default_keyspace.all_of_it ADD (n2 bigint, s int static)');
    await cql('ALTER TABLE default_keyspace.all_of_it DROP f');
    assert.equal(
      await cql('SELECT c, n2 FROM default_keyspace.all_of_it WHERE p = 1 LIMIT 10'),
      `{"columns":[{"name":"c","type":"timeuuid"},{"name":"n2","type":"bigint"}],"rows":[["${time}",null]]}`,
    );
    await restart();
    assert.match(await cql('SELECT c FROM default_keyspace.all_of_it WHERE p IN (1, 2)'), /13814000/);
    assert.equal(await cql('DROP TABLE default_keyspace.all_of_it'), nothing);
    assert.equal(await cql('DROP TABLE IF EXISTS default_keyspace.all_of_it'), nothing);
    await refused('DROP TABLE default_keyspace.all_of_it', /all_of_it/);
  });

  it('counts, also from the greatest number to the least, and keeps all digits', async () => {
    await cql('CREATE TABLE default_keyspace.counts (id text PRIMARY KEY, n counter, m counter)');
    const add = (change: string) => cql(`UPDATE default_keyspace.counts SET ${change} WHERE id = 'a'`);
    await add('n = n + 9223372036854775807');
    const shown = () => cql(`SELECT n, m FROM default_keyspace.counts WHERE id = 'a'`);
    const columns = '{"columns":[{"name":"n","type":"counter"},{"name":"m","type":"counter"}]';
    assert.equal(await shown(), `${columns},"rows":[[9223372036854775807,null]]}`);
    await add('n = n + 2, m -= 5');
    assert.equal(await shown(), `${columns},"rows":[[-9223372036854775807,-5]]}`);
    await add('n = n + 9223372036854775807');
    await add('n = n + 1');
    assert.equal(await shown(), `${columns},"rows":[[1,-5]]}`);
    await cql(`DELETE m FROM default_keyspace.counts WHERE id = 'a'`);
    assert.equal(await shown(), `${columns},"rows":[[1,null]]}`);
    await cql(`DELETE FROM default_keyspace.counts WHERE id = 'a'`);
    assert.equal(await shown(), `${columns},"rows":[]}`);
  });

  it('loses none of many additions at the same time', async () => {
    await cql('CREATE TABLE default_keyspace.busy (id int PRIMARY KEY, n counter)');
    await Promise.all(
      Array.from({ length: 200 }, (_, round) =>
        cql(`UPDATE default_keyspace.busy SET n = n ${round % 4 === 0 ? '-' : '+'} 3 WHERE id = 1`),
      ),
    );
    assert.match(await cql('SELECT n FROM default_keyspace.busy WHERE id = 1'), /\[\[300\]\]/);
  });

  it('takes literals of every kind', async () => {
    const columns =
      'a ascii, b bigint, bl blob, bo boolean, d date, de decimal, do double, du duration, f float, i inet, ' +
      'l list<int>, m map<text, int>, s set<text>, t time, ts timestamp, ti tinyint, u uuid, v varint';
    await cql(`CREATE TABLE default_keyspace.literals (id int PRIMARY KEY, ${columns})`);
    const names = 'id, a, b, bl, bo, d, de, do, du, f, i, l, m, s, t, ts, ti, u, v';
    const values =
      `1, 'x', -5, 0xCAFE, true, '2020-02-29', 0012.50, -Infinity, 1h30m, NaN, '::1', [3, 1], {'k': 1, 'j': -2}, ` +
      `{'b', 'a'}, '10:00:00', '2020-01-01T00:00:00Z', 7, ${time.toUpperCase()}, 1${'0'.repeat(30)}`;
    await cql(`INSERT INTO default_keyspace.literals (${names}) VALUES (${values})`);
    const text = await cql(`SELECT ${names} FROM default_keyspace.literals WHERE id = 1`);
    assert.equal(
      text.slice(text.indexOf('"rows"')),
      '"rows":[[1,"x",-5,{"$binary":"yv4="},true,"2020-02-29",12.5,"-Infinity","PT1H30M","NaN",' +
        '"0:0:0:0:0:0:0:1",[3,1],{"j":-2,"k":1},["a","b"],"10:00:00","2020-01-01T00:00:00.000Z",7,' +
        `"${time}",1${'0'.repeat(30)}]]}`,
    );
    await cql(`INSERT INTO default_keyspace.literals (id, l, m, s, du) VALUES (1, [], {}, {}, -P1DT2H)`);
    const after = await cql('SELECT l, m, s, du, a FROM default_keyspace.literals WHERE id = 1');
    assert.match(after, /"rows":\[\[null,null,null,"-P1DT2H","x"\]\]/);
  });

  it('keeps empty frozen collections, which are values', async () => {
    const columns = 'id int PRIMARY KEY, l frozen<list<int>>, s frozen<set<int>>, m frozen<map<text, int>>';
    await cql(`CREATE TABLE default_keyspace.empty_ones (${columns})`);
    await cql('INSERT INTO default_keyspace.empty_ones (id, l, s, m) VALUES (1, [], {}, {})');
    const text = await cql('SELECT l, s, m FROM default_keyspace.empty_ones WHERE id = 1');
    assert.match(text, /"rows":\[\[\[\],\[\],\{\}\]\]/);
  });

  it('gives at most 1,000 rows, and no part of more unless a LIMIT asks for it', async () => {
    await cql('CREATE TABLE default_keyspace.many (p int, c int, PRIMARY KEY (p, c))');
    for (let first = 0; first < 1_001; first += 91) {
      const rows = Array.from({ length: 91 }, (_, at) => `{"p":1,"c":${first + at}}`);
      const keys = rows.map((row) => row.replaceAll(/\{"p":(\d+),"c":(\d+)\}/g, '[$1,$2]'));
      await at('/v1/default_keyspace/many')(
        `{"insertMany":{"documents":[${rows.join(',')}]}}`,
        `{"status":{"insertedIds":[${keys.join(',')}],"primaryKeySchema":{"p":{"type":"int"},"c":{"type":"int"}}}}`,
      );
    }
    await refused(
      'SELECT c FROM default_keyspace.many WHERE p = 1',
      'the result has more than 1000 rows or more than 16 MiB; select fewer rows, or add a LIMIT',
    );
    const limited = await cql('SELECT c FROM default_keyspace.many WHERE p = 1 LIMIT 1000');
    assert.equal(JSON.parse(limited).rows.length, 1000);
    const slice = await cql('SELECT c FROM default_keyspace.many WHERE p = 1 AND c > 998');
    assert.match(slice, /"rows":\[\[999\],\[1000\]\]/);
  });
});

describe('the event log', () => {
  it('records native queries without their values, and the changes of the schema that they make', async () => {
    await cql('CREATE TABLE default_keyspace.logged (id int PRIMARY KEY, v text)');
    await cql(`INSERT INTO default_keyspace.logged (id, v) VALUES (1, 'hidden')`);
    await refused('DROP TABLE default_keyspace.missing', /missing/);
    const { text } = await sendToOps({ path: '/local/events?count=4', method: 'GET' });
    const events: readonly { action: number; message: string; success: boolean | null }[] = JSON.parse(text);
    const [change] = events.filter(({ action }) => action === 1040);
    assert.ok(change !== undefined && change.success === null, text);
    assert.deepEqual(
      events
        .filter((event) => event !== change)
        .map(({ action, message, success }) => [action, message, success]),
      [
        [1041, 'native query: DROP TABLE default_keyspace.missing', false],
        [1041, 'native query: INSERT INTO default_keyspace.logged', true],
        [1041, 'native query: CREATE TABLE default_keyspace.logged', true],
      ],
    );
  });
});

describe('a request to POST /local/cql', () => {
  const problems: readonly (readonly [body: string, message: string])[] = [
    ['', 'the body is missing'],
    ['{}', 'query is missing'],
    ['{"query":7}', 'query must be a text of one statement'],
    ['{"query":" "}', 'query must be a text of one statement'],
    ['{"query":"SELECT","x":1}', 'x is not known'],
    ['{"query":"SELECT","query":"SELECT"}', 'the body cannot be read as JSON: '],
  ];
  for (const [body, message] of problems) {
    it(`is refused with the body ${body}`, async () => {
      const { status, text } = await sendToOps({ path, body });
      assert.equal(status, 400);
      assert.ok(text.startsWith(`{"type":"BadRequest","message":"${message}`), text);
    });
  }

  it('may have no content type or that of a form, and no other than JSON', async () => {
    const body = '{"query":"DROP TABLE IF EXISTS default_keyspace.t"}';
    const typed = async (headers: Readonly<Record<string, string>>) =>
      (await sendToOps({ path, body, headers })).status;
    assert.equal(await typed({}), 200);
    assert.equal(await typed({ 'content-type': 'application/x-www-form-urlencoded' }), 200);
    assert.equal(await typed({ 'content-type': 'Application/JSON; charset=utf-8' }), 200);
    assert.equal(await typed({ 'content-type': 'text/plain' }), 415);
  });

  it('must be a POST to a cluster that is there', async () => {
    const wrong = await sendToOps({ path, method: 'GET' });
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'POST']);
    const unknown = await sendToOps({ path: '/elsewhere/cql', body: '{}' });
    assert.deepEqual(
      [unknown.status, unknown.text],
      [
        404,
        '{"type":"NotFound","message":"there is no cluster \\"elsewhere\\"; the clusters are local","details":[]}',
      ],
    );
  });

  it('of a web page of another host is refused', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
    const { status } = await sendToOps({ path, body: '{"query":"DROP TABLE a.b"}', headers });
    assert.equal(status, 403);
  });
});

describe('POST /local/cql of a server with --token', () => {
  const guarded = useWireServer({ args: ['--token', 'secret'] });
  const body = '{"query":"DROP TABLE IF EXISTS default_keyspace.t"}';
  const send = async (headers: Readonly<Record<string, string>>) =>
    guarded.sendToOps({ path, body, headers: { 'content-type': 'application/json', ...headers } });

  it('wants the token in the header Token', async () => {
    assert.equal((await send({ token: 'secret' })).status, 200);
    const missing = 'this needs the token that the server was started with: send it in the header Token';
    const wrong = 'the token in the header Token is wrong';
    for (const [headers, message] of [
      [{}, missing],
      [{ authorization: 'Bearer secret' }, missing],
      [{ token: 'Secret' }, wrong],
    ] as const) {
      const { status, text } = await send(headers);
      assert.deepEqual([status, text], [401, `{"type":"Unauthorized","message":"${message}","details":[]}`]);
    }
  });
});
