// Random tables, rows and reads: the embedded engine shows what the lazy engine shows, row for row and in order.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { openLazyEngine } from '../conformance/lazy-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { compareSeed, describeDifference } from './compare-engines.js';
import { readsPerScenario } from './scenario.js';

const knownSeeds = Array.from({ length: 19 }, (_, at) => 1000 + at);
const newSeed = Math.floor(Math.random() * 2 ** 31);

describe('the embedded engine against the lazy engine', () => {
  let embedded: Engine;
  let lazy: Engine;
  before(async () => {
    embedded = checkedEngine(await openEmbedded(newDataDirectory()));
    lazy = checkedEngine(openLazyEngine());
  });
  after(() => Promise.all([embedded.close(), lazy.close()]));

  it('shows the same for known seeds, and finds rows doing so', async () => {
    let rows = 0;
    for (const seed of knownSeeds) rows += await compare(seed);
    assert.ok(rows > knownSeeds.length * readsPerScenario, `only ${rows} rows were compared`);
  });

  it(`shows the same for the new seed ${newSeed}`, async () => {
    await compare(newSeed);
  });

  async function compare(seed: number): Promise<number> {
    const { difference, rows } = await compareSeed(seed, embedded, lazy);
    if (difference !== undefined) assert.fail(describeDifference(seed, difference));
    return rows;
  }
});
