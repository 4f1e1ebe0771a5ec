// A row that changes between the statements of its read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { matchAll } from '../../../query/filter.js';
import type { ReadPlan } from '../../../query/read.js';
import { makeTable } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { ReadTimeLimit } from '../../read-time-limit.js';
import { createTableStatements } from '../statements/table-statements.js';
import { lookUpRow } from './short-reads.js';

const table = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'p', type: int },
      { name: 'v', type: text },
    ],
    partitionKey: ['p'],
    clustering: [],
  },
);

/** Looks up the row 1, which is large; `between` runs before the second statement. */
function lookUp(between: string) {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of createTableStatements(table).slice(0, 2)) database.exec(sql);
  database.exec(`INSERT INTO t7 (c1, c2, inserted) VALUES (1, '${'x'.repeat(100)}', 1)`);
  const statement = database.statement.bind(database);
  let statements = 0;
  const value = (...args: Parameters<typeof statement>) => {
    statements += 1;
    if (statements === 2) database.exec(between);
    return statement(...args);
  };
  Object.defineProperty(database, 'statement', { value });
  const { columns } = table;
  const plan: ReadPlan = {
    ...{ table, columns, filter: matchAll, order: null, form: 'values', search: null },
    page: { after: null, limit: 1, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
  };
  try {
    const { chunks } = lookUpRow(
      database,
      { plan, deadline: new ReadTimeLimit(systemClock, 10_000) },
      [1],
      50,
    );
    assert.equal(statements, 2);
    return chunks;
  } finally {
    database.close();
  }
}

describe('a look-up of a large row', () => {
  const isLarge = (error: unknown) => error instanceof EngineError && error.kind === 'large';

  it('is left to others, also where a smaller row is committed meanwhile', () => {
    assert.throws(() => lookUp('SELECT 1'), isLarge);
    assert.throws(() => lookUp("UPDATE t7 SET c2 = 'small'"), isLarge);
  });

  it('finds nothing where the row is deleted meanwhile', () => {
    assert.deepEqual(lookUp('DELETE FROM t7'), [[]]);
  });
});
