// Declares the suite of random tables, rows, writes and reads: the embedded engine shows what the engine in memory
// shows, row for row, in order.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { chooseReadOrder } from '../../src/data-service/engine/embedded/statements/read-order.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import { newSeed } from '../seeded-random.js';
import { compareEngines } from './compare-engines.js';
import { compareSeeds } from './compare-seeds.js';
import { readsPerScenario } from './scenario.js';

/** Long reads in one slice, as small tables have them, and in many; those in many leave pages to another thread. */
const isKnownAtOnce = (seed: number) => seed % 4 === 0;

/** Each seed is a scenario of `readsPerScenario` reads. */
export function describeDifferential(knownSeedCount: number, newSeedCount: number): void {
  const knownSeeds = seedsFrom(1000, knownSeedCount);
  const newSeeds = seedsFrom(newSeed(), newSeedCount);

  describe('the embedded engine against the engine in memory', () => declare(knownSeeds, newSeeds, 'strict'));
  describe('the same in the extended dialect', () => declare(knownSeeds, newSeeds, 'extended'));
}

function declare(knownSeeds: readonly number[], newSeeds: readonly number[], dialect: Dialect): void {
  let embedded: Engine;
  let slicing: Engine;
  let memory: Engine;
  before(async () => {
    embedded = checkedEngine(await openEmbedded(newDataDirectory(), { dialect }));
    slicing = checkedEngine(
      await openEmbedded(newDataDirectory(), { dialect, slices: smallSlices, fewestWaiting: 1 }),
    );
    memory = checkedEngine(openMemoryEngine({ dialect, orderOf: chooseReadOrder }));
  });
  after(() => Promise.all([embedded.close(), slicing.close(), memory.close()]));

  it('shows the same for known seeds, and finds rows doing so', async (test) => {
    const atOnce = await compare(embedded, knownSeeds.filter(isKnownAtOnce), test);
    const inSlices = await compare(
      slicing,
      knownSeeds.filter((seed) => !isKnownAtOnce(seed)),
      test,
    );
    const rows = atOnce + inSlices;
    assert.ok(rows > knownSeeds.length * readsPerScenario, `only ${rows} rows were compared`);
  });

  it('shows the same for new seeds', async (test) => {
    await compare(slicing, newSeeds, test);
  });

  async function compare(engine: Engine, seeds: readonly number[], test: TestContext): Promise<number> {
    const { pages, rows, difference } = await compareSeeds(seeds, (seed) =>
      compareEngines(seed, engine, memory, dialect),
    );
    if (difference !== undefined) assert.fail(difference);
    const from = `seeds ${seeds[0]} to ${seeds.at(-1)}`;
    test.diagnostic(`${from}: ${seeds.length * readsPerScenario} reads, ${pages} pages, ${rows} rows`);
    return rows;
  }
}

function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}
