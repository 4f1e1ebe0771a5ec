// What is counted and timed of the calls of an engine, with a clock that only the test moves.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ContractViolation } from '../../src/data-service/engine/check-calls.js';
import { type CheckedEngine, checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { finishRead } from '../../src/data-service/query/read.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { percentileMs } from '../../src/foundation/telemetry/latency-counts.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { createTable, deleteRows, dropTable, insert, readPlan, refuses } from './engine-steps.js';
import { newDataDirectory, openEmbedded, smallSlices } from './open-embedded.js';

let nowMs = 0;
let engine: CheckedEngine;
let table: Table;

before(async () => {
  engine = checkedEngine(await openEmbedded(newDataDirectory(), { slices: smallSlices }));
  table = await createTable(engine, { columns: { id: 'int', n: 'int' } });
  await insert(engine, table, ...Array.from({ length: 40 }, (_, id) => `{"id":${id},"n":${id % 2}}`));
});

after(() => engine.close());

/** The engine with counts of its own. */
function makeBench() {
  const traffic = new Traffic();
  const clock = { monotonicMs: () => nowMs };
  const measured = engine.watchedBy({ clock, counter: traffic });
  return {
    measured,
    /** A read of all rows that takes several slices. */
    scan: () => measured.readRows(readPlan(table, '{"n":1}')),
    /** Calls that have ended and are under way, and the longest in milliseconds. */
    taken(kind: 'read' | 'write') {
      const { pending, tables } = traffic.take();
      const figures = tables[0]?.[1][kind];
      const latencies = figures?.engineLatencies;
      const longestMs = latencies && Math.round(percentileMs(latencies, 100) ?? -1);
      return { calls: figures?.calls ?? 0, pending: pending[kind], longestMs };
    },
  };
}

const nothing = { calls: 0, pending: 0, longestMs: undefined };

describe('a measured engine', () => {
  it('times what is answered at once and what is refused', async () => {
    const { measured, taken } = makeBench();
    const reading = measured.readRows(readPlan(table, '{"id":1}'));
    nowMs += 5;
    await reading;
    assert.deepEqual(taken('read'), { calls: 1, pending: 0, longestMs: 5 });
    await insert(measured, table, '{"id":1,"n":1}');
    assert.deepEqual(taken('write'), { calls: 1, pending: 0, longestMs: 0 });
    const gone = await createTable(engine, { columns: { id: 'int' } });
    await dropTable(engine, gone);
    await refuses('schemaChanged', measured.readRows(readPlan(gone)));
    assert.deepEqual(taken('read'), { calls: 1, pending: 0, longestMs: 0 });
    await refuses('schemaChanged', deleteRows(measured, gone, '{}'));
    assert.deepEqual(taken('write'), { calls: 1, pending: 0, longestMs: 0 });
  });

  it('times a read in slices to the last of its rows', async () => {
    const { scan, taken } = makeBench();
    const { chunks } = await scan();
    let rows = 0;
    for await (const chunk of chunks) {
      if (rows === 0) assert.deepEqual(taken('read'), { ...nothing, pending: 1 });
      rows += chunk.length;
      nowMs += 1000;
    }
    assert.equal(rows, 20);
    const { longestMs = 0, ...counts } = taken('read');
    assert.deepEqual(counts, { calls: 1, pending: 0 });
    assert.ok(longestMs >= 2000, `${longestMs} ms`);
  });

  it('ends a read when its caller has enough, or fails', async () => {
    const { measured, taken } = makeBench();
    const first = readPlan(table, '{"n":1}', { limit: 1 });
    await finishRead(first, await measured.readRows(first));
    assert.deepEqual(taken('read'), { calls: 1, pending: 0, longestMs: 0 });
    const brief = await createTable(engine, { columns: { id: 'int', n: 'int' } });
    await insert(engine, brief, ...Array.from({ length: 40 }, (_, id) => `{"id":${id},"n":1}`));
    const { chunks } = await measured.readRows(readPlan(brief, '{"n":1}'));
    const takeAll = async () => {
      let isDropped = false;
      for await (const _ of chunks) {
        if (!isDropped) await dropTable(engine, brief);
        isDropped = true;
        nowMs += 7;
      }
    };
    await assert.rejects(takeAll());
    assert.deepEqual({ ...taken('read'), longestMs: 7 }, { calls: 1, pending: 0, longestMs: 7 });
  });

  it('counts no read as under way whose rows nobody takes', async () => {
    const { scan, taken } = makeBench();
    await scan();
    assert.deepEqual(taken('read'), nothing);
  });

  it('counts nothing as under way after a call that throws', async () => {
    const { measured, taken } = makeBench();
    assert.throws(() => measured.changeRow({ table, key: [], changes: [] }), ContractViolation);
    assert.deepEqual(taken('write'), nothing);
  });
});
