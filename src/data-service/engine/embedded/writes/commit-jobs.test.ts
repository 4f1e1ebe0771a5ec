// Checks what stays in memory of statements after their jobs are done.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { JobCommits } from './commit-jobs.js';

describe('the commits of jobs', () => {
  it('keep prepared what takes values, and nothing of tables that are made and dropped', () => {
    const database = openDatabase({ path: ':memory:' });
    const commits = new JobCommits(database, new Map(), { commitDelayMs: 0 });
    const run = (id: number, ...statements: readonly [sql: string, ...values: number[]][]) => {
      const job = { id, statements: statements.map(([sql, ...sets]) => ({ sql, valueSets: setsOf(sets) })) };
      for (const { reply } of commits.carryOut([job], 1_000)) assert.deepEqual(reply.failures, []);
    };
    run(1, ['CREATE TABLE kept (a INTEGER)']);
    for (let number = 0; number < 100; number += 1) {
      run(
        number + 2,
        [`CREATE TABLE t${number} (a INTEGER)`],
        ['INSERT INTO kept VALUES (?)', number, number],
        [`DROP TABLE t${number}`],
      );
    }
    assert.equal(database.keptStatements, 1);
    const sql = 'SELECT count(*) FROM kept';
    assert.deepEqual(database.statement(sql, { returnArrays: true }).get(), [200]);
    database.close();
  });
});

/** A set for each value; one empty set if there is none. */
function setsOf(values: readonly number[]): readonly (readonly number[])[] {
  return values.length === 0 ? [[]] : values.map((value) => [value]);
}
