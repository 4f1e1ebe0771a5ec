// Engines whose searches lack rows fail the cases of the engine suite about searches, but for the share that may lack.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { matchesAll } from '../../src/data-service/query/filter.js';
import { maxSearchedRows } from '../../src/data-service/query/vector-search.js';
import { searchCases } from './engine-search-cases.js';
import { inStatedOrder, planWith } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';
import { rowsOf, withReads } from './wrong-reads.js';

const metricCase = searchCases.find(({ name }) => name.startsWith('finds the most similar rows by cosine'));
assert.ok(metricCase);

/** The share of the 102 rows of the case that have a vector. */
const lackingShare = 0.1;

describe('the engine suite about searches', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEmbedded(newDataDirectory());
  });
  after(() => engine.close());

  /** An engine whose searches without a filter lack their best rows. */
  const lacking = (lackingRows: (limit: number) => number) =>
    withReads(engine, async (plan) => {
      if (plan.search === null || !matchesAll(plan.filter)) return engine.readRows(plan);
      const { limit } = plan.page;
      const all = planWith(plan, { limit: maxSearchedRows, form: 'values' });
      const outcome = await engine.readRows(all);
      const first = lackingRows(limit);
      return { ...outcome, chunks: [(await rowsOf(outcome.chunks)).slice(first, first + limit)] };
    });
  const isPart = (limit: number) => limit < 102;

  it('takes searches that lack no row, or a few where they do not give all', async () => {
    await metricCase.run(
      lacking(() => 0),
      inStatedOrder,
      0,
    );
    await metricCase.run(
      lacking((limit) => (isPart(limit) ? 9 : 0)),
      inStatedOrder,
      lackingShare,
    );
  });

  it('fails searches that lack a row where they give all, or more than the share', async () => {
    const fails = (wrong: Engine, share: number) =>
      assert.rejects(metricCase.run(wrong, inStatedOrder, share), assert.AssertionError);
    await fails(
      lacking((limit) => (isPart(limit) ? 0 : 1)),
      lackingShare,
    );
    await fails(
      lacking((limit) => (isPart(limit) ? 30 : 0)),
      lackingShare,
    );
    await fails(
      lacking((limit) => (isPart(limit) ? 9 : 0)),
      0,
    );
  });
});
