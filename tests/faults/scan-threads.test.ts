// Checks how scan threads are started, with real ones on a file that goes away.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Scanner } from '../../src/data-service/engine/embedded/scans/scanner.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { newDataDirectory } from '../conformance/open-embedded.js';

const one = { sql: 'SELECT 1', values: [], columns: [] };
/** Takes longer than many threads take to start. */
const long = {
  ...one,
  sql: 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n',
};

describe('scan threads', () => {
  it('that cannot be started are not tried again while others carry on', async (test) => {
    const path = join(newDataDirectory(), 'data.db');
    openDatabase({ path }).close();
    const scanner = new Scanner({ path }, Number.POSITIVE_INFINITY);
    test.after(() => scanner.close());
    await scanner.runSlice([one], 1000);
    renameSync(path, `${path}.away`);
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    const slices = await Promise.all([long, one].map((statement) => scanner.runSlice([statement], 1000)));
    process.off('worker', count);
    assert.deepEqual(
      slices.map(({ rows }) => rows),
      [[[[3_000_000]]], [[[1]]]],
    );
    assert.equal(started, 1);
  });

  it('that cannot be started at all refuse what waits', async (test) => {
    const scanner = new Scanner({ path: join(newDataDirectory(), 'missing.db') }, Number.POSITIVE_INFINITY);
    test.after(() => scanner.close());
    await assert.rejects(
      scanner.runSlice([one], 1000),
      (error) => error instanceof EngineError && error.kind === 'readFailed',
    );
  });
});
