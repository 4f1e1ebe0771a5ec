// The window of a rule: what is in it, and what it costs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AverageMemory, addToAverage, averageIn } from '../../src/ops-service/alerts/memory.js';
import { seededRandom } from '../seeded-random.js';

describe('a window of samples', () => {
  it('has the average of the samples within its length', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = seededRandom(seed);
      const windowMs = random.pick([0, 10_000, 60_000, 600_000]);
      const samples: { atMs: number; value: number }[] = [];
      let memory: AverageMemory | undefined;
      let atMs = 0;
      for (let count = 0; count < 300; count += 1) {
        atMs += 3_000 + random.below(20_000);
        samples.push({ atMs, value: random.below(1000) });
        memory = addToAverage(memory, { atMs, value: samples.at(-1)?.value ?? 0 }, windowMs);
        const inside = samples.filter((sample) => sample.atMs > atMs - windowMs || sample.atMs === atMs);
        const expected = inside.reduce((sum, { value }) => sum + value, 0) / inside.length;
        assert.ok(Math.abs(averageIn(memory) - expected) < 1e-9, `seed ${seed}, sample ${count}`);
      }
    }
  });

  it('ignores a sample that is not newer than the last one', () => {
    const memory = addToAverage(undefined, { atMs: 10, value: 4 }, 100);
    for (const atMs of [10, 5]) assert.equal(averageIn(addToAverage(memory, { atMs, value: 100 }, 100)), 4);
  });

  it('takes no more memory for a day of samples than for some minutes', () => {
    let memory: AverageMemory | undefined;
    const windowMs = 86_400_000;
    for (let atMs = 1000; atMs <= 2 * windowMs; atMs += 1000) {
      memory = addToAverage(memory, { atMs, value: atMs < windowMs ? 0 : 10 }, windowMs);
    }
    assert.ok(memory !== undefined && memory.ring.length < 3 * 600, `${memory?.ring.length}`);
    assert.equal(averageIn(memory), 10);
  });
});
