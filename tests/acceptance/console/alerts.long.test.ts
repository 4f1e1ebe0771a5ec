// Alerts of several clusters in a real browser: their count, silences, acknowledgements; and bursts of events.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addWebhook, askOps, createRule } from '../ops-client.js';
import {
  expectAccessible,
  expectNoOverflow,
  phone,
  useConsole,
  waitUntil,
  withoutBrowser,
} from './open-console.js';

const rule = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: -1, duration: 0, level: 'ERROR' };
const annotations = { summary: 'call the team', runbook: 'https://wiki.example/disk' };

/** The link to the Alerts screen in the navigation. */
const navLink = (page: Page) => page.locator('nav a[href^="#/alerts"]');

describe('the alerts of several clusters', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--metrics-interval-seconds', '1'] });

  it('are counted on every screen and listed together, and clusters without a channel say so', async () => {
    await createRule(console.server, { ...rule, annotations });
    const cluster = { id: 'berlin', cassandra: { seed_hosts: '127.0.0.1', native_port: 1 } };
    await askOps(console.server, '/cluster-configs', { body: cluster });
    await askOps(console.server, '/berlin/alert-rules', { body: { type: 'node-down', duration: 0 } });
    const { page } = await console.open({ path: '/#/data' });
    await navLink(page).getByText(': 2 alerts fire').waitFor({ state: 'attached', timeout: 60_000 });
    for (const path of ['overview', 'metrics', 'events', 'notifications', 'actions', 'keys', 'clusters']) {
      await page.goto(`${console.server.opsUrl}/#/${path}`);
      await navLink(page).getByText('2', { exact: true }).waitFor();
    }
    await navLink(page).click();
    const list = page.getByRole('region', { name: 'Firing alerts' });
    await list.getByRole('row', { name: /berlin/ }).waitFor();
    await list.getByRole('row', { name: /os-disk-usage above -1.*local/ }).waitFor();
    for (const name of ['local', 'berlin'])
      await page
        .getByText(`Nobody is notified of alerts of the cluster ${name}: it has no channel.`)
        .waitFor();
    await expectAccessible(page);
    await addWebhook(console.server, 'http://127.0.0.1:9/hook', { name: 'on call' });
    await page.getByText('alerts of the cluster local: it has').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByText('Choose a cluster').waitFor();
  });

  it('are in view with all their buttons on narrow windows, and counted beside the menu', async () => {
    for (const size of [{ width: 1024, height: 768 }, phone]) {
      const { page, context } = await console.open({ size, path: '/#/alerts?cluster=*' });
      const button = page.getByRole('button', { name: 'Why was I not notified?' }).first();
      await button.waitFor();
      const box = await button.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= size.width, JSON.stringify(box));
      await expectNoOverflow(page);
      await expectAccessible(page);
      if (size === phone) await page.locator('.menu-alerts').getByText('2', { exact: true }).waitFor();
      await context.close();
    }
  });

  it('have a page with the annotations of their rule, which notices link to', async () => {
    const [alert] = (await askOps(console.server, '/local/alerts')) as { id: string }[];
    const { page } = await console.open({ path: `/#/alerts?open=alert%3A${alert?.id}` });
    const dialog = page.getByRole('dialog', { name: 'Alert' });
    await dialog.getByText('call the team').waitFor();
    await dialog.getByRole('link', { name: 'https://wiki.example/disk' }).waitFor();
    await dialog.getByText('os-disk-usage above -1').waitFor();
    await expectAccessible(page);
  });

  it('are acknowledged, and that is taken back', async () => {
    const { page } = await console.open({ path: '/#/alerts' });
    const row = page.getByRole('row', { name: /os-disk-usage above -1/ });
    await row.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await row.getByText('acknowledged', { exact: true }).waitFor();
    await navLink(page).getByText('1 of them neither').waitFor({ state: 'attached' });
    await row.getByRole('button', { name: 'Unacknowledge' }).click();
    await row.getByText('firing', { exact: true }).waitFor();
  });

  it('are silenced with a duration, an author and a comment; a second time changes the silence', async () => {
    const { page } = await console.open({ path: '/#/alerts' });
    const row = page.getByRole('row', { name: /os-disk-usage above -1/ });
    const dialog = page.getByRole('dialog');
    await row.getByRole('button', { name: 'Silence', exact: true }).click();
    await dialog.getByText('It holds the notices of 1 alert that fires now.').waitFor();
    await dialog.getByLabel('For', { exact: true }).selectOption('4 hours');
    await dialog.getByLabel('Author').fill('ada');
    await dialog.getByLabel('Comment').fill('new disk');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await row.getByText('silenced', { exact: true }).waitFor();
    await row.getByText(/by ada: new disk/).waitFor();
    await row.getByRole('button', { name: 'Change silence' }).click();
    await dialog.getByText('These notices are silenced already.').waitFor();
    await dialog.getByLabel('Comment').fill('newer disk');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText(/by ada: newer disk/).waitFor();
    const silences = (await askOps(console.server, '/local/silences')) as { state: string }[];
    assert.deepEqual(
      silences.map(({ state }) => state),
      ['active'],
    );
    await row.getByRole('button', { name: 'Change silence' }).click();
    await dialog.getByRole('button', { name: 'End it now' }).click();
    await row.getByText('silenced', { exact: true }).waitFor({ state: 'detached' });
  });

  it('can be silenced by rule, node, data center and table, from where these are shown', async () => {
    const { page } = await console.open({ path: '/#/alerts?tab=rules' });
    const dialog = page.getByRole('dialog', { name: 'Silence notices' });
    await page
      .getByRole('row', { name: /os-disk-usage above -1/ })
      .getByRole('button', { name: 'Silence' })
      .click();
    assert.notEqual(await dialog.getByLabel('Rule').inputValue(), '');
    await page.goto(`${console.server.opsUrl}/#/overview`);
    await page.getByRole('region', { name: 'Nodes' }).getByRole('link', { name: 'Silence' }).click();
    await dialog.getByText(/It holds the notices of/).waitFor();
    assert.equal(await dialog.getByLabel('Node').inputValue(), '127.0.0.1');
    await dialog.getByLabel('Node').selectOption('');
    await dialog.getByText('Choose at least a rule, a node, a data center or a table.').waitFor();
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await dialog.getByText(/must name a rule, node, dc or table/).waitFor();
    await dialog.getByLabel('Data center').selectOption('datacenter1');
    await dialog.getByLabel('Table').fill('shop.orders');
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByRole('row', { name: /dc datacenter1 · table shop\.orders/ }).waitFor();
  });
});

describe('the Metrics screen', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--metrics-interval-seconds', '1'] });

  it('describes metrics in groups, compares several of a unit, and takes a time that is typed', async () => {
    const { page } = await console.open({ path: '/#/metrics?metric=os-memory-used' });
    const metric = page.getByLabel('Metric', { exact: true });
    await metric.locator('optgroup[label="Operating system"]').waitFor({ state: 'attached' });
    await page.getByText('memory of the machine, used, MiB', { exact: true }).waitFor();
    const compared = page.getByLabel('Compare with');
    assert.equal(await compared.locator('option[value="read-ops"]').count(), 0, 'another unit');
    await compared.selectOption('os-memory-free');
    await page.getByText('Also os-memory-free').waitFor();
    assert.match(page.url(), /also=os-memory-free/);
    await page.getByLabel('Time', { exact: true }).selectOption('marked');
    await page.getByLabel('From', { exact: true }).fill('2026-01-31T08:30');
    await page.getByLabel('To', { exact: true }).fill('2026-01-31T09:30');
    const seconds = (text: string) => new Date(text).getTime() / 1000;
    await page.waitForURL(
      new RegExp(`from=${seconds('2026-01-31T08:30')}.*to=${seconds('2026-01-31T09:30')}`),
    );
    await page.getByLabel('From', { exact: true }).fill('2026-01-31T10:30');
    await page.getByText('From must be before To.').waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
  });
});

describe('the Events screen with thousands of events', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('draws the rows of new events only, and all of a burst before the next picture', async () => {
    const id = await createRule(console.server, { ...rule, enabled: 0 });
    const change = (level: string) =>
      askOps(console.server, `/local/alert-rules/${id}`, { method: 'PUT', body: { level } });
    for (let at = 0; at < 300; at += 1) await change(at % 2 === 0 ? 'WARN' : 'ERROR');
    const { page } = await console.open({ path: '/#/events' });
    await page.locator('tbody tr').nth(150).waitFor();
    await page.evaluate(`(() => {
      for (const row of document.querySelectorAll('tbody tr')) row.isOld = true;
      window.added = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            window.added += node.tagName === 'TBODY' ? node.rows.length : node.tagName === 'TR' ? 1 : 0;
      }).observe(document.querySelector('table'), { childList: true, subtree: true });
    })()`);
    for (let at = 0; at < 50; at += 1) await change(at % 2 === 0 ? 'WARN' : 'ERROR');
    await waitUntil(
      page,
      `[...document.querySelectorAll('tbody tr')].filter((row) => !row.isOld).length >= 50`,
    );
    const added = Number(await page.evaluate('window.added'));
    assert.ok(added < 150, `${added} rows were made for 50 events`);
  });
});
