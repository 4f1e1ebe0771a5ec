// How long a change waits for the requests that nodes carry out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { untilRequestsEnded } from './requests-under-way.js';

/** Waits for nodes that are asked each time a second later; returns how often each was asked. */
async function asked(...nodes: readonly ((time: number) => readonly number[])[]): Promise<readonly number[]> {
  const counts = nodes.map(() => 0);
  let nowMs = 0;
  const clock = {
    monotonicMs: () => {
      nowMs += 1_000;
      return nowMs;
    },
  };
  const all = nodes.map((runningMs, at) => {
    const run: CqlNode['run'] = async () => {
      counts[at] = (counts[at] ?? 0) + 1;
      const rows = runningMs(counts[at] ?? 0).map((ms) => [BigInt(ms * 1_000)]);
      return { rows, next: null, bytes: 0 };
    };
    return { run } as CqlNode;
  });
  await untilRequestsEnded({ nodes: async () => all }, clock);
  return counts;
}

describe('untilRequestsEnded', () => {
  it('waits for requests that nodes began before, and for no others', async () => {
    assert.deepEqual(await asked(() => []), [1]);
    assert.deepEqual(await asked(() => [1, 900]), [1]);
    // The first poll comes a second behind the beginning, the next one two.
    const ending = (time: number) => (time < 3 ? [5, 60_000] : [5, 2_900]);
    assert.deepEqual(await asked(ending, () => []), [3, 1]);
  });

  it('waits no longer than a request can take', async () => {
    assert.deepEqual(await asked(() => [1_000_000]), [11]);
  });

  it('waits for no node that does not answer', async () => {
    const silent = () => {
      throw new CassandraFailure('unanswered', 'no answer');
    };
    assert.deepEqual(await asked(silent, () => []), [1, 1]);
  });
});
