// Inserts of many large rows, which are stored in portions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../../../column-types/integers.js';
import { staticOf } from '../../../column-types/static.js';
import { text } from '../../../column-types/text.js';
import { makeTable } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { EngineError } from '../../engine-error.js';
import { rowChanges } from './row-changes.js';
import { RowsTooLarge } from './write-errors.js';

const columns = [
  { name: 'p', type: int },
  { name: 't', type: text },
];
const table = makeTable(
  { id: 4, version: 1, keyspace: 'k' },
  { name: 't', columns, partitionKey: ['p'], clustering: [] },
);
const large = 'x'.repeat(600_000);
const rows = [1, 2, 3, 4, 5].map((key) => ({ columns: table.columns, values: [key, large] }));

/** Rows are inserted; `failures` has the failure of each job. */
function inserts(hasLargePlans: boolean, ...failures: readonly (Error | undefined)[]) {
  const jobs: unknown[][] = [];
  const changes = rowChanges(async (_, statements) => {
    jobs.push(statements.flatMap(({ valueSets }) => valueSets.map(([key]) => key)));
    const failure = failures[jobs.length - 1];
    if (failure !== undefined) throw failure;
  }, hasLargePlans);
  return { jobs, changes };
}

describe('an insert of large rows', () => {
  it('is a job for each MiB of them', async () => {
    const { jobs, changes } = inserts(true);
    assert.deepEqual((await changes.insertRows({ table, rows })).rows, Array(5).fill(null));
    assert.deepEqual(jobs, [[1, 2], [3, 4], [5]]);
    const whole = inserts(false);
    await whole.changes.insertRows({ table, rows });
    assert.deepEqual(whole.jobs, [[1, 2, 3, 4, 5]]);
  });

  it('is a job for texts that take about a second to analyze', async () => {
    const analyzer = analyzerOf('{"tokenizer":{"name":"pattern","args":{"pattern":"a.*x|a"}}}');
    const [, column] = table.columns;
    assert.ok(column);
    const indexed = { ...table, indexes: [{ kind: 'text', id: 1, name: 'i', column, analyzer } as const] };
    const slow = [1, 2, 3, 4, 5].map((key) => ({ columns: table.columns, values: [key, 'a'.repeat(8_000)] }));
    const { jobs, changes } = inserts(true);
    assert.deepEqual((await changes.insertRows({ table: indexed, rows: slow })).rows, Array(5).fill(null));
    assert.deepEqual(jobs, [[1, 2], [3, 4], [5]]);
    const plain = inserts(true);
    await plain.changes.insertRows({ table, rows: slow });
    assert.equal(plain.jobs.length, 1);
  });

  it('is one job if it removes static values, which happens behind all rows', async () => {
    const types = [
      { name: 'p', type: int },
      { name: 'c', type: int },
      { name: 's', type: staticOf(text) },
      { name: 't', type: text },
    ];
    const withStatic = makeTable(
      { id: 5, version: 1, keyspace: 'k' },
      { name: 't', columns: types, partitionKey: ['p'], clustering: [{ name: 'c', direction: 1 }] },
    );
    const values = [1, 2, 3, 4, 5].map((key) => ({
      columns: withStatic.columns,
      values: [1, key, null, large],
    }));
    const { jobs, changes } = inserts(true);
    const stored = await changes.insertRows({ table: withStatic, rows: values });
    assert.deepEqual(stored.rows, Array(5).fill(null));
    assert.equal(jobs.length, 1);
  });

  it('reports the rows that are not stored after others', async () => {
    for (const kind of ['writeFailed', 'schemaChanged', 'closed'] as const) {
      const error = new EngineError(kind, 'stopped');
      const { jobs, changes } = inserts(true, undefined, error);
      assert.deepEqual((await changes.insertRows({ table, rows })).rows, [null, null, error, error, error]);
      assert.deepEqual(jobs, [
        [1, 2],
        [3, 4],
      ]);
    }
    const outdated = inserts(true, new EngineError('schemaChanged', ''));
    await assert.rejects(outdated.changes.insertRows({ table, rows }));
  });

  it('stores the rows beside those that are too large, in order none behind them', async () => {
    const error = new RowsTooLarge('too large', [1]);
    const beside = inserts(true, undefined, error);
    const stored = await beside.changes.insertRows({ table, rows });
    assert.deepEqual(stored.rows, [null, null, null, error, null]);
    const ordered = inserts(true, new RowsTooLarge('too large', [0]));
    const { rows: outcomes } = await ordered.changes.insertRows({ table, rows, isOrdered: true });
    assert.deepEqual(
      outcomes.map((outcome) => outcome?.message),
      Array(5).fill('too large'),
    );
    assert.deepEqual(ordered.jobs, [[1, 2]]);
  });
});
