// Checks what stays in memory of statements after their jobs are done, and which jobs wait for an analysis of texts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { mostOwnUnits, textFunctions } from '../file/text-functions.js';
import { JobCommits } from './commit-jobs.js';
import type { WriteJob } from './write-batch.js';

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

  it('leave a job undone that removes a long text, until the text is analyzed, and run the others', () => {
    const database = openDatabase({ path: ':memory:', functions: textFunctions });
    database.exec('CREATE TABLE rows (id INTEGER, a TEXT); CREATE TABLE log (tokens BLOB)');
    database.exec(
      'CREATE TRIGGER removed AFTER DELETE ON rows ' +
        `BEGIN INSERT INTO log VALUES (text_tokens(old.a, '"standard"')); END`,
    );
    const stored = 'A red house. '.repeat(mostOwnUnits / 10);
    database.statement('INSERT INTO rows VALUES (?, ?)').run([1, stored]);
    database.statement('INSERT INTO rows VALUES (?, ?)').run([9, stored]);
    const commits = new JobCommits(database, new Map(), { commitDelayMs: 0 });
    const run = (jobs: readonly WriteJob[]) => [...commits.carryOut(jobs, 1_000)];
    const count = (table: string) =>
      database.statement(`SELECT count(*) FROM ${table}`, { returnArrays: true }).get()?.[0];
    const remove = { id: 2, statements: [{ sql: 'DELETE FROM rows WHERE id = ?', valueSets: [[1]] }] };
    const removeOther = {
      ...remove,
      id: 4,
      statements: remove.statements.map(({ sql }) => ({ sql, valueSets: [[9]] })),
    };
    const insert = { sql: 'INSERT INTO rows VALUES (?, ?)' };
    const commit = run([
      { id: 1, statements: [{ ...insert, valueSets: [[2, 'one']] }] },
      remove,
      { id: 3, statements: [{ ...insert, valueSets: [[3, 'two']] }] },
      removeOther,
    ]);
    const texts = [{ stored, definition: '"standard"' }];
    const reply = { doneThrough: 4, failures: [], results: [] };
    assert.deepEqual(commit, [
      {
        reply,
        large: [],
        unanalyzed: [
          { job: remove, texts },
          { job: removeOther, texts },
        ],
      },
    ]);
    assert.deepEqual([count('rows'), count('log')], [4, 0]);
    const analyzed = [{ stored, definition: '"standard"', tokens: Uint8Array.of(1, 2) }];
    const [again] = run([{ ...remove, known: { analyzed, analyses: 1 } }]);
    assert.deepEqual(again?.unanalyzed, []);
    assert.deepEqual([count('rows'), count('log')], [3, 1]);
    assert.deepEqual(database.statement('SELECT tokens FROM log', { returnArrays: true }).get(), [
      Uint8Array.of(1, 2),
    ]);
    database.close();
  });
});

/** A set for each value; one empty set if there is none. */
function setsOf(values: readonly number[]): readonly (readonly number[])[] {
  return values.length === 0 ? [[]] : values.map((value) => [value]);
}
