// Checks how the file of the operations service is opened.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { openStore } from './open-store.js';
import type { Migration } from './store.js';

const logger = createLogger('silent');
const directory = mkdtempSync(join(tmpdir(), 'colonnade-store-'));
after(() => rmSync(directory, { recursive: true }));

const first: Migration = { name: 'a-1', sql: 'CREATE TABLE a (x INTEGER)' };
const second: Migration = { name: 'a-2', sql: 'ALTER TABLE a ADD COLUMN y INTEGER' };

describe('openStore', () => {
  it('runs each step once, in order, also those of a later version', () => {
    const path = join(directory, 'steps.db');
    const lines: unknown[] = [];
    const noting = { ...logger, info: (facts: object) => lines.push(facts) };
    openStore(path, [first], noting).close();
    openStore(path, [first], noting).close();
    assert.deepEqual(lines, []);
    const store = openStore(path, [first, second], noting);
    assert.deepEqual(lines, [{ file: path, from: 1, to: 2 }]);
    store.change((database) => database.exec('INSERT INTO a (x, y) VALUES (1, 2)'));
    assert.deepEqual(
      { ...store.read((database) => database.statement('SELECT * FROM a').get()) },
      { x: 1, y: 2 },
    );
    store.close();
  });

  it('does nothing at all when a step fails', () => {
    const path = join(directory, 'fails.db');
    assert.throws(() => openStore(path, [first, { name: 'bad', sql: 'CREATE TABLE' }], logger));
    openStore(path, [first, second], logger).close();
  });

  it('refuses a file of a later version', () => {
    const path = join(directory, 'later.db');
    openStore(path, [first, second], logger).close();
    assert.throws(() => openStore(path, [first], logger), /written by a later version \(it has a-2\)/);
  });

  it('writes nothing to a file that is up to date', () => {
    const path = join(directory, 'same.db');
    openStore(path, [first], logger).close();
    const { mtimeNs } = statSync(path, { bigint: true });
    openStore(path, [first], logger).close();
    assert.equal(statSync(path, { bigint: true }).mtimeNs, mtimeNs);
  });
});
