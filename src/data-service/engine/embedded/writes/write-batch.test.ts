// Unpacked jobs equal the packed ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packJobs, unpackJobs, type WriteJob } from './write-batch.js';

const table = { id: 3, version: 7 };
const insert = (...values: (string | number | bigint | null | Uint8Array)[]) => ({
  sql: 'INSERT INTO t3 VALUES (?, ?)',
  valueSets: [values],
});

function assertKept(jobs: readonly WriteJob[]): void {
  const travelled = structuredClone(packJobs(jobs));
  const plain = (job: WriteJob) => ({
    ...job,
    statements: job.statements.map((statement) => ({
      ...statement,
      valueSets: statement.valueSets.map((values) =>
        values.map((value) => (value instanceof Uint8Array ? [...value] : value)),
      ),
    })),
  });
  assert.deepEqual(unpackJobs(travelled).map(plain), jobs.map(plain));
}

describe('a batch of write jobs', () => {
  it('keeps jobs that differ in their values only', () => {
    assertKept([
      { id: 1, table, statements: [insert('a', 1)] },
      { id: 2, table, statements: [insert('b', null)] },
      { id: 5, table, statements: [insert(Uint8Array.of(1, 2), 2n ** 62n)] },
      { id: 6, table, statements: [insert('', Uint8Array.of())] },
      { id: 7, table, statements: [insert(Uint8Array.of(9), -0.5)] },
    ]);
  });

  it('keeps the table and its version where only these differ', () => {
    assertKept([
      { id: 1, table, statements: [insert('a', 1)] },
      { id: 2, table: { id: 3, version: 8 }, statements: [insert('a', 1)] },
      { id: 3, table: { id: 4, version: 8 }, statements: [insert('a', 1)] },
    ]);
  });

  it('keeps jobs of several statements, sets, checks and versions between such jobs', () => {
    const check = { sql: 'INSERT INTO t3 VALUES (?, ?)', valueSets: [['a', 1]], isCheck: true } as const;
    assertKept([
      { id: 1, table, statements: [insert('a', 1)] },
      { id: 2, table, statements: [check] },
      { id: 3, table, statements: [insert('b', 2)] },
      { id: 4, table, statements: [insert('b', 2), insert('c', 3)] },
      {
        id: 5,
        table,
        statements: [
          {
            sql: insert().sql,
            valueSets: [
              ['d', 4],
              ['e', 5],
            ],
          },
        ],
      },
      { id: 6, table, statements: [{ sql: 'DELETE FROM t3', valueSets: [[]] }] },
      { id: 7, table, statements: [{ sql: 'DELETE FROM t3', valueSets: [[]] }] },
      {
        id: 8,
        statements: [insert('f', 6)],
        tableVersions: [
          [3, 8],
          [4, null],
        ],
      },
      { id: 9, statements: [], tableVersions: [] },
      { id: 10, table, statements: [insert('g', 7)] },
    ]);
  });

  it('keeps what becomes of rows that are too large', () => {
    const [skipSet, skipRest] = [{ tooLarge: 'skipSet' }, { tooLarge: 'skipRest' }] as const;
    assertKept([
      { id: 1, table, statements: [{ ...insert('a', 1), ...skipSet }] },
      { id: 2, table, statements: [{ ...insert('b', 2), ...skipSet }] },
      { id: 3, table, statements: [{ ...insert('c', 3), ...skipRest }] },
      { id: 4, table, statements: [insert('d', 4)] },
    ]);
  });
});
