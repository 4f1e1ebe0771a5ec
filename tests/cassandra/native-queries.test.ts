// Native queries on a real node: they are the cluster's own language, and bounded.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, runColonnade } from '../acceptance/start-server.js';
import { post, startOnCluster, tokenOf } from './cluster-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const nothing = '{"columns":[],"rows":[]}';

describe('native queries on a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const port = () => cluster().nodes[0]?.place.nativePort ?? 0;
  let server: RunningServer;
  const ask = (query: string) => post(`${server.opsUrl}/local/cql`, { query });
  const cql = async (query: string) => {
    const { status, text } = await ask(query);
    assert.equal(status, 200, text);
    return text;
  };
  const rowsOf = async (query: string) => JSON.parse(await cql(query)).rows as unknown[][];
  const refuses = async (query: string, reason: RegExp) => {
    const { status, text } = await ask(query);
    assert.equal(status, 400, text);
    assert.match(text, reason);
  };
  const isReady = async () => (await fetch(`${server.url}/health/ready`)).status === 200;

  before(async () => {
    server = await startOnCluster(port());
    await waitFor('the cluster', isReady);
    await cql("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    await cql('CREATE TYPE shop.place (street text, number int)');
    await cql(
      'CREATE TABLE shop.all_types (id int PRIMARY KEY, big bigint, exact decimal, d date, u uuid, b blob, f float, ' +
        'm map<text, int>, n map<int, text>, t tuple<int, text>, p frozen<place>, l list<frozen<map<text, int>>>, ' +
        'v vector<float, 2>, dur duration, addr inet)',
    );
  });
  after(() => server.stop());

  it('write values as the data service does', async () => {
    await cql(
      'INSERT INTO shop.all_types (id, big, exact, d, u, b, f, m, n, t, p, l, v, dur, addr) VALUES (1, ' +
        "9223372036854775807, 1.50, '2026-11-23', 00000000-0000-4000-8000-000000000001, 0xff, 1.5, {'a': 1}, " +
        "{2: 'b'}, (3, 'c'), {street: 'x', number: 4}, [{'__proto__': 5}], [1, 0.5], 1d2h, '::1')",
    );
    const shown = await cql('SELECT * FROM shop.all_types');
    const columns = JSON.parse(shown).columns as readonly { readonly name: string; readonly type: string }[];
    assert.deepEqual(
      columns.map(({ name, type }) => `${name} ${type}`),
      [
        ...[
          'id int',
          'addr inet',
          'b blob',
          'big bigint',
          'd date',
          'dur duration',
          'exact decimal',
          'f float',
        ],
        ...[
          'l list<map<text, int>>',
          'm map<text, int>',
          'n map<int, text>',
          'p place',
          't tuple<int, text>',
        ],
        ...['u uuid', 'v vector<float, 2>'],
      ],
    );
    assert.equal(
      shown.slice(shown.indexOf('"rows"')),
      '"rows":[[1,"0:0:0:0:0:0:0:1",{"$binary":"/w=="},9223372036854775807,"2026-11-23","P1DT2H",1.5,1.5,' +
        '[{"__proto__":5}],{"a":1},[[2,"b"]],{"street":"x","number":4},"(3,c)",' +
        '"00000000-0000-4000-8000-000000000001",[1.0,0.5]]]}',
    );
  });

  it('take everything that Cassandra takes, also batches and functions', async () => {
    await cql('CREATE TABLE shop.lines (id int, line int, note text, PRIMARY KEY (id, line))');
    const batch =
      'BEGIN BATCH INSERT INTO shop.lines (id, line, note) VALUES (1, 1, $$a;b$$); ' +
      "INSERT INTO shop.lines (id, line, note) VALUES (1, 2, 'c') ; APPLY BATCH;";
    assert.equal(await cql(batch), nothing);
    assert.deepEqual(await rowsOf('SELECT count(*), max(note) FROM shop.lines'), [[2, 'c']]);
    assert.deepEqual(
      await rowsOf('INSERT INTO shop.lines (id, line) VALUES (1, 1) IF NOT EXISTS').then(([row]) => row?.[0]),
      false,
    );
    assert.match(await cql('DESCRIBE TABLE shop.lines'), /CREATE TABLE shop.lines/);
    assert.equal(await cql('TRUNCATE shop.lines'), nothing);
    assert.deepEqual(await rowsOf('SELECT * FROM shop.lines'), []);
  });

  it('make columns of user-defined types, which alterTable drops only if they are frozen', async () => {
    await cql(
      'CREATE TABLE shop.homes (id int PRIMARY KEY, home place, former frozen<place>, all_of list<frozen<place>>)',
    );
    const drop = async (...columns: readonly string[]) => {
      const { text } = await post(`${server.url}/v1/shop/homes`, {
        alterTable: { operation: { drop: { columns } } },
      });
      return text;
    };
    const refused = await drop('former', 'home');
    assert.match(refused, /"family":"REQUEST","scope":"SCHEMA","errorCode":"CANNOT_DROP_PERMANENT_COLUMNS"/);
    assert.match(refused, /home\(.*can be dropped: all_of\(.*former\(/);
    assert.equal(await drop('former', 'all_of'), '{"status":{"ok":1}}');
    await refuses('ALTER TABLE shop.homes DROP home', /user type/);
  });

  it('native queries on a cluster: are refused in the words of the cluster', async () => {
    await refuses('SELEC', /no viable alternative/);
    await refuses('SELECT * FROM shop.nowhere', /nowhere/);
    await refuses('CREATE TABLE shop.lines (id int PRIMARY KEY)', /lines/);
    await refuses(`SELECT * FROM shop.lines WHERE note = 'x'`, /ALLOW FILTERING/);
    await refuses('SELECT * FROM shop.lines WHERE id = ?', /bind/i);
    await refuses('SELECT release_version AS x, cluster_name AS x FROM system.local', /two columns x/);
    await refuses(`-- ${'x'.repeat(200_000)}`, /200000 characters/);
    const deep = `${'('.repeat(20_000)}1${')'.repeat(20_000)}`;
    await refuses(`SELECT * FROM shop.lines WHERE id = ${deep}`, /nested too deeply/);
  });

  it('keep the session as it is: USE is refused', async () => {
    await refuses('USE shop', /keyspace\.table/);
    await refuses('/* x */ use "shop";', /keyspace\.table/);
  });

  it('return at most 1,000 rows and 16 MiB', async () => {
    const values = Array.from({ length: 1_001 }, (_, at) => at);
    for (let from = 0; from < values.length; from += 100) {
      const lines = values.slice(from, from + 100);
      const inserts = lines.map(
        (line) => `INSERT INTO shop.lines (id, line, note) VALUES (2, ${line}, 'n');`,
      );
      await cql(`BEGIN UNLOGGED BATCH ${inserts.join(' ')} APPLY BATCH`);
    }
    await refuses('SELECT * FROM shop.lines WHERE id = 2', /more than 1000 rows/);
    for (const limit of [1, 19, 20, 21, 39, 40, 100, 320, 500, 999, 1_000])
      assert.deepEqual(
        await rowsOf(`SELECT line FROM shop.lines WHERE id = 2 LIMIT ${limit}`),
        values.slice(0, limit).map((line) => [line]),
      );
    const large = `'${'x'.repeat(190_000)}'`;
    for (let line = 0; line < 100; line += 1)
      await cql(`INSERT INTO shop.lines (id, line, note) VALUES (3, ${line}, ${large})`);
    await refuses('SELECT * FROM shop.lines WHERE id = 3', /more than 16 MiB/);
    assert.equal((await rowsOf('SELECT * FROM shop.lines WHERE id = 3 LIMIT 80')).length, 80);
  });

  it('change the schema for the next command, and are reported', async () => {
    const tables = async () => (await post(`${server.url}/v1/shop`, { listTables: {} })).text;
    for (let round = 0; round < 5; round += 1) {
      await cql(`CREATE TABLE shop.round_${round} (id int PRIMARY KEY)`);
      assert.match(await tables(), new RegExp(`"round_${round}"`));
      await cql(`DROP TABLE shop.round_${round}`);
      assert.doesNotMatch(await tables(), new RegExp(`"round_${round}"`));
    }
    const events = await (await fetch(`${server.opsUrl}/local/events?count=100`)).text();
    assert.match(events, /changed the schema by a native query/);
  });

  it('come from the command line, batches as one statement', async () => {
    const statements =
      'BEGIN BATCH INSERT INTO shop.lines (id, line, note) VALUES (4, 1, $$a;b$$);' +
      "INSERT INTO shop.lines (id, line, note) VALUES (4, 2, 'c'); APPLY BATCH; SELECT * FROM shop.lines WHERE id = 4";
    const { code, stdout, stderr } = await runColonnade([
      'cql',
      '--ops-url',
      server.opsUrl,
      '-e',
      statements,
    ]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /4 +\| 1 +\| a;b\n 4 +\| 2 +\| c/);
  });

  it('say so when the cluster is away, and whether the statement may have taken effect', async () => {
    const [node] = cluster().nodes;
    assert.ok(node !== undefined);
    await node.stop();
    await waitFor('the end of the node', async () => !(await isReady()));
    const { status, text } = await ask('SELECT * FROM shop.lines');
    assert.deepEqual([status, /no node|ECONNREFUSED/.test(text)], [503, true], text);
    await node.restart();
    await waitFor('the node', isReady);
    assert.equal((await rowsOf('SELECT * FROM shop.lines WHERE id = 4')).length, 2);
  });

  it('names of users: prove nothing where the cluster asks for no password', async () => {
    const guarded = await startOnCluster(port(), { args: ['--token', 'T'] });
    try {
      await waitFor('the cluster', async () => (await fetch(`${guarded.url}/health/ready`)).status === 200);
      const find = (url: string, token: string) => post(`${url}/v1`, { findKeyspaces: {} }, token);
      assert.equal((await find(guarded.url, 'T')).status, 200);
      const stranger = tokenOf('cassandra', 'cassandra');
      const { status, text } = await find(guarded.url, stranger);
      assert.deepEqual([status, text.includes('UNAUTHENTICATED_REQUEST')], [401, true]);
      // Without a token of the server everyone is let in anyway.
      assert.equal((await find(server.url, stranger)).status, 200);
    } finally {
      await guarded.stop();
    }
  });
});
