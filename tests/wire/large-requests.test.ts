// Large bodies and large rows: another thread answers them, and nobody sees a difference. Their bounds: the long file.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { waitFor } from '../acceptance/ops-client.js';
import { isOnCluster } from '../acceptance/server-args.js';
import { control, keyspace, mib, rows, useLargeTables } from './large-tables.js';

const { at, send, restart, data } = useLargeTables();

describe('a large body', () => {
  it('is carried out as a small one', async () => {
    const a = 'é'.repeat(mib);
    const reply = '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}';
    await at(rows)(`{"insertOne":{"document":{"id":1,"n":7,"a":"${a}"}}}`, reply);
    await at(rows)(
      `{"updateOne":{"filter":{"id":1},"update":{"$set":{"b":"${a}"}}}}`,
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    const { document } = await data(rows, '{"findOne":{"filter":{"id":1},"projection":{"a":1,"b":1}}}');
    assert.deepEqual(document, { a, b: a });
    await at(rows)(
      `{"find":{"filter":{"$and":[{"id":1},{"a":"${a}"}]},"projection":{"n":1}}}`,
      '{"data":{"documents":[{"n":7}],"nextPageState":null},"status":{"projectionSchema":{"n":{"type":"int"}},' +
        '"warnings":[<REQUEST WARNING MISSING_INDEX: Filter without an index>]}}',
    );
    await at(rows)(`{"deleteOne":{"filter":{"id":1}${' '.repeat(mib)}}}`, '{"status":{"deletedCount":-1}}');
  });

  it('meets the errors of small ones', async () => {
    const space = ' '.repeat(mib);
    await at(rows)(
      `{"findAll":{}${space}}`,
      '{"errors":[<REQUEST COMMAND_UNKNOWN: Command unknown>]}',
      '"findAll"',
    );
    await at(rows)(
      `{"find":{}${space}`,
      '{"errors":[<REQUEST REQUEST_NOT_JSON: Request is not JSON>]}',
      'the text ends',
    );
    const { text } = await send({ path: `${keyspace}/missing`, body: `{"find":{}${space}}` });
    assert.match(text, /UNKNOWN_COLLECTION_OR_TABLE/);
  });

  it('may change the schema, and later ones know the change', async () => {
    const space = ' '.repeat(mib);
    const ok = '{"status":{"ok":1}}';
    await at(keyspace)(
      `{"createTable":{"name":"later"${space},"definition":{"columns":{"id":"int"},"primaryKey":"id"}}}`,
      ok,
    );
    const insert = (id: number, column: string) =>
      `{"insertOne":{"document":{"id":${id},"${column}":"${'x'.repeat(mib)}"}}}`;
    await at(`${keyspace}/later`)(
      insert(1, 'text'),
      '{"errors":[<REQUEST DOCUMENT UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
    );
    await at(`${keyspace}/later`)('{"alterTable":{"operation":{"add":{"columns":{"text":"text"}}}}}', ok);
    const stored = '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}';
    await at(`${keyspace}/later`)(insert(1, 'text'), stored);
    await at(keyspace)('{"dropTable":{"name":"later"}}', ok);
    const { text } = await send({ path: `${keyspace}/later`, body: insert(2, 'text') });
    assert.match(text, /UNKNOWN_COLLECTION_OR_TABLE/);
  });

  it('that changes the schema has at most 512 KiB without its white space, and 20,000 values', async () => {
    const columns = Array.from({ length: 50_000 }, (_, place) => `"column_number_${place}":"int"`).join(',');
    await at(keyspace)(
      `{"createTable":{"name":"wide","definition":{"columns":{${columns}},"primaryKey":"column_number_0"}}}`,
      '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      'at most 524288 bytes',
    );
    await at(keyspace)(
      `{"createTable":{"name":"wide","definition":[${Array<string>(70_000).fill('{}').join(',')}]}}`,
      '{"errors":[<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>]}',
      'more than 20000 values',
    );
  });
});

describe('large rows', () => {
  it('come in pages that end by what they weigh in the reply', async () => {
    const a = control.repeat(mib / 2); // 512 KiB that the reply writes with 3 MiB
    for (let id = 10; id < 16; id += 1)
      await data(rows, `{"insertOne":{"document":{"id":${id},"a":"${a}"}}}`).catch(() => {});
    const pages: number[][] = [];
    for (let state = ''; ; ) {
      const filter = '"filter":{"id":{"$gte":10}}';
      const reply = await send({
        path: rows,
        body: `{"find":{${filter},"options":{"pageState":"${state}"}}}`,
      });
      assert.ok(reply.text.length < 8 * mib, `${reply.text.length} characters`);
      const { documents = [], nextPageState } = JSON.parse(reply.text).data;
      pages.push(documents.map(({ id }: { id: number }) => id));
      if (nextPageState === null) break;
      state = nextPageState;
      if (pages.length === 2) await restart();
    }
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 2],
    );
    assert.deepEqual(pages.flat().toSorted(), [10, 11, 12, 13, 14, 15]);
  });

  it('are sorted in memory', async () => {
    for (let id = 30; id < 34; id += 1) {
      const body = `{"insertOne":{"document":{"id":${id},"n":${-id},"a":"${'x'.repeat(mib)}"}}}`;
      await send({ path: rows, body });
    }
    const { documents } = await data(
      rows,
      '{"find":{"filter":{"id":{"$gte":30}},"sort":{"n":1},"options":{"limit":2}}}',
    );
    assert.deepEqual(
      documents?.map(({ id }) => id),
      [33, 32],
    );
  });
});

describe('large requests while the schema changes', () => {
  const changing = `${keyspace}/changing`;
  const space = ' '.repeat(mib / 6); // small, so that there are many requests
  const ok = '{"status":{"ok":1}}';
  const ids = Array.from({ length: 40 }, (_, id) => id);
  const rounds = 5;
  const answersBeside = 6;

  before(async () => {
    await at(keyspace)(
      '{"createTable":{"name":"changing","definition":{"columns":{"id":"int","n":"int"},"primaryKey":"id"}}}',
      ok,
    );
    const documents = ids.map((id) => `{"id":${id},"n":7}`).join();
    const { text } = await send({ path: changing, body: `{"insertMany":{"documents":[${documents}]}}` });
    assert.ok(!text.includes('"errors"'), text);
  });

  /**
   * Makes changes one after another, each beside some answers, and repeats `ask` in a few places beside them and once
   * behind them.
   */
  const beside = async (changes: readonly (() => Promise<void>)[], ask: () => Promise<void>) => {
    let isChanging = true;
    let answerCount = 0;
    const making = async () => {
      for (let round = 0; round < rounds; round += 1) {
        for (const change of changes) {
          const before = answerCount;
          await change();
          await waitFor('answers', async () => answerCount > before + answersBeside);
        }
      }
    };
    const asking = async () => {
      for (let isLast = false; !isLast; ) {
        isLast = !isChanging;
        await ask();
        answerCount += 1;
      }
    };
    const made = making().finally(() => {
      isChanging = false;
    });
    await Promise.all([made, ...Array.from({ length: 6 }, asking)]);
  };

  it('DDL under way: find every row while an index is created and dropped', async () => {
    const changes = [
      () => at(changing)('{"createIndex":{"name":"changing_n","definition":{"column":"n"}}}', ok),
      () => at(keyspace)('{"dropIndex":{"name":"changing_n"}}', ok),
    ];
    await beside(changes, async () => {
      const { text } = await send({ path: changing, body: `{"find":{"filter":{"n":7}}${space}}` });
      // For a moment after the build: see the known faults in docs/differences.md.
      if (isOnCluster() && text.includes('FAILED_READ_REQUEST')) return;
      const documents: readonly { readonly id: number }[] = JSON.parse(text).data.documents;
      assert.deepEqual(
        documents.map(({ id }) => id).toSorted((one, other) => one - other),
        ids,
      );
    });
  });

  it('DDL under way: store no value of a column that is dropped', async () => {
    const changes = [
      () => at(changing)('{"alterTable":{"operation":{"add":{"columns":{"extra":"int"}}}}}', ok),
      () => at(changing)('{"alterTable":{"operation":{"drop":{"columns":["extra"]}}}}', ok),
    ];
    const documents = ids.map((id) => `{"id":${id},"n":7,"extra":1}`).join();
    const body = `{"insertMany":{"documents":[${documents}]}${space}}`;
    await beside(changes, async () => {
      const { text } = await send({ path: changing, body });
      assert.ok(!text.includes('"errors"') || text.includes('UNKNOWN_TABLE_COLUMNS'), text.slice(0, 1_000));
      const found = await data(changing, '{"find":{"filter":{}}}');
      assert.equal(found.documents?.length, ids.length);
    });
  });
});
