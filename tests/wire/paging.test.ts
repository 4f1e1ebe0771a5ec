// Pages of find: how they follow each other, what a page state belongs to, and that it survives a restart.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const path = '/v1/default_keyspace/numbers';
const definition =
  '{"columns":{"p":"int","c":"varint","t":"text"},"primaryKey":{"partitionBy":["p"],"partitionSort":{"c":-1}}}';
const rows = (p: number, count: number) =>
  Array.from({ length: count }, (_, c) => `{"p":${p},"c":${c},"t":"${c % 2 === 0 ? 'even' : 'odd'}"}`).join(
    ',',
  );
const { at, send, restart } = useWireServer({
  prepare: [
    ['/v1/default_keyspace', `{"createTable":{"name":"numbers","definition":${definition}}}`],
    ['/v1/default_keyspace', `{"createTable":{"name":"others","definition":${definition}}}`],
    [path, `{"insertMany":{"documents":[${rows(1, 70)}]}}`],
    [path, `{"insertMany":{"documents":[${rows(2, 60)}]}}`],
    [path, `{"insertMany":{"documents":[{"p":3,"c":0},{"p":3,"c":1e150}]}}`],
    ['/v1/default_keyspace/others', `{"insertMany":{"documents":[${rows(1, 70)}]}}`],
  ],
});

interface Page {
  /** `p/c` of each row. */
  readonly keys: readonly string[];
  readonly next: string | null;
}

/** Reads one page. `members` stand beside the options. */
async function page(members: string, options: string): Promise<Page> {
  const { text } = await send({ path, body: `{"find":{${members}"options":{${options}}}}` });
  const reply = JSON.parse(text);
  assert.ok(!('errors' in reply), text);
  const keys: unknown[] = reply.data.documents.map(({ p, c }: { p: number; c: number }) => `${p}/${c}`);
  return { keys: keys.map(String), next: reply.data.nextPageState };
}

/** The sizes of all pages from the first to the last. */
async function sizes(members: string, options = ''): Promise<readonly number[]> {
  const all: number[] = [];
  const seen = new Set<string>();
  let state: string | null = '';
  while (state !== null) {
    const withState: string = `${options}${options === '' ? '' : ','}"pageState":"${state}"`;
    const { keys, next }: Page = await page(members, withState);
    all.push(keys.length);
    for (const key of keys) seen.add(key);
    state = next;
  }
  assert.equal(
    seen.size,
    all.reduce((total, size) => total + size, 0),
    'no row comes twice',
  );
  return all;
}

describe('pages', () => {
  it('hold 50 rows, the last one what is left, with null behind it', async () => {
    assert.deepEqual(await sizes(''), [50, 50, 32]);
    assert.deepEqual(await sizes('"filter":{"p":1},'), [50, 20]);
    assert.deepEqual(await sizes('"filter":{"p":2,"c":{"$lt":50}},'), [50]);
    assert.deepEqual(await sizes('"filter":{"p":9},'), [0]);
    assert.deepEqual(await sizes('"filter":{"t":"odd"},'), [50, 15]);
  });

  it('follow each other in the order of the key', async () => {
    const first = await page('', '');
    const second = await page('', `"pageState":"${first.next}"`);
    assert.deepEqual([first.keys[0], first.keys[49]], ['1/69', '1/20']);
    assert.deepEqual([second.keys[0], second.keys[19], second.keys[20]], ['1/19', '1/0', '2/59']);
  });

  it('count the limit across pages', async () => {
    assert.deepEqual(await sizes('', '"limit":10'), [10]);
    assert.deepEqual(await sizes('', '"limit":50'), [50]);
    assert.deepEqual(await sizes('', '"limit":51'), [50, 1]);
    assert.deepEqual(await sizes('', '"limit":120'), [50, 50, 20]);
    assert.deepEqual(await sizes('', '"limit":1000'), [50, 50, 32]);
  });

  it('page state: carries position and remaining limit', async () => {
    const first = await page('', '"limit":60');
    const second = await page('', `"pageState":"${first.next}"`);
    assert.deepEqual([second.keys.length, second.next], [10, null]);
  });

  it('page state: not bound to the projection', async () => {
    const { next } = await page('', '');
    const { keys } = await page('"projection":{"p":1,"c":1},', `"pageState":"${next}"`);
    assert.equal(keys[0], '1/19');
  });

  it('continues after its row, whatever was stored or deleted since', async () => {
    const { next } = await page('"filter":{"p":2},', '');
    const table = at(path);
    await table('{"deleteOne":{"filter":{"p":2,"c":10}}}', '{"status":{"deletedCount":-1}}');
    await table('{"deleteOne":{"filter":{"p":2,"c":9}}}', '{"status":{"deletedCount":-1}}');
    const { keys } = await page('"filter":{"p":2},', `"pageState":"${next}"`);
    assert.deepEqual(keys, ['2/8', '2/7', '2/6', '2/5', '2/4', '2/3', '2/2', '2/1', '2/0']);
    const again = '{"insertMany":{"documents":[{"p":2,"c":10},{"p":2,"c":9,"t":"odd"}]}}';
    await send({ path, body: again });
  });

  it('may begin behind a key of 150 digits', async () => {
    const { next } = await page('"filter":{"p":3},', '"limit":2');
    assert.equal(next, null);
    const filter = '"filter":{"p":{"$in":[2,3]}},';
    const { keys } = await page(filter, `"pageState":"${(await page(filter, '')).next}"`);
    assert.equal(keys.at(-1), '3/0');
  });

  it('take pagingState as another name, and no state as the beginning', async () => {
    const { next } = await page('', '');
    assert.equal((await page('', `"pagingState":"${next}"`)).keys[0], '1/19');
    for (const option of ['"pageState":""', '"pageState":null', '"pagingState":""']) {
      assert.equal((await page('', option)).keys[0], '1/69');
    }
  });

  it('page state: survives a restart', async () => {
    const { next } = await page('', '');
    await restart();
    assert.equal((await page('', `"pageState":"${next}"`)).keys[0], '1/19');
  });
});

describe('a page state', () => {
  const refused = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
  const find = async (members: string, state: string | null, to = path) => {
    const { status, text } = await send({
      path: to,
      body: `{"find":{${members}"options":{"pageState":"${state}"}}}`,
    });
    assert.equal(status, 200);
    return shortened(text);
  };

  for (const state of ['nonsense', 'AAAA', '!!', '\\u0000', 'A'.repeat(500)]) {
    it(`a bad, foreign or outdated page state: refused is ${state.slice(0, 10)}`, async () => {
      assert.equal(await find('', state), refused);
    });
  }

  it('a bad, foreign or outdated page state: refused is one that was changed', async () => {
    const { next } = await page('', '');
    const last = next?.at(-1) === 'A' ? 'B' : 'A';
    for (const changed of [
      `${next?.slice(0, -1)}${last}`,
      `${next}AAAA`,
      next?.slice(0, -4) ?? '',
      `x${next}`,
    ]) {
      assert.equal(await find('', changed), refused, changed);
    }
  });

  it('page state: bound to the table’s identity and the filter', async () => {
    const { next } = await page('"filter":{"p":1},', '');
    assert.equal(await find('"filter":{"p":2},', next), refused);
    assert.equal(await find('', next), refused);
    assert.equal(await find('"filter":{"p":1},', next, '/v1/default_keyspace/others'), refused);
    assert.notEqual(await find('"filter":{"p":1},', next), refused);
  });

  it('is a string, and the error names the field', async () => {
    const table = at(path);
    await table(
      '{"find":{"options":{"pageState":"nonsense"}}}',
      refused,
      '"command.options.pageState"',
      'is not a page state',
    );
    await table(
      '{"find":{"options":{"pageState":5}}}',
      '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
      'command.options.pageState',
    );
  });

  it('a bad, foreign or outdated page state: refused is one of a table that was created again', async () => {
    const keyspace = at('/v1/default_keyspace');
    const others = '/v1/default_keyspace/others';
    const { text } = await send({ path: others, body: '{"find":{}}' });
    const { nextPageState } = JSON.parse(text).data;
    assert.notEqual(await find('', nextPageState, others), refused);
    await keyspace('{"dropTable":{"name":"others"}}', '{"status":{"ok":1}}');
    await keyspace(`{"createTable":{"name":"others","definition":${definition}}}`, '{"status":{"ok":1}}');
    assert.equal(await find('', nextPageState, others), refused);
  });
});
