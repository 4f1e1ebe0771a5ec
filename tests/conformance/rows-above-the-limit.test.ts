// Rows that an earlier version stored, larger than a row may be now: they can be changed as long as they do not grow.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sqlColumn, sqlTable } from '../../src/data-service/engine/embedded/file/sql-names.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { maxRowBytes } from '../../src/data-service/schema/row-limit.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createTable, insert, refuses, rowsOf, update } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

describe('a row that is larger than a row may be', () => {
  let engine: Engine;
  let table: Table;
  before(async () => {
    const directory = newDataDirectory();
    const earlier = await openEmbedded(directory);
    table = await createTable(earlier, {
      columns: { id: 'text', large: 'text', small: 'text', n: 'int', words: 'list<text>', more: 'varint' },
    });
    await insert(earlier, table, '{"id":"a","large":"x","small":"one","n":1,"words":["one"]}');
    await earlier.close();
    const database = openDatabase({ path: join(directory, 'data.db') });
    const large = table.columnsByName.get('large');
    assert.ok(large);
    database
      .statement(`UPDATE ${sqlTable(table)} SET ${sqlColumn(large)} = ?`)
      .run(['x'.repeat(maxRowBytes + 1)]);
    database.close();
    engine = await openEmbedded(directory);
  });
  after(() => engine.close());

  const key = '{"id":"a"}';
  const change = (clause: string) => update(engine, table, key, clause);

  it('takes what does not make it larger', async () => {
    await change('{"$set":{"small":"two"}}');
    await change('{"$set":{"small":"2","n":2}}');
    await change('{"$set":{"n":3}}');
    await change('{"$set":{"small":"six","words":["1"]}}'); // the shorter list makes room
    await insert(engine, table, '{"id":"a","small":"ten","n":4}');
    await change('{"$pullAll":{"words":["1"]},"$set":{"n":5}}');
  });

  it('takes nothing that makes it larger', async () => {
    await refuses('tooLarge', change('{"$set":{"small":"tens"}}'));
    await refuses('tooLarge', change('{"$set":{"more":1}}'));
    await refuses('tooLarge', change('{"$push":{"words":"one"}}'));
    await refuses('tooLarge', change(`{"$set":{"large":"${'y'.repeat(maxRowBytes + 2)}"}}`));
    const [row = ''] = await rowsOf(engine, table);
    assert.deepEqual(JSON.parse(row.replace(/x{2,}/, '')), { id: 'a', large: '', small: 'ten', n: 5 });
  });

  it('takes what makes it smaller, and then what a row may take', async () => {
    await change(`{"$set":{"large":"${'y'.repeat(maxRowBytes - 10)}"}}`);
    await change('{"$set":{"small":"fives"}}');
    await refuses('tooLarge', change('{"$set":{"small":"more than ten bytes"}}'));
  });
});
