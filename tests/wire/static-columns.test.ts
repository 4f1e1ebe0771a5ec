// Static columns in the extended dialect: created by native statements, used by commands.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { useWireServer } from './wire-server.js';

const { at, cql, send, restart } = useWireServer({ args: ['--dialect', 'extended'] });
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';

type Row = Readonly<Record<string, unknown>>;

async function command(table: string, body: string): Promise<string> {
  const { text } = await send({ path: `/v1/default_keyspace/${table}`, body });
  return text;
}

async function rowsOf(table: string, find = ''): Promise<readonly Row[]> {
  return JSON.parse(await command(table, `{"find":{${find}}}`)).data.documents;
}

describe('static columns', () => {
  before(() =>
    cql(
      'CREATE TABLE default_keyspace.stays (p int, c int, s text STATIC, l list<int> STATIC, n varint STATIC, ' +
        'v text, PRIMARY KEY (p, c))',
    ),
  );
  const stays = at('/v1/default_keyspace/stays');

  it('static columns: are listed with their types', async () => {
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    const support = (type: string) =>
      `"apiSupport":{"createTable":false,"insert":true,"read":true,"filter":true,"cqlDefinition":"static ${type}"}`;
    for (const part of [
      `"s":{"type":"text",${support('text')}}`,
      `"l":{"type":"list","valueType":"int",${support('list<int>')}}`,
      `"n":{"type":"varint",${support('varint')}}`,
    ])
      assert.ok(text.includes(part), text);
  });

  it('have one value for all rows of a partition: the last one written', async () => {
    const first = '{"p":1,"c":1,"s":"a","l":[1,2],"n":12345678901234567890,"v":"x"}';
    await command('stays', `{"insertMany":{"documents":[${first},{"p":1,"c":2,"v":"y"},{"p":2,"c":1}]}}`);
    assert.deepEqual(await rowsOf('stays', '"projection":{"s":1,"l":1}'), [
      { s: 'a', l: [1, 2] },
      { s: 'a', l: [1, 2] },
      {},
    ]);
    await command('stays', '{"insertOne":{"document":{"p":1,"c":3,"s":"b"}}}');
    assert.deepEqual(
      (await rowsOf('stays', '"filter":{"p":1}')).map(({ s }) => s),
      ['b', 'b', 'b'],
    );
    const text = await command('stays', '{"findOne":{"filter":{"p":1,"c":2},"projection":{"n":1}}}');
    assert.ok(text.includes('{"n":12345678901234567890}') && text.includes('"n":{"type":"varint"}'), text);
  });

  it('are filtered and sorted as other columns', async () => {
    const ids = async (find: string) => (await rowsOf('stays', find)).map(({ p, c }) => [p, c]);
    assert.deepEqual(await ids('"filter":{"s":"b"}'), [
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    assert.deepEqual(await ids('"filter":{"l":{"$in":[2]},"c":{"$gt":1}}'), [
      [1, 2],
      [1, 3],
    ]);
    assert.deepEqual(await ids('"filter":{"s":{"$nin":["c"]},"p":1,"c":2}'), [[1, 2]]);
    assert.deepEqual(await ids('"sort":{"s":-1,"c":-1}'), [
      [1, 3],
      [1, 2],
      [1, 1],
      [2, 1],
    ]);
  });

  it('static columns: are set and removed by updates with the whole key, which create no row', async () => {
    const changed = '{"status":{"matchedCount":1,"modifiedCount":1}}';
    await stays('{"updateOne":{"filter":{"p":1,"c":9},"update":{"$set":{"s":"c"}}}}', changed);
    await stays('{"updateOne":{"filter":{"p":1,"c":9},"update":{"$unset":{"l":1}}}}', changed);
    assert.deepEqual(await rowsOf('stays', '"filter":{"p":1},"projection":{"c":1,"s":1,"l":1}'), [
      { c: 1, s: 'c' },
      { c: 2, s: 'c' },
      { c: 3, s: 'c' },
    ]);
    await stays(
      '{"updateOne":{"filter":{"p":1,"c":1},"update":{"$push":{"l":3}}}}',
      '{"errors":[<REQUEST UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column>]}',
      'l(static list<int>)',
    );
    await stays('{"updateOne":{"filter":{"p":3,"c":1},"update":{"$set":{"s":"d","v":"w"}}}}', changed);
    assert.deepEqual(await rowsOf('stays', '"filter":{"p":3}'), [{ p: 3, c: 1, s: 'd', v: 'w' }]);
    await command('stays', '{"insertOne":{"document":{"p":3,"c":2,"s":null}}}');
    assert.deepEqual(await rowsOf('stays', '"filter":{"p":3},"projection":{"s":1}'), [{}, {}]);
  });

  it('static columns: stay when rows are deleted, and go with their partition', async () => {
    await command('stays', '{"deleteMany":{"filter":{"p":1,"c":{"$gte":0}}}}');
    await command('stays', '{"insertOne":{"document":{"p":1,"c":5}}}');
    assert.deepEqual(await rowsOf('stays', '"filter":{"p":1},"projection":{"s":1}'), [{ s: 'c' }]);
    await command('stays', '{"deleteMany":{"filter":{"p":1}}}');
    await command('stays', '{"insertOne":{"document":{"p":1,"c":5}}}');
    assert.deepEqual(await rowsOf('stays', '"filter":{"p":1},"projection":{"s":1}'), [{}]);
    await command('stays', '{"insertOne":{"document":{"p":1,"c":5,"s":"e"}}}');
    await command('stays', '{"deleteMany":{}}');
    await command('stays', '{"insertOne":{"document":{"p":1,"c":5}}}');
    assert.deepEqual(await rowsOf('stays'), [{ p: 1, c: 5 }]);
  });

  it('have no indexes', async () => {
    for (const column of ['"s"', '"l"', '{"l":"$values"}'])
      assert.match(
        await command('stays', `{"createIndex":{"name":"no","definition":{"column":${column}}}}`),
        /UNSUPPORTED_INDEXING_FOR_DATA_TYPES.*it is static/,
      );
    assert.match(
      await command('stays', '{"createTextIndex":{"name":"no","definition":{"column":"s"}}}'),
      /UNSUPPORTED_TEXT_INDEX_FOR_DATA_TYPES.*s\(static text\)/,
    );
  });

  it('come and go with ALTER TABLE, and are empty when they come again', async () => {
    await cql('ALTER TABLE default_keyspace.stays ADD d date STATIC');
    await command(
      'stays',
      '{"updateOne":{"filter":{"p":1,"c":5},"update":{"$set":{"d":"2020-01-01","s":"x"}}}}',
    );
    assert.deepEqual(await rowsOf('stays'), [{ p: 1, c: 5, s: 'x', d: '2020-01-01' }]);
    await stays('{"alterTable":{"operation":{"drop":{"columns":["d"]}}}}', ok);
    await cql('ALTER TABLE default_keyspace.stays ADD d date STATIC');
    assert.deepEqual(await rowsOf('stays'), [{ p: 1, c: 5, s: 'x' }]);
    await keyspace('{"dropTable":{"name":"stays"}}', ok);
    await cql('CREATE TABLE default_keyspace.stays (p int, c int, s text STATIC, PRIMARY KEY (p, c))');
    await command('stays', '{"insertOne":{"document":{"p":1,"c":5}}}');
    assert.deepEqual(await rowsOf('stays'), [{ p: 1, c: 5 }]);
  });
});

describe('random writes of static columns', () => {
  it('show the rows of a model in memory, also after restarts', async () => {
    await cql(
      'CREATE TABLE default_keyspace.random (p int, q text, c int, s text STATIC, f frozen<set<int>> STATIC, v int, ' +
        'PRIMARY KEY ((p, q), c))',
    );
    const random = seededRandom(7);
    const model = new Model();
    for (let step = 0; step < 150; step += 1) {
      await command('random', model.change(random));
      if (step % 60 === 59) await restart();
      if (step % 5 === 0)
        assert.deepEqual(await rowsOf('random', '"sort":{"p":1,"q":1,"c":1}'), model.rows());
    }
  });
});

/** The rows, and the static values of partitions. */
class Model {
  readonly #rows = new Map<string, { readonly key: readonly unknown[]; inserted: boolean; v?: number }>();
  readonly #shared = new Map<string, Record<string, unknown>>();

  /** Makes a random change, and returns its command. */
  change(random: SeededRandom): string {
    const [p, q, c] = [random.below(2), random.oneIn(2) ? 'a' : 'b', random.below(4)];
    const partition = JSON.stringify([p, q]);
    const key = JSON.stringify([p, q, c]);
    const where = `"p":${p},"q":"${q}"`;
    const value = random.below(3);
    const shared = random.oneIn(2) ? { s: ['x', 'y', null][value] } : { f: [[1], [2, 3], null][value] };
    switch (random.below(6)) {
      case 0:
        for (const [each, row] of this.#rows)
          if (row.key[0] === p && row.key[1] === q && Number(row.key[2]) >= c) this.#rows.delete(each);
        return `{"deleteMany":{"filter":{${where},"c":{"$gte":${c}}}}}`;
      case 1:
        if (!random.oneIn(3)) return this.#set(partition, key, [p, q, c], where, c, shared);
        for (const [each, row] of this.#rows)
          if (row.key[0] === p && row.key[1] === q) this.#rows.delete(each);
        this.#shared.delete(partition);
        return `{"deleteMany":{"filter":{${where}}}}`;
      case 2:
      case 3:
        return this.#set(partition, key, [p, q, c], where, c, shared);
      default: {
        this.#share(partition, shared);
        const row = this.#rows.get(key) ?? { key: [p, q, c], inserted: true };
        this.#rows.set(key, { ...row, inserted: true, v: value });
        const document = JSON.stringify({ p, q, c, v: value, ...shared });
        return `{"insertOne":{"document":${document}}}`;
      }
    }
  }

  #set(partition: string, key: string, values: unknown[], where: string, c: number, shared: Row): string {
    this.#share(partition, shared);
    const withValue = c % 2 === 0;
    if (withValue)
      this.#rows.set(key, { ...(this.#rows.get(key) ?? { key: values, inserted: false }), v: c });
    const set = JSON.stringify({ ...shared, ...(withValue && { v: c }) });
    return `{"updateOne":{"filter":{${where},"c":${c}},"update":{"$set":${set}}}}`;
  }

  #share(partition: string, shared: Row): void {
    this.#shared.set(partition, { ...this.#shared.get(partition), ...shared });
  }

  rows(): readonly Row[] {
    const rows = [...this.#rows.values()].map(({ key: [p, q, c], v }) => {
      const { s = null, f = null } = this.#shared.get(JSON.stringify([p, q])) ?? {};
      return { p, q, c, ...(s !== null && { s }), ...(f !== null && { f }), ...(v !== undefined && { v }) };
    });
    return rows.sort((left, right) =>
      String([left.p, left.q, left.c]) < String([right.p, right.q, right.c]) ? -1 : 1,
    );
  }
}
