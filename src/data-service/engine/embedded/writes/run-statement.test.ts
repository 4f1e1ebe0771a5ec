// What is kept of statements after they have run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { runStatement } from './run-statement.js';

describe('runStatement', () => {
  it('keeps prepared what takes values, and nothing of tables that are made and dropped', () => {
    const database = openDatabase({ path: ':memory:' });
    runStatement(database, { sql: 'CREATE TABLE kept (a INTEGER)', valueSets: [[]] });
    for (let number = 0; number < 100; number += 1) {
      runStatement(database, { sql: `CREATE TABLE t${number} (a INTEGER)`, valueSets: [[]] });
      runStatement(database, { sql: 'INSERT INTO kept VALUES (?)', valueSets: [[number], [number]] });
      runStatement(database, { sql: `DROP TABLE t${number}`, valueSets: [[]] });
    }
    assert.equal(database.keptStatements, 1);
    const sql = 'SELECT count(*) FROM kept';
    assert.deepEqual(database.statement(sql, { returnArrays: true }).get(), [200]);
    database.close();
  });
});
