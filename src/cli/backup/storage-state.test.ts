// What is lost in the data directory of a stopped server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lostData } from './storage-state.js';

describe('lostData', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'colonnade-state-'));
  after(() => rmSync(dataDir, { recursive: true }));

  it('finds the log of a database that is missing, also of one that may be absent', () => {
    const path = join(dataDir, 'ops.db');
    const version = { of: () => 1, newest: 1 };
    const database = {
      name: 'ops/ops.db',
      path,
      content: 'events',
      isOptional: true,
      version,
      refused: () => [],
      companions: [],
    };
    const derived = { directory: join(dataDir, 'vectors'), ending: '.graph' };
    const layout = {
      dataDir,
      opsDir: dataDir,
      engine: 'embedded',
      databases: [database],
      files: [],
      derived,
    };
    assert.deepEqual(lostData(layout), []);
    writeFileSync(`${path}-wal`, 'frames');
    assert.match(lostData(layout).join('\n'), /ops\.db is missing, but .*ops\.db-wal exists/);
  });
});
