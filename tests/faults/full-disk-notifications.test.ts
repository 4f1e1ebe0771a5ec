// While nothing can be written, alerts are judged and delivered all the same.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { startNoticeReceiver } from '../acceptance/notice-receiver.js';
import { addWebhook, command, createRule, createTable, eventsOf } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';

/** Sets how large files of the process may grow; only the soft limit, which can be raised again. */
function limitFiles({ pid }: RunningServer, limit: string): boolean {
  return spawnSync('prlimit', ['--pid', `${pid}`, `--fsize=${limit}:`]).status === 0;
}

it('a full disk keeps no alert from its receivers, and what happened is in the log afterwards', async (t) => {
  const server = await startServer({ args: ['--metrics-interval-seconds', '1'] });
  const receiver = await startNoticeReceiver();
  let isReading = true;
  try {
    await createTable(server, 'orders');
    const rule = String(
      await createRule(server, {
        type: 'rolling-avg',
        metric: 'read-ops',
        threshold: 0,
        duration: 0,
      }),
    );
    await addWebhook(server, receiver.url, { rules: [rule] });
    if (!limitFiles(server, '4096')) {
      t.skip('this user may not limit a process');
      return;
    }
    const reading = (async () => {
      while (isReading) {
        await command(server, 'default_keyspace/orders', { find: { filter: { id: 1 } } });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    await receiver.until((notices) => notices.some(({ status }) => status === 'firing'));
    assert.match(receiver.notices[0]?.reason ?? '', /the disk is full/);
    const refused = await fetch(`${server.opsUrl}/local/alert-rules/${rule}`, { method: 'DELETE' });
    assert.equal(refused.status, 503, await refused.text());
    isReading = false;
    await reading;
    await receiver.until((notices) => notices.some(({ status }) => status === 'resolved'));
    assert.ok(limitFiles(server, 'unlimited'));
    const actions = async () => (await eventsOf(server)).map(({ action }) => action);
    while (!(await actions()).includes(1001)) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok((await actions()).includes(1000));
    assert.equal(
      (await fetch(`${server.opsUrl}/local/alert-rules/${rule}`, { method: 'DELETE' })).status,
      200,
    );
  } finally {
    isReading = false;
    limitFiles(server, 'unlimited');
    await server.stop();
    await receiver.close();
  }
});
