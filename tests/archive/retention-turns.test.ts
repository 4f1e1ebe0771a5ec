// How long one turn of the archive thread looks for what is too old, in an archive with many generations.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationName, makeGenerationId } from '../../src/archive/format/names.js';
import { RetentionTurns } from '../../src/archive/shipping/retention-turns.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const startMs = Date.parse('2026-11-27T10:00:00Z');
const requestMs = 20;
const mostTurnMs = 600;

/** A store each of whose requests takes 20 ms of a clock that nothing else moves. */
class SlowStore extends DirectoryStore {
  nowMs = startMs;

  override async folders(prefix: string): Promise<readonly string[]> {
    this.nowMs += requestMs;
    return super.folders(prefix);
  }

  override async read(name: string): Promise<Buffer | undefined> {
    this.nowMs += requestMs;
    return super.read(name);
  }
}

describe('the turns of the retention', () => {
  it('leave the shipping its time between looks at a hundred generations', async () => {
    const store = new SlowStore(makeTemporaryDirectory(), () => 'x');
    const ids = Array.from({ length: 100 }, (_, at) => makeGenerationId(startMs + at * 1_000, '01234567'));
    for (const id of ids) await store.write(generationName(id), Buffer.from('{}'));
    const clock = { nowMs: () => store.nowMs, monotonicMs: () => store.nowMs };
    const turns = new RetentionTurns({ store, clock, keptDays: 7 });
    const shipping = { generation: ids.at(-1) ?? '', unfinished: [] };
    const { signal } = new AbortController();
    const tookMs: number[] = [];
    for (let isBusy = true; isBusy; ) {
      const beganMs = store.nowMs;
      isBusy = await turns.removeSome(shipping, signal);
      tookMs.push(store.nowMs - beganMs);
    }
    assert.ok(Math.max(...tookMs) <= mostTurnMs, String(tookMs));
    // Each generation has two databases, and is looked at for the newest copy and for what is too old.
    assert.ok(store.nowMs - startMs >= 4 * ids.length * requestMs);
    assert.equal(await turns.removeSome(shipping, signal), false);
  });
});
