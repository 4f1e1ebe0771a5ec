// What a killed process left undone is finished at the next start: ends of alerts, and removals of clusters.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { opsFile } from '../../src/bin/ops/ops-messages.js';
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

const storedAlert = {
  id: 'a',
  alert_rule_id: 'r',
  node: 'n',
  dc: null,
  table: null,
  device: null,
  level: 'WARN',
  state: 'firing',
  current_value: 1,
  first_fired: 1,
};
const summary = { id: 'r', type: 'node-down', metric: null, level: 'WARN', notifyIntervalMinutes: 0 };
/** Statements that write a row of the cluster `gone`, by table. Bodies are as the tables' owners write them. */
const rows: Readonly<Record<string, readonly [sql: string, body?: object]>> = {
  rules: [
    "INSERT INTO rules (cluster_id, id, body) VALUES ('gone', 'r', ?)",
    { type: 'node-down', duration: 0, notify_interval: 0, enabled: 1, level: 'WARN', no_data: 'keep' },
  ],
  fired_alerts: [
    "INSERT INTO fired_alerts VALUES ('gone', 'r', 'k', 'a', 'n', NULL, NULL, NULL, 1, 1.0, 0, 0)",
  ],
  series: ["INSERT INTO series VALUES (99999, 'gone', 'heap-used', 'n', '', '')"],
  channels: [
    "INSERT INTO channels (id, cluster_id, body) VALUES ('c', 'gone', ?)",
    { type: 'webhook', url: 'http://10.0.0.1/' },
  ],
  silences: [
    "INSERT INTO silences (id, cluster_id, body) VALUES ('s', 'gone', ?)",
    {
      silence: { id: 's', matchers: { node: 'n' }, start: 1, end: 4e9, author: '', comment: '' },
      isEndReported: false,
    },
  ],
  notification_switches: ["INSERT INTO notification_switches VALUES ('gone', 0)"],
  followed_alerts: [
    "INSERT INTO followed_alerts VALUES ('gone', 'a', ?)",
    {
      clusterId: 'gone',
      alert: storedAlert,
      rule: { ...summary, annotations: {} },
      event: { message: 'alert fired: node n: down' },
      reason: 'down',
      isFiring: true,
      channels: [],
    },
  ],
  deliveries: ["INSERT INTO deliveries VALUES (1, 'gone', '{}')"],
  action_requests: [
    "INSERT INTO action_requests (id, cluster_id, body) VALUES ('q', 'gone', ?)",
    { id: 'q', clusterId: 'gone', state: 'success', parts: [] },
  ],
  cassandra_nodes: ["INSERT INTO cassandra_nodes VALUES ('gone', '[]')"],
};

function write(database: Database, table: string): void {
  const [sql, body] = rows[table] ?? [''];
  database.statement(sql).run(body === undefined ? [] : [JSON.stringify(body)]);
}

/** The tables that have rows of a cluster, with the column; without those of events, which stay. */
function tablesOfClusters(database: Database): readonly (readonly [table: string, column: string])[] {
  const sql = `SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND c.name IN ('cluster', 'cluster_id')
      AND t.name NOT IN ('events', 'event_counts', 'alert_events')`;
  const found = database.statement(sql, { returnArrays: true }).all();
  return found.map(([table, column]) => [String(table), String(column)]);
}

function tablesWithGone(database: Database): readonly string[] {
  return tablesOfClusters(database)
    .filter(([table, column]) => {
      const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column} = 'gone'`;
      return Number(database.statement(sql).get()?.['n']) > 0;
    })
    .map(([table]) => table);
}

describe('a cluster that was removed', () => {
  it('is forgotten at the next start, whatever is left of it', async () => {
    const { restartAfter, readFile, tick } = openKilled();
    const tables = await readFile((database) => tablesOfClusters(database).map(([table]) => table));
    assert.deepEqual([...tables].sort(), Object.keys(rows).sort());
    for (const some of [tables, ...tables.map((table) => [table])]) {
      await restartAfter((database) => {
        for (const table of some) write(database, table);
        assert.deepEqual([...tablesWithGone(database)].sort(), [...some].sort());
      });
      await tick(); // entries of logs are deleted in portions
      assert.deepEqual(await readFile(tablesWithGone), [], some.join());
    }
  });

  it('leaves nothing to the next cluster of its id', async () => {
    const { ops, list, restartAfter } = openKilled();
    const config = { id: 'prod', cassandra: { seed_hosts: '127.0.0.1', native_port: 9 } };
    const add = () => ops.ask({ path: '/cluster-configs', body: config });
    await add();
    const webhook = { type: 'webhook', url: 'http://10.0.0.1/' };
    await ops.ask({ path: '/prod/notification-channels', body: webhook });
    await ops.ask({ path: '/prod/alert-rules', body: { type: 'node-down', duration: 0 } });
    await ops.ask({ path: '/local/alert-rules', body: { type: 'node-down', duration: 0 } });
    const kept = await list('/local/alert-rules');
    await restartAfter((database) => database.exec("DELETE FROM cluster_configs WHERE id = 'prod'"));
    assert.equal((await ops.ask({ path: '/prod/alert-rules' })).status, 404);
    await add();
    assert.deepEqual(await list('/prod/alert-rules'), []);
    assert.deepEqual(await list('/prod/notification-channels'), []);
    assert.deepEqual(await list('/local/alert-rules'), kept);
  });
});
