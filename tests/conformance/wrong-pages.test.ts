// Engines that repeat or skip rows where a read is continued fail the cases of the engine suite about pages.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ContractViolation } from '../../src/data-service/engine/check-calls.js';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { RowValues } from '../../src/data-service/query/read.js';
import { pageCases } from './engine-page-cases.js';
import { inStatedOrder, planWith } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';
import { rowsOf, withReads } from './wrong-reads.js';

const continued = pageCases.find(({ name }) => name.startsWith('continues behind every row it gave'));
const refused = pageCases.find(({ name }) => name === 'refuses a position of another order');
assert.ok(continued && refused);

describe('the engine suite fails an engine', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEmbedded(newDataDirectory());
  });
  after(() => engine.close());

  const reading = (readRows: Engine['readRows']) => withReads(engine, readRows);
  /** Continued reads, as values, with other rows. */
  const withRows = (change: (rows: readonly RowValues[]) => readonly RowValues[]) =>
    reading(async (plan) => {
      if (plan.page.after === null) return engine.readRows(plan);
      const asValues = planWith(plan, { form: 'values' });
      const outcome = await engine.readRows(asValues);
      return { ...outcome, chunks: [change(await rowsOf(outcome.chunks))] };
    });
  const wrong: Readonly<Record<string, () => Engine>> = {
    'that repeats the first page': () => reading((plan) => engine.readRows(planWith(plan, { after: null }))),
    'that skips a row': () => withRows((rows) => rows.slice(1)),
    'that ends where a read is continued': () => withRows(() => []),
  };
  for (const [name, open] of Object.entries(wrong)) {
    it(name, async () => {
      for (const each of [open(), checkedEngine(open())])
        await assert.rejects(
          continued.run(each, inStatedOrder, 0),
          (error) => error instanceof assert.AssertionError || error instanceof ContractViolation,
        );
    });
  }

  it('that takes a position of another order', async () => {
    const wrongEngine = reading(async (plan) => {
      try {
        return await engine.readRows(plan);
      } catch {
        return engine.readRows(planWith(plan, { after: null }));
      }
    });
    await assert.rejects(refused.run(wrongEngine, inStatedOrder, 0), assert.AssertionError);
  });
});
