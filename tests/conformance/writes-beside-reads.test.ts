// Writes and reads of the embedded engine share the turns of the event loop.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { createTable, insert, readPlan } from './engine-steps.js';
import { newDataDirectory } from './open-embedded.js';

const readers = 64;
/** They take many turns to be answered, of which single ones differ much. */
const writes = 20_000;

describe('writes beside reads without end', { timeout: 60_000 }, () => {
  it('are answered as soon as they are stored, not a few for each turn of the reads', async () => {
    const engine = await openEmbeddedEngine({
      dataDirectory: newDataDirectory(),
      clock: systemClock,
      readTimeoutMs: 60_000,
      onFatal: assert.ifError,
      commitDelayMs: 50, // all but the first writes share a commit, and are done at the same time
    });
    const table = await createTable(engine, { columns: { id: 'int' } });
    await insert(engine, table, '{"id":-1}');
    const plan = readPlan(table, '{"id":-1}');
    let isOver = false;
    let reads = 0;
    const reading = Array.from({ length: readers }, async () => {
      for (; !isOver; reads += 1) await engine.readRows(plan);
    });
    const readsAt: number[] = [];
    await Promise.all(
      Array.from({ length: writes }, async (_, id) => {
        await insert(engine, table, `{"id":${id}}`);
        readsAt.push(reads);
      }),
    );
    isOver = true;
    await Promise.all(reading);
    await engine.close();
    const readsMeanwhile = (readsAt.at(-1) ?? 0) - (readsAt.at(-writes / 2) ?? 0);
    // By a count of writes for each turn it was three reads to a write; both sides take about as long as the other.
    assert.ok(readsMeanwhile < writes, `${readsMeanwhile} reads beside ${writes / 2} writes`);
  });
});
