// What listIndexes shows of indexes on members in a dialect without filters on members.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mapOf } from '../column-types/containers.js';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import type { Engine } from '../engine/engine.js';
import { makeTable, withIndexes } from '../schema/table.js';
import { listIndexes } from './list-indexes.js';

const noEngine = {} as Engine; // a list is made of the plan alone

it('shows an index of another dialect as UNKNOWN', async () => {
  const columns = [
    { name: 'id', type: int },
    { name: 'Tags', type: mapOf(text, int) },
  ];
  const definition = { name: 't', columns, partitionKey: ['id'], clustering: [] };
  const made = makeTable({ id: 1, version: 1, keyspace: 'k' }, definition);
  const [, column] = made.columns;
  assert.ok(column !== undefined);
  const index = {
    kind: 'container' as const,
    id: 1,
    name: 'by_key',
    column,
    part: 'keys' as const,
    fold: null,
    isUnsupported: true,
  };
  const plan = { explain: true, table: withIndexes(made, [index]) };
  const reply = listIndexes.respond(await listIndexes.execute(plan, noEngine), plan);
  const cql = `CREATE CUSTOM INDEX by_key ON k.t (keys(\\"Tags\\")) USING 'StorageAttachedIndex'`;
  const apiSupport = `{"createIndex":false,"filter":false,"cqlDefinition":"${cql}"}`;
  assert.deepEqual(reply.status, [
    [
      'indexes',
      `[{"name":"by_key","definition":{"column":"UNKNOWN","apiSupport":${apiSupport}},"indexType":"UNKNOWN"}]`,
    ],
  ]);
});
