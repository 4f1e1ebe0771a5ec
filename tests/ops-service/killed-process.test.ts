// What a killed process left undone is finished at the next start: ends of alerts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { opsFile } from '../../src/bin/ops-messages.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import type { ProcessFigures } from '../../src/ops-service/clusters/process-readings.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { openOps } from './open-ops.js';

const noCollections = { count: 0, totalMs: 0 };

/** A service on whose file a test can do what a process did that was killed. */
function openKilled() {
  const opsDir = makeTemporaryDirectory();
  const readMetrics = async (): Promise<ProcessFigures> => ({
    elapsedMs: 10_000,
    traffic: new Traffic().take(),
    heap: { usedBytes: 11, committedBytes: 12, maxBytes: 13 },
    residentBytes: 14,
    collections: { minor: noCollections, major: noCollections },
  });
  const args = ['--data-dir', makeTemporaryDirectory(), '--allow-address', '127.0.0.1/32'];
  const ops = openOps({ args, opsDir, answers: { readMetrics } });
  const onFile = <Result>(work: (database: Database) => Result): Result => {
    const database = openDatabase({ path: opsFile(opsDir) });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    ops,
    list: async (path: string) =>
      (await ops.ask({ path })).body as readonly Readonly<Record<string, unknown>>[],
    /** Ten seconds, and all that is to be done then. */
    tick: async () => {
      ops.clock.advance(10_000);
      ops.parts.tick();
      await ops.parts.settled();
    },
    /** Ends the process, does with the file what it did at last, and starts the next one. */
    restartAfter: async (work: (database: Database) => void) => {
      await ops.close();
      onFile(work);
      await ops.reopen();
      await ops.parts.settled();
    },
    /** Ends the process and reads what is in the file. */
    readFile: async <Result>(work: (database: Database) => Result) => {
      await ops.close();
      return onFile(work);
    },
  };
}

/** Takes notices of alerts: `resolved ALERT: reason`. */
async function startReceiver(): Promise<{ readonly url: string; readonly notices: string[] }> {
  const notices: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
    const { status, alert, reason } = JSON.parse(chunks.join(''));
    notices.push(`${status} ${alert.id}: ${reason}`);
    response.end();
  }).listen(0, '127.0.0.1');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  // It listens on a port, not on a pipe.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, notices };
}

describe('an alert whose rule', () => {
  const cases: readonly (readonly [name: string, reason: string, statements: readonly string[]])[] = [
    ['was deleted', 'rule deleted', ['DELETE FROM rules WHERE id = ?1']],
    [
      'was disabled',
      'rule disabled',
      ["UPDATE rules SET body = json_set(body, '$.enabled', 0) WHERE id = ?1"],
    ],
    [
      'was deleted, and of which only the notifications know,',
      'rule deleted',
      ['DELETE FROM rules WHERE id = ?1', 'DELETE FROM fired_alerts WHERE rule_id = ?1'],
    ],
  ];
  for (const [name, reason, statements] of cases) {
    it(`${name} clears at the next start, with its event and its notice`, async () => {
      const { ops, list, tick, restartAfter } = openKilled();
      const { url, notices } = await startReceiver();
      await ops.ask({ path: '/local/notification-channels', body: { type: 'webhook', url } });
      const body = { type: 'rolling-avg', metric: 'heap-used', threshold: 10, duration: 0, level: 'ERROR' };
      const { body: ruleId } = await ops.ask({ path: '/local/alert-rules', body });
      const { body: otherId } = await ops.ask({ path: '/local/alert-rules', body });
      await tick();
      const idOf = async (rule: unknown) =>
        (await list('/local/alerts')).find(({ alert_rule_id: id }) => id === rule)?.['id'];
      const [alertId, keptId] = [await idOf(ruleId), await idOf(otherId)];
      assert.deepEqual(
        [...notices].sort(),
        [alertId, keptId].map((id) => `firing ${id}: value 11 above 10`).sort(),
      );
      notices.length = 0;

      await restartAfter((database) => {
        for (const sql of statements) database.statement(sql).run([String(ruleId)]);
      });
      await tick();
      const ends = async () =>
        (await list('/local/events?count=100')).filter(({ action }) => action === 1001);
      assert.deepEqual(
        (await ends()).map(({ level_str, message }) => [level_str, message]),
        [['INFO', `alert cleared: heap-used on 127.0.0.1: ${reason}`]],
      );
      assert.deepEqual(notices, [`resolved ${alertId}: ${reason}`]);
      assert.deepEqual([await idOf(ruleId), await idOf(otherId)], [undefined, keptId]);

      await restartAfter(() => {});
      await tick();
      assert.equal((await ends()).length, 1);
      assert.equal(notices.length, 1);
    });
  }
});
