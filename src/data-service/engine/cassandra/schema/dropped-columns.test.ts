// The time as of which columns are dropped, and when one of the same name can be added again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { EngineError } from '../../engine-error.js';
import { untilValuesCount } from './dropped-columns.js';

const table = { keyspace: 'shop', name: 'orders' };

/** How long a change waits that adds the column `n`, dropped as of this time, by a clock at 1,000,000 ms. */
async function waitBehindDrop(droppedMs: number | undefined): Promise<number> {
  const rows = droppedMs === undefined ? [] : [['n', droppedMs]];
  const node: CqlNode = { run: async () => ({ rows, next: null, bytes: 0 }) };
  const session: Pick<CqlSession, 'nodes'> = { nodes: async () => [node] };
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs += ms;
  };
  await untilValuesCount({ table, columns: [{ name: 'n' }] }, session, { nowMs: () => 1_000_000 }, wait);
  return waitedMs;
}

describe('untilValuesCount', () => {
  it('waits until the time of the drop is over by clocks that are 5 s behind', async () => {
    assert.equal(await waitBehindDrop(1_010_000), 15_001);
    assert.equal(await waitBehindDrop(999_000), 4_001);
    assert.equal(await waitBehindDrop(995_000), 1);
    assert.equal(await waitBehindDrop(994_000), 0);
    assert.equal(await waitBehindDrop(undefined), 0);
  });

  it('refuses a column whose drop is later than that of a server whose clock is 5 s ahead', async () => {
    assert.equal(await waitBehindDrop(1_014_999), 20_000);
    await assert.rejects(
      waitBehindDrop(1_015_000),
      (error) => error instanceof EngineError && error.kind === 'refused' && /column n/.test(error.message),
    );
  });
});
