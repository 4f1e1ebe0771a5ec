// The operations screens of several clusters and nodes: what is done is done where the screen says.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { askOps } from '../ops-client.js';
import { useConsole, withoutBrowser } from './open-console.js';

describe('the operations screens of several clusters', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--metrics-interval-seconds', '1'] });
  before(async () => {
    const cluster = { id: 'berlin', cassandra: { seed_hosts: '127.0.0.1', native_port: 1 } };
    await askOps(console.server, '/cluster-configs', { body: cluster });
  });

  it('run an action on a keyspace on all nodes, also behind one that refuses it', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    const sent: string[] = [];
    await page.route('**/local/nodes', async (route) => {
      const reply = await route.fetch();
      const [node] = (await reply.json()) as object[];
      const nodes = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((ip) => ({ ...node, node_ip: ip }));
      await route.fulfill({ response: reply, json: nodes });
    });
    await page.route('**/local/ops/**', async (route) => {
      const path = new URL(route.request().url()).pathname;
      sent.push(`${path} ${route.request().postData()}`);
      const refusal = { type: 'Conflict', message: 'this node is busy' };
      if (path.includes('10.0.0.2')) await route.fulfill({ status: 409, json: refusal });
      else await route.fulfill({ json: 'id' });
    });
    await page.goto(`${console.server.opsUrl}/#/actions`);
    await page.getByLabel('Node').getByText('All, one after another').waitFor({ state: 'attached' });
    await page.getByLabel('Keyspace').fill('shop');
    await page.getByLabel('Tables').fill('a, b');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The action flush is started on 10.0.0.1, 10.0.0.3, but not on 10.0.0.2').waitFor();
    await page.getByText('this node is busy').waitFor();
    const nodes = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
    assert.deepEqual(
      sent,
      nodes.map((ip) => `/local/ops/flush/${ip}/shop ["a","b"]`),
    );
  });

  it('open the form of a rule for the cluster of the chart', async () => {
    const { page } = await console.open({ path: '/#/metrics?cluster=berlin' });
    await page.getByRole('link', { name: 'New alert rule for this metric' }).click();
    await page.getByRole('dialog').waitFor();
    assert.match(page.url(), /[?&]cluster=berlin/);
  });

  it('leave nodes, channels and moments of one cluster with another', async () => {
    const query = 'metric=read-ops&node=10.0.0.1&table=a.b&channel=c&before=1&hidden=%5B%22n%22%5D&rule=r';
    const { page } = await console.open({ path: `/#/metrics?${query}` });
    await page.getByLabel('Cluster').selectOption('berlin');
    await page.waitForURL(/cluster=berlin/);
    assert.equal(new URL(page.url()).hash, '#/metrics?metric=read-ops&cluster=berlin');
  });

  it('say that it is not known whether notifications are on', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    await page.route('**/events/notifications-enabled', (route) =>
      route.fulfill({ status: 500, json: { message: 'no' } }),
    );
    await page.goto(`${console.server.opsUrl}/#/notifications`);
    await page.getByRole('alert').waitFor();
  });
});
