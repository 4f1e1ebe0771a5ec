// Page states are read back unchanged, and only this server can create them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { makeTable, type Table } from '../schema/table.js';
import { type PagedQuery, readPageState, writePageState } from './page-state.js';

const key = Buffer.alloc(32, 7);

describe('page states', () => {
  for (const position of [
    '',
    'p',
    '|',
    '5|"é',
    '\u0000\u00ff\n',
    '1:1[{"$binary":"AA=="}]',
    '😀'.repeat(40_000),
  ]) {
    it(`keep the position ${JSON.stringify(position).slice(0, 30)}`, () => {
      const query = queryOf(tableOf(3));
      for (const remaining of [null, 0, 12]) {
        const state = writePageState(key, query, { position, remaining });
        assert.deepEqual(readPageState(key, query, state), { position, remaining });
      }
    });
  }

  it('are refused when any byte or character is changed, added or left out', () => {
    const query = queryOf(tableOf(1));
    const state = writePageState(key, query, { position: 'p5', remaining: 3 });
    assert.match(state, /^[\w-]+$/);
    const bytes = Buffer.from(state, 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      refuses(query, changed.toString('base64url'));
      refuses(query, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]).toString('base64url'));
      refuses(query, bytes.subarray(0, at).toString('base64url'));
    }
    for (let at = 0; at <= state.length; at += 1) {
      for (const extra of [' ', '=', '!', '\n', 'é'])
        refuses(query, state.slice(0, at) + extra + state.slice(at));
    }
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/') {
      if (last !== state.at(-1)) refuses(query, state.slice(0, -1) + last);
    }
  });

  it('are refused for another table, filter, order or key', () => {
    const query = queryOf(tableOf(1), '{"a":1}');
    const state = writePageState(key, query, { position: 'p5', remaining: null });
    assert.deepEqual(readPageState(key, query, state).position, 'p5');
    refuses(queryOf(tableOf(2), '{"a":1}'), state);
    refuses(queryOf(tableOf(1), '{"a":2}'), state);
    refuses(queryOf(tableOf(1), '{"a":1.0}'), state);
    refuses(queryOf(tableOf(1)), state);
    refuses({ ...query, order: query.table.keyOrder.toReversed() }, state);
    refuses({ ...query, order: null }, state);
    refuses(
      { ...query, order: query.table.keyOrder.map(({ column }) => ({ column, direction: -1 as const })) },
      state,
    );
  });

  it('of another server are refused with the option by which servers share them', () => {
    const query = queryOf(tableOf(1));
    const state = writePageState(key, query, { position: 'p5', remaining: null });
    const message = /that it was returned for, to the server .* with the same --page-state-secret\./;
    refuses(query, state, Buffer.alloc(32, 8), message);
    refuses(query, 'no page state', key, /that it was returned for\./);
  });

  it('take an absent filter and an empty one for the same', () => {
    const state = writePageState(key, queryOf(tableOf(1)), { position: 'p5', remaining: null });
    assert.equal(readPageState(key, queryOf(tableOf(1), '{}'), state).remaining, null);
  });

  it('are refused when they are not page states', () => {
    for (const state of ['', 'A', 'null', '{}', 'AAAAAAAAAAAAAAAAAAAAAA', 'x'.repeat(10_000)]) {
      refuses(queryOf(tableOf(1)), state);
    }
  });
});

function refuses(query: PagedQuery, state: string, signingKey: Uint8Array = key, message = /./): void {
  assert.throws(
    () => readPageState(signingKey, query, state),
    { code: 'COMMAND_FIELD_VALUE_INVALID', message },
    state,
  );
}

function tableOf(id: number): Table {
  const columns = [
    { name: 'p', type: text },
    { name: 'c', type: int },
  ];
  const clustering = [{ name: 'c', direction: 1 as const }];
  return makeTable(
    { id, version: 1, keyspace: 'k' },
    { name: 't', columns, partitionKey: ['p'], clustering },
  );
}

function queryOf(table: Table, filter?: string): PagedQuery {
  return { table, filter: filter === undefined ? undefined : objectOf(filter), order: table.keyOrder };
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
