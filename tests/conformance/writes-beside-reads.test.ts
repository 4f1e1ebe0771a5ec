// Writes and reads of the embedded engine share the turns of the event loop.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { SharedTurns } from '../../src/foundation/shared-turns.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { createTable, insert, readPlan } from './engine-steps.js';
import { newDataDirectory } from './open-embedded.js';

const readers = 64;
const writes = 2000;
/** One item of work takes a look at the clock, whatever it takes on this machine. */
const lookMs = 0.02;

describe('writes beside reads without end', { timeout: 60_000 }, () => {
  it('are answered as soon as they are stored, not a few for each turn of the reads', async () => {
    let nowMs = 0;
    const monotonicMs = () => {
      nowMs += lookMs;
      return nowMs;
    };
    const engine = await openEmbeddedEngine({
      dataDirectory: newDataDirectory(),
      clock: systemClock,
      turns: new SharedTurns({ nowMs: () => 0, monotonicMs }),
      readTimeoutMs: 60_000,
      onFatal: assert.ifError,
      commitDelayMs: 50, // all but the first writes share a commit, and are done at the same time
    });
    const table = await createTable(engine, { columns: { id: 'int' } });
    await insert(engine, table, '{"id":-1}');
    const plan = readPlan(table, '{"id":-1}');
    let isOver = false;
    let turns = 0;
    const countTurn = () => {
      turns += 1;
      if (!isOver) setImmediate(countTurn);
    };
    countTurn();
    const reading = Array.from({ length: readers }, async () => {
      while (!isOver) await engine.readRows(plan);
    });
    const answeredAt: number[] = [];
    await Promise.all(
      Array.from({ length: writes }, async (_, id) => {
        await insert(engine, table, `{"id":${id}}`);
        answeredAt.push(turns);
      }),
    );
    isOver = true;
    await Promise.all(reading);
    await engine.close();
    const turnsMeanwhile = (answeredAt.at(-1) ?? Number.NaN) - (answeredAt.at(-writes / 2) ?? Number.NaN);
    // By a count of six, or a sixteenth, of the finished writes for each turn it took more than fifty.
    assert.ok(turnsMeanwhile < 20, `${writes / 2} writes were answered in ${turnsMeanwhile} turns`);
  });
});
