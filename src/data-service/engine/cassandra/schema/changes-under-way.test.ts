// Changes that are under way name their tables, and are remembered for a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { type ChangeOfTables, ChangesUnderWay } from './changes-under-way.js';

const orders = { keyspace: 'shop', name: 'orders' };
const lines = { keyspace: 'shop', name: 'lines' };
const others = { keyspace: 'other', name: 'orders' };
const known = () => Promise.reject(new TypeError('not called here'));

/** Changes by a clock that `pass` moves. */
function makeChanges() {
  let nowMs = 0;
  const changes = new ChangesUnderWay({ ...systemClock, monotonicMs: () => nowMs });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { changes, pass };
}

/** Begins a change, which the function ends. */
function begin(changes: ChangesUnderWay, change: ChangeOfTables): () => Promise<void> {
  let resolve = () => {};
  const made = new Promise<void>((settle) => {
    resolve = settle;
  });
  const running = changes.run(() => made, change, known);
  return () => {
    resolve();
    return running;
  };
}

describe('changes under way', () => {
  it('are of a table, of all tables of a keyspace, or of any', async () => {
    for (const [change, of] of [
      [orders, [orders]],
      [{ keyspace: 'shop' }, [orders, lines]],
      [{}, [orders, lines, others]],
    ] as const) {
      const { changes, pass } = makeChanges();
      const end = begin(changes, { ...change, blocks: 'writes' });
      const all = [orders, lines, others];
      assert.deepEqual(
        all.filter((table) => changes.blocks('writes', table)),
        of,
      );
      assert.ok(!all.some((table) => changes.blocks('reads', table)));
      const changed = (withinMs: number) => all.filter((table) => changes.wasUnderWay(table, withinMs));
      assert.deepEqual(changed(0), of);
      await end();
      assert.ok(!all.some((table) => changes.blocks('writes', table)));
      pass(10);
      assert.deepEqual([changed(9), changed(10)], [[], of]);
    }
  });

  it('are waited for by table', async () => {
    const { changes } = makeChanges();
    const end = begin(changes, orders);
    await changes.ended(lines);
    let isOver = false;
    const waiting = changes.ended(orders).then(() => {
      isOver = true;
    });
    await changes.ended(others);
    assert.equal(isOver, false);
    await end();
    await waiting;
  });

  it('are taken to be of a table where too many have ended since', async () => {
    const { changes, pass } = makeChanges();
    await begin(changes, orders)();
    for (let count = 0; count < 1_000; count += 1) {
      pass(1);
      await begin(changes, { keyspace: 'shop', name: `table_${count}` })();
    }
    assert.deepEqual([changes.wasUnderWay(others, 1_000), changes.wasUnderWay(others, 999)], [true, false]);
  });
});
