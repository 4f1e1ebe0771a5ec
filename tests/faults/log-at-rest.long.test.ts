// The write-ahead log is truncated at rest: by a whole engine beside reads, and in a process that is killed meanwhile.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { keptLogBytes, usualRestMs } from '../../src/data-service/engine/embedded/writes/idle-checkpoint.js';
import { findLogDamage } from '../../src/foundation/sqlite/find-log-damage.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { createTable, insert, rowsOf } from '../conformance/engine-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { newSeed, seededRandom } from '../seeded-random.js';

const kills = 25;

/** Waits for a message that is wanted; fails if the process ends before it. */
async function untilMessage(child: ChildProcess, isWanted: (message: unknown) => boolean): Promise<void> {
  const done = new AbortController();
  const ended = once(child, 'exit', { signal: done.signal }).then(([code, signal]) => {
    throw new Error(`the process ended with ${code ?? signal}`);
  });
  const wanted = (async () => {
    for await (const [message] of on(child, 'message', { signal: done.signal }))
      if (isWanted(message)) return;
  })();
  await Promise.race([ended, wanted]).finally(() => done.abort());
}

describe('the write-ahead log', () => {
  it('is truncated at rest, beside reads', async (test) => {
    const directory = newDataDirectory();
    const engine = await openEmbedded(directory);
    test.after(() => engine.close());
    const table = await createTable(engine, { columns: { id: 'int', name: 'text' } });
    const logBytes = () => statSync(join(directory, 'data.db-wal')).size;
    const rows = 100;
    for (let id = 0; id < rows; id += 1)
      await insert(engine, table, JSON.stringify({ id, name: 'a'.repeat(keptLogBytes / 50) }));
    assert.ok(logBytes() > keptLogBytes);
    const endMs = performance.now() + 3 * (usualRestMs.few + usualRestMs.truncate);
    while (logBytes() > keptLogBytes && performance.now() < endMs) {
      assert.equal((await rowsOf(engine, table)).length, rows);
      await sleep(20);
    }
    assert.equal(logBytes(), 0);
    assert.equal((await rowsOf(engine, table)).length, rows);
  });

  it('loses nothing when the process is killed while the log is truncated', async (test) => {
    const path = join(makeTemporaryDirectory(), 'a.db');
    const seed = newSeed();
    const random = seededRandom(seed);
    test.diagnostic(`seed ${seed}`);
    for (let round = 0; round < kills; round += 1) {
      const script = new URL('./write-and-rest.js', import.meta.url);
      const child = fork(script, [path, String(random.below(2 ** 31))]);
      let acknowledged = 0;
      child.on('message', (message) => {
        if (message !== 'truncated') acknowledged = Number(message);
      });
      // In some rounds at least, the log is truncated before the kill.
      await untilMessage(child, round % 5 === 0 ? (message) => message === 'truncated' : () => true);
      await sleep(random.below(120));
      child.kill('SIGKILL');
      await once(child, 'close');
      assert.equal(findLogDamage(`${path}-wal`), undefined);
      const database = openDatabase({ path });
      const first = (sql: string) => database.statement(sql, { returnArrays: true }).get();
      const [rows, last] = first('SELECT count(*), max(id) FROM t') ?? [];
      assert.ok(Number(rows) >= acknowledged, `round ${round}: ${rows} rows of ${acknowledged}`);
      assert.equal(last ?? -1, Number(rows) - 1);
      assert.deepEqual(first('PRAGMA integrity_check'), ['ok']);
      database.exec('DELETE FROM t');
      database.close();
    }
  });
});
