// Checks whether a statement is executed by the engine or by a plan.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../engine/engine.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { runNativeQuery } from './run-native-query.js';

const engine: Engine = {
  name: 'sample',
  readSchema: async () => ({ keyspaces: new Map() }),
  changeSchema: unused,
  insertRows: unused,
  readRows: unused,
  changeRow: unused,
  deleteRows: unused,
  close: async () => {},
};

async function unused(): Promise<never> {
  throw new TypeError('not called here');
}

describe('runNativeQuery', () => {
  it('leaves every statement to an engine that has the language', async () => {
    const ofEngine = async (query: string) => ({ columns: [], rows: [[JSON.stringify(query)]] });
    const result = await runNativeQuery({ ...engine, runNative: ofEngine }, 'LIST ROLES');
    assert.deepEqual(result, { columns: [], rows: [['"LIST ROLES"']] });
  });

  it('refuses what it does not know or what does not fit the schema, for any other engine', async () => {
    await assert.rejects(runNativeQuery(engine, 'LIST ROLES'), NativeQueryRefused);
    await assert.rejects(runNativeQuery(engine, 'DROP TABLE a.b'), /there is no keyspace a/);
  });
});
