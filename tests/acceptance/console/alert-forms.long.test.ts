// The forms and lists of alerts in a real browser: what they keep when something is changed or loaded again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { askOps, createRule } from '../ops-client.js';
import { useConsole, waitUntil, withoutBrowser } from './open-console.js';

const rule = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: -1, duration: 0, level: 'ERROR' };

interface Silence {
  readonly start: number;
  readonly end: number;
  readonly comment: string;
  readonly author: string;
}

describe('the forms and lists of alerts', { skip: withoutBrowser }, () => {
  const console = useConsole();
  const openDialog = (page: Page) => page.getByRole('dialog');

  it('say that there are no rules yet, and lead to the form of one', async () => {
    const stored = (await askOps(console.server, '/local/alert-rules')) as readonly { id: string }[];
    for (const { id } of stored)
      await askOps(console.server, `/local/alert-rules/${id}`, { method: 'DELETE' });
    const { page } = await console.open({ path: '/#/alerts' });
    await page.getByText('There are no rules yet').waitFor();
    await page.getByRole('link', { name: 'Create a rule' }).click();
    await openDialog(page).getByText('New alert rule').waitFor();
    const id = await createRule(console.server, { ...rule, threshold: 1e9, enabled: 0 });
    await page.goto(`${console.server.opsUrl}/#/alerts`);
    await page.getByText('No rule is on').waitFor();
    await askOps(console.server, `/local/alert-rules/${id}`, { method: 'PUT', body: { enabled: 1 } });
    await page.getByText('No alert is firing').waitFor();
    await askOps(console.server, `/local/alert-rules/${id}`, { method: 'DELETE' });
  });

  it('keep the lines of an annotation, and refuse a name that is there twice', async () => {
    const text = 'first\nsecond';
    const id = await createRule(console.server, { ...rule, threshold: 1e9, annotations: { summary: text } });
    const { page } = await console.open({ path: `/#/alerts?tab=rules&open=rule:${id}` });
    const dialog = openDialog(page);
    const shown = dialog.getByLabel('Text', { exact: true });
    assert.equal(await shown.inputValue(), text);
    await dialog.getByRole('button', { name: 'Add an annotation' }).click();
    await dialog.getByLabel('Annotation', { exact: true }).nth(1).fill('summary');
    await shown.nth(1).fill('other');
    await dialog.getByText('Another annotation is named summary.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Two annotations are named summary').waitFor();
    await dialog.getByLabel('Annotation', { exact: true }).nth(1).fill('team');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const stored = (await askOps(console.server, `/local/alert-rules/${id}`)) as { annotations: object };
    assert.deepEqual(stored.annotations, { summary: text, team: 'other' });
  });

  it('change a planned silence and keep its start, end, author and the rows of the list', async () => {
    const start = Math.floor(Date.now() / 1000) + 7200;
    const kept = { start, end: start + 3605, author: 'ada' };
    const body = { matchers: { dc: 'datacenter1' }, ...kept, comment: 'move' };
    await askOps(console.server, '/local/silences', { body });
    const { page } = await console.open({ path: '/#/alerts?tab=silences' });
    const dialog = openDialog(page);
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByText('This silence is planned.').waitFor();
    assert.equal(await dialog.getByLabel('Comment').inputValue(), 'move');
    await dialog.getByLabel('Comment').fill('move the rack');
    // The first removal of the old silence fails: the second click finishes the change.
    await page.route('**/local/silences/*', (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.evaluate(`(() => {
      window.loadings = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node.textContent.includes('Loading')) window.loadings += 1;
      }).observe(document.querySelector('main'), { childList: true, subtree: true });
    })()`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The list also loads again after the failed request, and may show what that attempt left until the next reply.
    await waitUntil(
      page,
      `(() => {
      const rows = [...document.querySelectorAll('main tbody tr')];
      return rows.length === 1 && rows[0].textContent.includes('move the rack');
    })()`,
    );
    assert.equal(await page.evaluate('window.loadings'), 0);
    const silences = (await askOps(console.server, '/local/silences')) as readonly Silence[];
    assert.deepEqual(
      silences.map((one) => [one.start, one.end, one.author, one.comment]),
      [[kept.start, kept.end, 'ada', 'move the rack']],
    );
  });

  it('keep a year that is typed digit by digit', async () => {
    const { page } = await console.open({
      path: '/#/metrics?metric=os-memory-used&from=1750000000&to=1750003600',
    });
    const from = page.getByLabel('From', { exact: true });
    await from.fill('0202-01-31T08:30');
    assert.equal(await from.inputValue(), '0202-01-31T08:30');
    await page.getByText('Enter both times completely').waitFor();
    await from.fill('2024-01-31T08:30');
    await page.waitForURL(new RegExp(`from=${new Date('2024-01-31T08:30').getTime() / 1000}`));
    assert.equal(await from.inputValue(), '2024-01-31T08:30');
  });
});

describe('a slow server', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('gets one request for the number of alerts at a time, and one for each list', async () => {
    const { page } = await console.open({ path: '/#/alerts' });
    const address = page.url();
    await page.goto('about:blank'); // the first page may poll until it is left
    await page.clock.install();
    const held: (() => void)[] = [];
    const paths: string[] = [];
    await page.route(/\/console\/alerts$|\/local\/alerts$/, async (route) => {
      paths.push(new URL(route.request().url()).pathname);
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const requests = ['console', 'local'].map((of) => page.waitForRequest(`**/${of}/alerts`));
    await page.goto(address);
    await Promise.all(requests);
    await page.clock.runFor(25_000);
    assert.deepEqual(paths.toSorted(), ['/console/alerts', '/local/alerts']);
    for (const release of held.splice(0)) release();
    await page.getByText(/No alert is firing|There are no rules yet/).waitFor();
    // The time to the next request counts from the reply, which the page may still be reading.
    while (paths.length < 4) await page.clock.runFor(25_000);
    assert.deepEqual(paths.toSorted(), [
      '/console/alerts',
      '/console/alerts',
      '/local/alerts',
      '/local/alerts',
    ]);
    for (const release of held.splice(0)) release();
  });
});
