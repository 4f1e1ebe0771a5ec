// The native query language of the embedded engine: what it refuses, and what a cluster answers in another way.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { defineUserType } from '../acceptance/user-types.js';
import { useWireServer } from './wire-server.js';

const { at, cql, sendToOps } = useWireServer();

/** Sends a statement that is refused with this message. */
async function refused(query: string, message: string | RegExp): Promise<void> {
  const { status, text } = await sendToOps({ path: '/local/cql', body: JSON.stringify({ query }) });
  if (message instanceof RegExp) return assert.match(text, message);
  assert.deepEqual([status, text], [400, JSON.stringify({ type: 'BadRequest', message, details: [] })]);
}

describe('native queries of the embedded engine (embedded)', () => {
  it('refuses names of columns that commands could not name', async () => {
    const message = /\\"\$a\\" cannot be the name of a column/;
    await refused('CREATE TABLE default_keyspace.odd (id int PRIMARY KEY, "$a" int)', message);
    await cql('CREATE TABLE default_keyspace.odd (id int PRIMARY KEY)');
    await refused('ALTER TABLE default_keyspace.odd ADD "$a" int', message);
    await cql('DROP TABLE default_keyspace.odd');
  });

  it('say which columns are frozen and which are static', async () => {
    await cql(
      'CREATE TABLE default_keyspace.shown (p int, c int, f frozen<set<int>>, s int STATIC, PRIMARY KEY (p, c))',
    );
    assert.match(
      await cql('SELECT f, s FROM default_keyspace.shown WHERE p = 1'),
      /\{"name":"f","type":"frozen<set<int>>"\},\{"name":"s","type":"static int"\}/,
    );
  });

  it('refuse to drop a table that is not there, and name those that are', async () => {
    await refused(
      'DROP TABLE default_keyspace.gone',
      'there is no table default_keyspace.gone; the tables of default_keyspace are: shown',
    );
  });

  it('count again from zero where a counter was deleted', async () => {
    await cql('CREATE TABLE default_keyspace.counts (id text PRIMARY KEY, n counter, m counter)');
    await cql(`UPDATE default_keyspace.counts SET n = n + 1, m = m - 5 WHERE id = 'a'`);
    await cql(`DELETE m FROM default_keyspace.counts WHERE id = 'a'`);
    await cql(`UPDATE default_keyspace.counts SET m = m - 1 WHERE id = 'a'`);
    assert.match(await cql(`SELECT n, m FROM default_keyspace.counts WHERE id = 'a'`), /\[\[1,-1\]\]/);
  });

  it('subtract the least number from a counter', async () => {
    await cql('CREATE TABLE default_keyspace.least (id int PRIMARY KEY, n counter)');
    await cql('UPDATE default_keyspace.least SET n = n - -9223372036854775808 WHERE id = 1');
    assert.match(
      await cql('SELECT n FROM default_keyspace.least WHERE id = 1'),
      /\[\[-9223372036854775808\]\]/,
    );
  });

  it('take whole numbers with an exponent', async () => {
    await cql('CREATE TABLE default_keyspace.large (id int PRIMARY KEY, v varint)');
    await cql('INSERT INTO default_keyspace.large (id, v) VALUES (1, 1e30)');
    assert.match(
      await cql('SELECT v FROM default_keyspace.large WHERE id = 1'),
      new RegExp(`\\[\\[1${'0'.repeat(30)}\\]\\]`),
    );
  });

  it('have a LIMIT of at most 1,000', () =>
    refused('SELECT v FROM default_keyspace.large WHERE id = 1 LIMIT 1001', 'LIMIT is at most 1000'));

  it('are events that name the table they make', async () => {
    await cql('CREATE TABLE default_keyspace.logged (id int PRIMARY KEY)');
    const { text } = await sendToOps({ path: '/local/events?count=2', method: 'GET' });
    assert.match(text, /"message":"created the table default_keyspace\.logged"/);
  });
});

describe('a statement of the language of the embedded engine (embedded)', () => {
  const t = 'default_keyspace.refusals';
  const c = 'default_keyspace.counters';
  before(async () => {
    await defineUserType('default_keyspace.address');
    await cql(`CREATE TABLE ${t} (p int, c int, v int, l list<int>, u address, PRIMARY KEY (p, c))`);
    await cql(`CREATE TABLE ${c} (id int PRIMARY KEY, n counter)`);
    await cql(`ALTER TABLE ${t} ADD (gone int, e vector<float, 2>)`);
    await cql(`ALTER TABLE ${t} DROP gone`);
    await at('/v1/default_keyspace/refusals')(
      '{"createIndex":{"name":"refusals_v","definition":{"column":"v"}}}',
      '{"status":{"ok":1}}',
    );
  });

  const columns = 'p(int), c(int), v(int), l(list<int>), u(unsupported address), e(vector<float,2>)';
  const noClause = 'further clauses and statements are not supported';
  const needsKey = 'WHERE must select rows by the partition key; the command find reads all rows of a table';
  const cases: readonly (readonly [query: string, message: string | RegExp])[] = [
    [`CREATE TABLE ${t} (a int PRIMARY KEY)`, `the table ${t} already exists`],
    [
      'CREATE TABLE nowhere.t (a int PRIMARY KEY)',
      'there is no keyspace nowhere; there are: default_keyspace',
    ],
    [
      'CREATE TABLE t (a int PRIMARY KEY)',
      'expected a table as keyspace.table, found "(" (line 1, column 16)',
    ],
    ['CREATE TABLE default_keyspace.t (a int)', 'the table needs a PRIMARY KEY'],
    [
      'CREATE TABLE default_keyspace.t (a int, b counter, c int, PRIMARY KEY (a))',
      'counters (b(counter)) and other columns (c(int)) cannot be mixed outside the primary key',
    ],
    [
      'CREATE TABLE default_keyspace.t (a counter PRIMARY KEY)',
      'these columns cannot be in the primary key: a(counter)',
    ],
    [
      'CREATE TABLE default_keyspace.t (a frozen<list<int>>, b int STATIC, PRIMARY KEY (a))',
      'these columns cannot be in the primary key: a(frozen<list<int>>)',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b int STATIC)',
      'the column b cannot be static: the table has no clustering columns',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b list<list<int>>)',
      'list<int> inside list<list<int>> must be frozen',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b set<counter>)',
      'a counter cannot be part of set<counter>',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b set<duration>)',
      'set<duration> is not possible, because durations have no order',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b frozen<int>)',
      'int cannot be frozen; lists, sets, maps, tuples and user-defined types can',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b txt)',
      'txt is not a type; did you mean text? If it is a user-defined type, write "txt" with its quotes',
    ],
    ['CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b lst<int>)', /did you mean list\?/],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b list<frozen<set<bigit>>>)',
      /did you mean bigint\?/,
    ],
    [`ALTER TABLE ${t} ADD x timestmp`, /did you mean timestamp\?/],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b map<text>)',
      'the type map<text> has 1 part, not 2',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b vector<int, 3>)',
      'vector<int, 3> is not a type: vectors are vector<float, n>, with n from 1 to 8192',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int PRIMARY KEY, b vector<float, 8193>)',
      'vector<float, 8193> is not a type: vectors are vector<float, n>, with n from 1 to 8192',
    ],
    ['CREATE TABLE default_keyspace.t (a int, a int, PRIMARY KEY (a))', 'the column a is named twice'],
    [
      'CREATE TABLE default_keyspace.t (a int, PRIMARY KEY (a, b))',
      'the primary key names columns that are not defined: b',
    ],
    [
      'CREATE TABLE default_keyspace.t (a int, b int, c int, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER BY (c DESC)',
      'CLUSTERING ORDER BY must name the clustering columns in their order: b, c',
    ],
    [
      `CREATE TABLE default_keyspace.t (a int PRIMARY KEY) WITH comment = 'x'`,
      'expected CLUSTERING ORDER BY, the only table option that is supported, found comment (line 1, column 58)',
    ],
    [
      'CREATE TABLE default_keyspace."a-b" (a int PRIMARY KEY)',
      '"a-b" cannot be the name of a table.\nA name must have 1 to 48 letters (A-Z, a-z), digits or underscores.',
    ],
    [`ALTER TABLE ${t} ADD v int`, 'the table already has v(int)'],
    [`ALTER TABLE ${t} ADD gone text`, 'a column gone was dropped; its type was int: add it with that type'],
    [
      `ALTER TABLE ${c} ADD m int`,
      'counters (n(counter)) and other columns (m(int)) cannot be mixed outside the primary key',
    ],
    [`ALTER TABLE ${t} DROP c`, 'columns of the primary key cannot be dropped: c(int)'],
    [`ALTER TABLE ${t} DROP v`, 'drop the indexes first: refusals_v'],
    [`ALTER TABLE ${t} DROP x`, 'unknown columns: x'],
    [`ALTER TABLE ${t} RENAME v TO w`, 'expected ADD or DROP, found RENAME (line 1, column 39)'],
    [`INSERT INTO ${c} (id) VALUES (1)`, 'INSERT cannot be used on a table with counters; use UPDATE'],
    [`INSERT INTO ${t} (p, v) VALUES (1, 2)`, 'the row has no value for columns of the primary key: c(int)'],
    [`INSERT INTO ${t} (p, c, x) VALUES (1, 2, 3)`, `unknown columns: x; the table has ${columns}`],
    [
      `INSERT INTO ${t} (p, c, v) VALUES (1, 2, 'x')`,
      'the column v (int): expected a number, found a string',
    ],
    [
      `INSERT INTO ${t} (p, c, u) VALUES (1, 2, {'street': 'x'})`,
      'the column u (unsupported address): columns of the type address can be listed, but not read or written',
    ],
    [`INSERT INTO ${t} (p, c) VALUES (1)`, 'the numbers of columns and values are different: 2 and 1'],
    [
      `INSERT INTO ${t} (p, c) VALUES (1, 2) USING TTL 5`,
      `expected the end of the statement, found USING (line 1, column 60); ${noClause}`,
    ],
    [
      `INSERT INTO ${t} (p, c) VALUES (1, now())`,
      'expected a literal, found now (line 1, column 57); texts are written in single quotes, and functions are ' +
        'not supported',
    ],
    [
      `INSERT INTO ${t} (p, c) VALUES (1, "x")`,
      'expected a literal, found "x" (line 1, column 57); texts are written in single quotes',
    ],
    [`INSERT INTO ${t} (p, c) VALUES (1, ?)`, 'expected a literal, found "?" (line 1, column 57)'],
    [
      `INSERT INTO ${t} (p, c, e) VALUES (1, 1, [1, 2])`,
      'the column e (vector<float,2>): use insertOne, insertMany or updateOne to write vectors',
    ],
    [`INSERT INTO ${t} (p, c, e) VALUES (1, 1, [1])`, /the column e \(vector<float,2>\): expected /],
    [`UPDATE ${c} SET n = 5 WHERE id = 1`, 'a counter can only be incremented or decremented: SET n = n + 1'],
    [`UPDATE ${c} SET n = n + null WHERE id = 1`, 'n: null cannot be added'],
    [`UPDATE ${c} SET n = n + 1.5 WHERE id = 1`, 'the column n (counter): 1.5 is not a whole number'],
    [
      `UPDATE ${t} SET l = l + [1] WHERE p = 1 AND c = 1`,
      'only a counter can be incremented or decremented, and l(list<int>) is not a counter; use updateOne for lists, sets and maps',
    ],
    [
      `UPDATE ${t} SET v = 1 WHERE p = 1`,
      'WHERE must name every column of the primary key once, with "=": p(int), c(int)',
    ],
    [`UPDATE ${t} SET c = 1 WHERE p = 1`, 'columns of the primary key cannot change: c(int)'],
    [`UPDATE ${t} SET v = 1`, `expected WHERE, found the end (line 1, column 43); ${needsKey}`],
    [`DELETE FROM ${t} WHERE v = 1`, 'WHERE can use columns of the primary key only (p(int), c(int)), not v'],
    [
      `SELECT * FROM ${t} WHERE c = 1`,
      'WHERE does not select rows by their key: the partition column p is not restricted',
    ],
    [
      `SELECT * FROM ${t} WHERE p > 1`,
      'WHERE does not select rows by their key: the partition column p needs exactly one "=" or IN',
    ],
    [`SELECT * FROM ${t}`, `expected WHERE, found the end (line 1, column 40); ${needsKey}`],
    [
      `SELECT count(*) FROM ${t} WHERE p = 1`,
      'expected FROM, found "(" (line 1, column 13); functions are not supported',
    ],
    [
      `SELECT * FROM ${t} WHERE p = 1 ALLOW FILTERING`,
      `expected the end of the statement, found ALLOW (line 1, column 53); ${noClause}`,
    ],
    [`SELECT * FROM ${t} WHERE p = null`, 'p cannot be compared with null'],
    [
      `SELECT * FROM ${t} WHERE p = 1; SELECT * FROM ${t} WHERE p = 2`,
      `expected the end of the statement, found SELECT (line 1, column 54); ${noClause}`,
    ],
    [`SELECT *\nFROM ${t}\nWHERE p = 'x`, 'a string is not closed (line 3, column 11)'],
    ['SELECT * /* FROM', 'a comment is not closed (line 1, column 10)'],
    [
      'BEGIN BATCH',
      'expected a supported statement, found BEGIN (line 1, column 1); supported are CREATE TABLE, ALTER TABLE, ' +
        'DROP TABLE, CREATE TYPE, ALTER TYPE, DROP TYPE, CREATE INDEX, CREATE CUSTOM INDEX, ' +
        'DROP INDEX, INSERT INTO, UPDATE, DELETE, SELECT. Use the commands of the data service for everything ' +
        'else, such as createKeyspace and createVectorIndex',
    ],
  ];
  for (const [query, message] of cases) it(`is refused: ${query}`, () => refused(query, message));
});
