// The end of a wait for an index that a node could not build.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { int } from '../../../column-types/integers.js';
import { makeTable, withIndexes } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { untilBuilt } from './behind-changes.js';
import type { KnownKeyspace } from './known-schema.js';
import type { SchemaHolder } from './schema-holder.js';

const bare = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'v'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [],
  },
);
const [, column] = bare.columns;
assert.ok(column);
const index = { kind: 'regular', id: 1, name: 'by_v', column, fold: null } as const;
const table = withIndexes(bare, [index]);

/** A node that gives these states by turns, and the last one again. The clock moves by ten seconds at each look. */
function waitFor(states: readonly (readonly [isQueryable: boolean, isBuilding: boolean])[]): Promise<void> {
  let [asked, nowMs] = [0, 0];
  const run = async () => {
    const [isQueryable, isBuilding] = states[Math.min(asked, states.length - 1)] ?? [];
    asked += 1;
    return { rows: [['by_v', isQueryable, isBuilding]], next: null, bytes: 0 };
  };
  const node = { run } as unknown as CqlNode; // it is asked for nothing else
  const known = { tables: new Map([['t', { table }]]) } as unknown as KnownKeyspace; // its table is read
  const holder = { keyspace: () => known, reload: async () => undefined } as unknown as SchemaHolder; // called so
  const monotonicMs = () => {
    nowMs += 10_000;
    return nowMs;
  };
  return untilBuilt(
    { table: bare, index },
    {
      clock: { monotonicMs, nowMs: monotonicMs },
      holder,
      observer: { nodes: async () => [node] } as unknown as CqlSession, // it is asked for nothing else
    },
  );
}

describe('untilBuilt', () => {
  it('ends when nodes can read the index, also where they began to build it late', async () => {
    await waitFor([
      [false, false],
      [false, true],
      [true, false],
    ]);
  });

  it('fails where a node neither reads the index nor builds it', async () => {
    await assert.rejects(
      waitFor([[false, false]]),
      (error) => error instanceof EngineError && /could not build the index by_v/.test(error.message),
    );
  });
});
