// Native queries of operators on an open data service: large replies, and their counts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../foundation/config/load-config.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import type { Traffic } from '../../foundation/telemetry/traffic.js';
import { unpackNativeReply } from '../../ops-service/clusters/data-service-link.js';
import { OpsError } from '../../ops-service/errors/ops-error.js';
import { openProcessParts } from '../parts/open-process-parts.js';
import { openSecrets } from '../parts/open-secrets.js';
import { type OpenDataService, openDataService } from './open-data-service.js';

describe('a native query of an operator', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'colonnade-native-'));
  const insertedText = 'x'.repeat(180_000);
  const table = 'default_keyspace.rows';
  let dataService: OpenDataService;
  let traffic: Traffic;
  before(async () => {
    const surroundings = { environment: {}, readFile: () => '{}' };
    const config = loadConfig(['--data-dir', dataDirectory, '--log-level', 'silent'], surroundings);
    const { watch, ...parts } = openProcessParts();
    const listeners = {
      onSchemaChange: () => {},
      onProblem: () => {},
      onFatal: (error: Error) => {
        throw error;
      },
    };
    const logger = createLogger('silent');
    const secrets = openSecrets(config);
    dataService = await openDataService({ config, logger, parts, listeners, secrets });
    traffic = parts.traffic;
    await run(`CREATE TABLE ${table} (p int, c int, t text, PRIMARY KEY (p, c))`);
  });
  after(async () => {
    await dataService.close();
    rmSync(dataDirectory, { recursive: true });
  });

  const { signal } = new AbortController();
  const run = async (query: string) => unpackNativeReply((await dataService.runNative(query, signal)).result);

  it('counts as reads and writes of its table, and as no command', async () => {
    traffic.take();
    await run(`INSERT INTO ${table} (p, c, t) VALUES (0, 1, 'a')`);
    await run(`UPDATE ${table} SET t = 'b' WHERE p = 0 AND c = 1`);
    assert.equal((await run(`SELECT t FROM ${table} WHERE p = 0`)).rows.length, 1);
    await run(`DELETE FROM ${table} WHERE p = 0`);
    const { kinds, pending, tables } = traffic.take();
    const [[name, figures] = []] = tables;
    assert.deepEqual([name, figures?.write.calls, figures?.read.calls], [table, 3, 1]);
    assert.deepEqual([kinds.write.finished, kinds.read.finished], [0, 0]);
    assert.deepEqual(pending, { read: 0, write: 0 });
  });

  it('gives rows of up to 16 MiB, which another thread reads, and refuses more', async () => {
    const insert = (first: number) =>
      Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          run(`INSERT INTO ${table} (p, c, t) VALUES (1, ${first + at}, '${insertedText}')`),
        ),
      );
    await insert(0);
    const { columns, rows } = await run(`SELECT c, t FROM ${table} WHERE p = 1`);
    assert.deepEqual(columns, [
      { name: 'c', type: 'int' },
      { name: 't', type: 'text' },
    ]);
    assert.deepEqual(
      rows,
      Array.from({ length: 50 }, (_, c) => [String(c), `"${insertedText}"`]),
    );
    await insert(50);
    await assert.rejects(
      run(`SELECT * FROM ${table} WHERE p = 1`),
      (error) =>
        error instanceof OpsError && error.refusal === 'BadRequest' && /more than 16 MiB/.test(error.message),
    );
    assert.equal((await run(`SELECT * FROM ${table} WHERE p = 1 LIMIT 80`)).rows.length, 80);
  });
});
