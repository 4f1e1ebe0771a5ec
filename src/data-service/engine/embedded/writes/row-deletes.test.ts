// Deletes of many rows of a partition, in portions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import type { Comparison, Filter } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { makeTable } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { insertedColumn, sqlSlot, sqlTable } from '../file/sql-names.js';
import { createRowsStatements } from '../statements/table-statements.js';
import { RowDeletes } from './row-deletes.js';

const columns = ['p', 'c'].map((name) => ({ name, type: int }));
const table = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  { name: 't', columns, partitionKey: ['p'], clustering: [{ name: 'c', direction: 1 }] },
);

function compared(at: number, operator: '$eq' | '$lt', operand: number): Comparison {
  const column = table.keyColumns[at] ?? assert.fail(`no column ${at}`);
  return { kind: 'comparison', column, operator: filterOperators[operator], operands: [operand] };
}

/** The rows of the partition 1 for which this is true, too. */
function inPartition(...others: readonly Comparison[]): Filter {
  return { kind: 'and', filters: [compared(0, '$eq', 1), ...others] };
}

/**
 * A table with 3,000 rows in the partition 1 and one in the partition 2. Each commit takes `tookMs`. The engine closes
 * after `commitsBeforeEnd` commits.
 */
function startDeletes(tookMs: number, failingCommit?: number, commitsBeforeEnd?: number) {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of createRowsStatements(table)) database.exec(sql);
  const names = [...table.keyColumns.map(sqlSlot), insertedColumn].join(', ');
  const insert = database.statement(`INSERT INTO ${sqlTable(table)} (${names}) VALUES (?, ?, 1)`);
  for (let number = 0; number < 3_000; number += 1) insert.run([1, number]);
  insert.run([2, 0]);
  const commits: number[] = [];
  let nowMs = 0;
  const deletes = new RowDeletes({
    write: async (_, statements) => {
      if (commits.length === failingCommit) throw new EngineError('writeFailed', 'the disk is full');
      nowMs += tookMs;
      const changed = statements.flatMap(({ sql, valueSets }) =>
        valueSets.map((values) => Number(database.statement(sql).run(values).changes)),
      );
      commits.push(changed.reduce((sum, rows) => sum + rows, 0));
    },
    read: async (run) => run(database),
    clock: { monotonicMs: () => nowMs },
    isClosing: () => commits.length === commitsBeforeEnd,
  });
  const rowsLeft = () =>
    Number(database.statement(`SELECT count(*) AS rows FROM ${sqlTable(table)}`).get()?.['rows']);
  return { deletes, commits, rowsLeft };
}

describe('a delete of a range of rows', () => {
  it('deletes many rows in portions, which grow while they are quick', async () => {
    const { deletes, commits, rowsLeft } = startDeletes(1);
    await deletes.delete({ table, filter: inPartition() });
    assert.deepEqual(commits, [500, 2_000, 500]);
    assert.equal(rowsLeft(), 1);
  });

  it('deletes fewer rows at once after a portion that took long', async () => {
    const { deletes, commits, rowsLeft } = startDeletes(101);
    await deletes.delete({ table, filter: inPartition(compared(1, '$lt', 1_000)) });
    assert.deepEqual(commits, [500, 125, ...Array(7).fill(50), 25]);
    assert.equal(rowsLeft(), 2_001);
  });

  it('deletes few rows, or one by its key, in one commit', async () => {
    const { deletes, commits } = startDeletes(1);
    await deletes.delete({ table, filter: inPartition(compared(1, '$lt', 500)) });
    await deletes.delete({ table, filter: inPartition(compared(1, '$eq', 700)) });
    assert.deepEqual(commits, [500, 1]);
  });

  it('deletes all that are left in one commit when the engine closes', async () => {
    const { deletes, commits, rowsLeft } = startDeletes(1, undefined, 1);
    await deletes.delete({ table, filter: inPartition() });
    assert.deepEqual(commits, [500, 2_500]);
    assert.equal(rowsLeft(), 1);
  });

  it('ends with the first portion that fails', async () => {
    const { deletes, commits } = startDeletes(1, 1);
    await assert.rejects(deletes.delete({ table, filter: inPartition() }), { kind: 'writeFailed' });
    assert.deepEqual(commits, [500]);
  });
});
