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

  it('run an action on a keyspace on all nodes by one request, which begins a node after another', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    const sent: string[] = [];
    await page.route('**/local/nodes', async (route) => {
      const reply = await route.fetch();
      const [node] = (await reply.json()) as object[];
      const nodes = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((ip) => ({ ...node, node_ip: ip }));
      await route.fulfill({ response: reply, json: nodes });
    });
    await page.route('**/local/ops', async (route) => {
      sent.push(route.request().postData() ?? '');
      await route.fulfill({ json: 'id' });
    });
    await page.goto(`${console.server.opsUrl}/#/actions`);
    await page.getByLabel('Node').getByText('All, one after another').waitFor({ state: 'attached' });
    await page.getByLabel('Keyspace').fill('shop');
    await page.getByLabel('Tables').fill('a, b');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The action flush is started').waitFor();
    assert.deepEqual(
      sent.map((body) => JSON.parse(body)),
      [{ action: 'flush', ips: [], sleep: 0, keyspace: 'shop', tables: ['a', 'b'] }],
    );
  });

  it('say that nodes, and the tables of a chart, could not be loaded', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    const refuse = (address: string) =>
      page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'not now' } }));
    await refuse('**/local/nodes');
    await page.goto(`${console.server.opsUrl}/#/actions`);
    const form = page.locator('form', { hasText: 'Run an action' });
    await form.getByRole('alert').getByText('not now').waitFor();
    await page.unroute('**/local/nodes');
    await form.getByRole('button', { name: 'Try again' }).click();
    await form.getByRole('alert').waitFor({ state: 'detached' });
    await refuse('**/cluster-metrics/all/cf-write-ops?*');
    await page.goto(`${console.server.opsUrl}/#/metrics?metric=cf-write-ops`);
    await page.getByRole('alert').getByText('not now').waitFor();
    assert.equal(await page.getByText('There are no tables with values yet').count(), 0);
    await page.unroute('**/cluster-metrics/all/cf-write-ops?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no tables with values yet').waitFor();
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
