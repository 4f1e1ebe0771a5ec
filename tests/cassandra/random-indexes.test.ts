// Random tables on a real node: what filters find by indexes is what a comparison of all rows finds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { huntIndexes } from './hunt-indexes.js';
import { openEmptied } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** Set to a number, the story of this seed is played instead. */
const seedVariable = 'COLONNADE_TEST_SEED';
/** How many rounds there are: more for a night. Default: as many as take less than a minute. */
const roundsVariable = 'COLONNADE_INDEX_ROUNDS';
/** The number that the seeds of all rounds begin with. */
const firstSeedVariable = 'COLONNADE_INDEX_SEED';
const tablesOfRound = 8;
const wanted = process.env[seedVariable];
const rounds = wanted === undefined ? Number(process.env[roundsVariable] ?? 1) : 1;

describe('filters on random tables', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });

  it('find by indexes what a comparison of all rows finds', async (test) => {
    const engine = await openEmptied(cluster().nodes[0]?.place.nativePort ?? 0, 'extended');
    const random = seededRandom(Number(process.env[firstSeedVariable] ?? 1));
    let [reads, rows] = [0, 0];
    try {
      for (let round = 0; round < rounds; round += 1) {
        const drawn = Array.from({ length: tablesOfRound }, () => random.below(2 ** 31));
        const seeds = wanted === undefined ? drawn : [Number(wanted)];
        const hunted = await huntIndexes(seeds, engine, cluster());
        reads += hunted.reads;
        rows += hunted.rows;
        assert.deepEqual(hunted.differences, [], hunted.differences[0]);
      }
    } finally {
      await engine.close();
    }
    if (wanted === undefined) assert.ok(rows > reads / 2, `${reads} reads found only ${rows} rows`);
    test.diagnostic(`${rounds} rounds: ${reads} reads, ${rows} rows`);
  });
});
