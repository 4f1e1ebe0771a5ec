// The operations screens in a real browser: empty and full, two themes, a phone, roles, a slow and a failing server.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { users } from '../../ops-service/login-users.js';
import { addWebhook, askOps, createRule, waitFor } from '../ops-client.js';
import { makeTemporaryDirectory } from '../start-server.js';
import {
  type ConsoleUnderTest,
  expectAccessible,
  expectHeadingsAbove,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  waitUntil,
  withoutBrowser,
} from './open-console.js';

const screens: readonly (readonly [path: string, heading: string])[] = [
  ['/#/overview', 'Overview'],
  ['/#/metrics?metric=os-disk-usage', 'Metrics'],
  ['/#/events', 'Events'],
  ['/#/alerts', 'Alerts'],
  ['/#/alerts?tab=rules', 'Alerts'],
  ['/#/alerts?tab=history', 'Alerts'],
  ['/#/alerts?tab=silences', 'Alerts'],
  ['/#/notifications', 'Notifications'],
  ['/#/notifications?tab=log', 'Notifications'],
  ['/#/actions', 'Actions'],
  ['/#/archive', 'Archive'],
  ['/#/keys', 'Keys'],
  ['/#/clusters', 'Clusters'],
];
const dialogs: readonly (readonly [path: string, heading: string])[] = [
  ['/#/alerts?tab=rules&open=new-rule:write-ops', 'New alert rule'],
  ['/#/alerts?tab=rules&open=rule:gone', 'This rule is not there'],
  ['/#/notifications?open=new-channel', 'New channel'],
  ['/#/notifications?open=channel:gone', 'This channel is not there'],
  ['/#/keys?open=new-key', 'New key'],
  ['/#/clusters?open=new-cluster', 'Add a cluster'],
  ['/#/clusters?open=cluster:local', 'This cluster has no settings'],
];

/** Opens each screen and checks what holds for all. */
async function checkScreens(console: ConsoleUnderTest, paths = screens): Promise<void> {
  for (const [theme, size] of [
    ['light', { width: 1280, height: 800 }],
    ['dark', phone],
  ] as const) {
    const open = await console.open({ theme, size });
    for (const [path, heading] of paths) {
      await open.page.goto(`${console.server.opsUrl}${path}`);
      await open.page.getByRole('heading', { name: heading, exact: true }).waitFor();
      await open.page.waitForLoadState('networkidle').catch(() => {}); // streams stay open
      await expectAccessible(open.page);
      await expectNoOverflow(open.page);
      if (size !== phone) await expectHeadingsAbove(open.page);
      expectQuiet(open);
    }
    await open.context.close();
  }
}

const alwaysTrue = {
  type: 'rolling-avg',
  metric: 'os-disk-usage',
  threshold: -1,
  duration: 0,
  level: 'ERROR',
};
const interval = ['--metrics-interval-seconds', '1'];

describe('the operations screens of an empty server', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: interval });

  it('are quiet and accessible in both themes, also on a phone', () => checkScreens(console));

  it('have dialogs that a link opens, quiet and accessible in both themes, also on a phone', () =>
    checkScreens(console, dialogs));

  it('say what to do where there is nothing', async () => {
    const { page } = await console.open({ path: '/#/notifications' });
    await page.getByText('Nobody is notified yet').waitFor();
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('url is missing').waitFor();
    assert.equal(await page.getByText('is missing').count(), 1);
    await page.goto(`${console.server.opsUrl}/#/keys`);
    await page.getByText('There are no keys').waitFor();
    await page.goto(`${console.server.opsUrl}/#/actions`);
    await page.getByText('No action has run yet').waitFor();
  });
});

describe('the operations screens of a server with alerts', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: interval });
  const at = (path: string) => `${console.server.opsUrl}/#/${path}`;

  it('create a rule with a preview, show its alert, and who was notified', async () => {
    await addWebhook(console.server, 'http://127.0.0.1:9/hook', { name: 'on call', levels: ['CRITICAL'] });
    const { page } = await console.open({ path: '/#/alerts?tab=rules&open=new-rule:os-disk-usage' });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Threshold').fill('x');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText('Threshold must be a number.').waitFor();
    assert.equal(await dialog.getByText(/must be a number/).count(), 1);
    assert.match((await dialog.getByLabel('Metric').textContent()) ?? '', /used part of the disk, percent/);
    await dialog.getByRole('button', { name: 'Add an annotation' }).click();
    await dialog.getByLabel('Text', { exact: true }).fill('call the team');
    await dialog.getByLabel('Threshold').fill('-1');
    await dialog.getByLabel('For minutes').fill('0');
    await dialog.getByRole('button', { name: 'Preview the last day' }).click();
    await dialog.getByText(/would (not )?have fired/).waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Firing' }).click();
    await page.getByRole('button', { name: 'Why was I not notified?' }).first().click();
    await page.getByText('the channel takes only the levels CRITICAL').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Silence', exact: true }).first().click();
    await page.getByRole('dialog').getByLabel('Author').fill('ada');
    await page.getByRole('dialog').getByRole('button', { name: 'Silence' }).click();
    await page.getByText('The silence is set').waitFor();
    await page.getByText('silenced', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Who was notified?' }).last().click();
    await page
      .getByRole('dialog')
      .getByText('the delivery log')
      .or(page.getByRole('dialog').getByText('the levels'))
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'os-disk-usage above -1' }).first().click();
    await page.locator('tr[aria-current]').getByText('os-disk-usage above -1').waitFor();
    await page.getByRole('tab', { name: 'Silences' }).click();
    await page.getByRole('button', { name: 'End now' }).first().waitFor();
  });

  it('send a test of a channel and show its outcome', async () => {
    await addWebhook(console.server, 'http://127.0.0.1:9/other', { name: 'test me' });
    const { page } = await console.open({ path: '/#/notifications' });
    const row = page.getByRole('row', { name: /test me/ });
    await row.getByRole('button', { name: 'Send a test' }).click();
    await row.getByText('failed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Delivery log' }).click();
    await page.getByRole('cell', { name: /^test: / }).waitFor();
  });

  it('show new events as they happen, filter them, and keep the filter in the address', async () => {
    const { page } = await console.open({ path: '/#/events' });
    await page.getByRole('cell', { name: /Colonnade .* started/ }).waitFor();
    await createRule(console.server, { ...alwaysTrue, enabled: 0 });
    await page.getByText(/\(rolling-avg on os-disk-usage\) created \(disabled\)/).waitFor();
    await page.getByLabel('Level').selectOption('ERROR');
    await page.getByText(/created \(disabled\)/).waitFor({ state: 'detached' });
    assert.match(page.url(), /level=ERROR/);
    await page.reload();
    assert.equal(await page.getByLabel('Level').inputValue(), 'ERROR');
  });

  it('run an action and show its end; store and remove a key; test the connection of a cluster', async () => {
    const { page } = await console.open({ path: '/#/actions' });
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('the write-ahead log is in the data file').waitFor();
    await page.goto(at('keys'));
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('shared');
    await page.getByLabel('API key', { exact: true }).fill('sk-1');
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByRole('button', { name: 'Remove the key shared' }).click();
    await page.getByLabel('Type shared to confirm').fill('shared');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('There are no keys').waitFor();
    await page.goto(at('clusters'));
    await page.getByRole('button', { name: 'Add a cluster' }).click();
    await page.getByLabel('Hosts, separated by commas').fill('127.0.0.1');
    await page.getByLabel('Port', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('The cluster cannot be reached.').waitFor();
  });

  it('say why a cluster runs no actions, and set it up', async () => {
    const cluster = { id: 'bare', cassandra: { seed_hosts: '127.0.0.1', native_port: 1 } };
    await askOps(console.server, '/cluster-configs', { body: cluster });
    const { page } = await console.open({ path: '/#/actions?cluster=bare' });
    await page.getByText('Actions are not set up for the cluster bare.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
    await expectAccessible(page);
    await page.getByLabel('Run actions by').selectOption('management-api');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    const { bare } = (await askOps(console.server, '/cluster-configs')) as { bare: { actions: object } };
    assert.deepEqual(bare.actions, { kind: 'management-api' });
  });

  it('change the settings of a cluster, keep what is not shown, and ask for the password of other hosts', async () => {
    const cluster = {
      id: 'edited',
      cassandra: {
        ...{ seed_hosts: '127.0.0.1', native_port: 1, username: 'watcher', password: 'kept' },
        local_datacenter: 'here',
      },
      actions: { kind: 'nodetool', port: 7299 },
    };
    await askOps(console.server, '/cluster-configs', { body: cluster });
    const open = await console.open({ path: '/#/clusters' });
    const { page } = open;
    await page.getByRole('button', { name: 'Edit the cluster edited' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Prometheus exporter').fill('http://127.0.0.1:1/metrics');
    await dialog.getByLabel('Hosts').fill('127.0.0.2');
    await dialog.getByText(/type the password again/).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/must be sent again/)
      .first()
      .waitFor();
    await dialog.getByLabel('Hosts').fill('127.0.0.1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { edited } = (await askOps(console.server, '/cluster-configs')) as { edited: object };
    const { password: _, ...shown } = cluster.cassandra;
    const metrics = { prometheus: 'http://127.0.0.1:1/metrics' };
    assert.deepEqual(edited, { ...cluster, cassandra: shown, metrics });
    await page.goto(`${console.server.opsUrl}/#/clusters?open=cluster:gone`);
    await page.getByText('This cluster has no settings').waitFor();
    assert.deepEqual(open.foreignRequests, []);
  });

  it('name the values of events on a phone', async () => {
    const { page } = await console.open({ size: phone, path: '/#/events' });
    await page.locator('td[data-title="Node"]').first().waitFor();
    const before = await page.evaluate(
      `getComputedStyle(document.querySelector('td[data-title="Node"]'), '::before').content`,
    );
    assert.match(String(before), /Node/);
  });

  it('draw a chart with its threshold', async () => {
    await waitFor('stored values', async () => {
      const reply = await askOps(console.server, '/local/metrics/127.0.0.1/os-disk-usage');
      return JSON.stringify(reply).includes('AVERAGE":[[');
    });
    const { page } = await console.open({ path: '/#/metrics?metric=os-disk-usage' });
    await page.getByRole('img', { name: /^os-disk-usage/ }).waitFor();
    await page.getByText(/Dashed, across the chart: the threshold/).waitFor();
  });

  it('say how many nodes a chart leaves out', async () => {
    const { page } = await console.open({ path: '/#/keys' });
    await page.route('**/local/nodes', async (route) => {
      const reply = await route.fetch();
      const [node] = (await reply.json()) as readonly object[];
      const nodes = Array.from({ length: 9 }, (_, at) => ({ ...node, node_ip: `127.0.0.${at + 1}` }));
      await route.fulfill({ json: nodes });
    });
    // Each of them has the values of the only one.
    await page.route(/127\.0\.0\.[2-9]/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/127\.0\.0\.[2-9]/, '127.0.0.1'),
      }),
    );
    await page.goto(`${console.server.opsUrl}/#/metrics?metric=os-disk-usage`);
    await page.getByText('The first 6 of 9 nodes are shown').waitFor();
    await page.getByLabel('Nodes', { exact: true }).selectOption('127.0.0.9');
    await page.getByText(/ nodes are shown/).waitFor({ state: 'detached' });
  });

  it('open the part of a chart that was marked, without the lines that were hidden, and pages of a log', async () => {
    const { page } = await console.open({ path: '/#/metrics?metric=os-disk-usage&range=15m' });
    const plot = page.locator('.chart .u-over');
    const { x, y, width, height } = (await plot.boundingBox()) ?? assert.fail('no chart');
    await page.mouse.move(x + width * 0.2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    const name = page.locator('.u-legend .u-series th').nth(1);
    await name.click();
    await page.waitForURL(/hidden=/);
    const link = await console.open({ path: page.url().slice(console.server.opsUrl.length) });
    const hidden = link.page.locator('.u-legend .u-off');
    await hidden.waitFor();
    assert.equal(await link.page.getByLabel('Time', { exact: true }).inputValue(), 'marked');
    const shown = link.page.locator('.u-legend').getByRole('button');
    await shown.focus();
    for (const [key, isPressed] of [
      ['Enter', 'true'],
      ['Space', 'false'],
      ['Enter', 'true'],
    ] as const) {
      await link.page.keyboard.press(key);
      await link.page.locator(`.u-legend :focus[aria-pressed=${isPressed}]`).waitFor();
    }
    await hidden.waitFor({ state: 'detached' });
    await expectAccessible(link.page);
    await link.page.getByLabel('Time', { exact: true }).selectOption('1h');
    assert.doesNotMatch(link.page.url(), /from=|hidden=/);
    await page.goBack();
    await page.waitForURL(/range=15m$/);
    const before = await console.open({ path: '/#/alerts?tab=history&before=1000' });
    await before.page.getByText('No older alerts').waitFor();
    await before.page.getByRole('button', { name: 'Newest' }).click();
    await before.page.getByRole('button', { name: 'Who was notified?' }).first().click();
    await before.page.getByRole('dialog').waitFor();
    const notices = await console.open({ path: before.page.url().slice(console.server.opsUrl.length) });
    await notices.page.getByRole('heading', { name: 'Who was notified' }).waitFor();
    await notices.page.goto(at('alerts?open=notices:gone'));
    await notices.page.getByRole('dialog').getByRole('alert').waitFor();
  });

  it('are quiet and accessible in both themes, also on a phone', () => checkScreens(console));
});

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('User').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password').waitFor({ state: 'detached' });
}

describe('the operations screens of a server with users', { skip: withoutBrowser }, () => {
  const config = join(makeTemporaryDirectory(), 'colonnade.json');
  writeFileSync(config, JSON.stringify({ ops: { users } }));
  const console = useConsole({ args: ['--config', config] });

  it('show on every screen who is logged in, with which role, until the log-out', async () => {
    const { page } = await console.open();
    await logIn(page, 'ada', 'right horse');
    const navigation = page.getByRole('navigation', { name: 'Screens' });
    for (const path of ['data', 'overview', 'alerts', 'clusters']) {
      await page.goto(`${console.server.opsUrl}/#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await navigation.getByText('Logged in: ada, operator').waitFor();
    }
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'Menu' }).click();
    await navigation.getByText('ada', { exact: true }).waitFor();
    await expectNoOverflow(page);
    await navigation.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    assert.equal(await page.getByText('ada', { exact: true }).count(), 0);
  });

  it('have nothing of a user whose session has ended for the next one', async () => {
    const { page, context } = await console.open({ path: '/#/data/default_keyspace?tab=commands' });
    await logIn(page, 'ada', 'right horse');
    await page.locator('.cm-content').click();
    await page.keyboard.insertText('typed by ada');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await page.evaluate("location.hash = '#/events'");
    await page.getByLabel('Password').waitFor();
    await logIn(page, 'vic', 'blue battery');
    await page.getByText('Logged in: vic, viewer').waitFor({ state: 'attached' });
    await page.goto(`${console.server.opsUrl}/#/data/default_keyspace?tab=commands`);
    await page.locator('.cm-content').waitFor();
    assert.equal(await page.getByText('typed by ada').count(), 0);
  });

  it('open nothing of a user whose session has ended while the server was away for the next one', async () => {
    const { page, context } = await console.open({ path: '/#/alerts?tab=rules&open=new-rule' });
    await logIn(page, 'ada', 'right horse');
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.accept();
    });
    await page.route('**/alert-rules/preview*', async (route) => {
      await context.clearCookies();
      await route.abort();
    });
    await page.getByRole('dialog').getByLabel('Threshold').fill('7');
    await page.getByRole('button', { name: 'Preview the last day' }).click();
    // The console asks by itself whether the server is back, and loads the facts of nobody.
    await page.getByLabel('Password').waitFor();
    await page.getByText('Logged in: ada').waitFor({ state: 'detached' });
    // What was given for requests to the cluster belongs to the one before.
    await page.evaluate("sessionStorage.setItem('colonnade-token', 'Cassandra:YWRh:eA==')");
    await logIn(page, 'vic', 'blue battery');
    await page.getByText('Logged in: vic, viewer').waitFor({ state: 'attached' });
    assert.doesNotMatch(page.url(), /alerts/);
    assert.deepEqual(questions, []);
    assert.equal(await page.evaluate("sessionStorage.getItem('colonnade-token')"), '');
  });

  it('show a viewer no writing controls, and an expired session the form to sign in', async () => {
    const { page, context } = await console.open({ path: '/#/alerts?tab=rules' });
    await logIn(page, 'vic', 'blue battery');
    await page.getByText('os-disk-usage above 85').waitFor();
    for (const path of ['alerts?tab=rules', 'notifications', 'actions', 'archive', 'keys', 'clusters']) {
      await page.goto(`${console.server.opsUrl}/#/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(300);
      const names = await page.getByRole('main').getByRole('button').allTextContents();
      assert.deepEqual(
        names.filter((name) => !/^(Try again|Load older events)$/.test(name)),
        [],
        path,
      );
    }
    await context.clearCookies();
    await page.goto(`${console.server.opsUrl}/#/events`);
    await page.getByLabel('Password').waitFor();
  });
});

describe('the operations screens of a server that fails', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('show the failure where it arises, and try again', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    let isFailing = true;
    await page.route('**/local/nodes', async (route) => {
      if (!isFailing) return route.continue();
      const body = '{"type":"Unavailable","message":"too much to do","details":[]}';
      return route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.reload();
    await page.getByText('too much to do').waitFor();
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'up' }).waitFor();
  });

  it('say once that the server is gone, and load again when it is back', async () => {
    const { page } = await console.open({ path: '/#/overview' });
    await page.getByRole('heading', { name: 'Reads' }).waitFor();
    const { opsUrl } = console.server;
    await page.route(`${opsUrl}/**`, (route) => route.abort());
    const banner = page.getByText('The server cannot be reached. Check that it runs.');
    await banner.waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    await expectAccessible(page);
    await page.unroute(`${opsUrl}/**`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByText('Not loaded').first().waitFor({ state: 'detached' });
  });

  it('show that the ways to run actions are not known, and try again', async () => {
    const cluster = { id: 'bare', cassandra: { seed_hosts: '127.0.0.1', native_port: 1 } };
    await askOps(console.server, '/cluster-configs', { body: cluster });
    const { page } = await console.open({ path: '/#/keys' });
    let isFailing = true;
    await page.route('**/cluster-configs', async (route) => {
      if (!isFailing) return route.continue();
      const body = '{"type":"Unavailable","message":"too much to do","details":[]}';
      return route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.goto(`${console.server.opsUrl}/#/actions?cluster=bare`);
    await page.getByText('too much to do').waitFor();
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Actions are not set up for the cluster bare.').waitFor();
    await page.getByText('too much to do').waitFor({ state: 'detached' });
  });

  it('say that something is loading while the server is slow', async () => {
    const { page } = await console.open({ path: '/#/keys' });
    await page.route('**/cluster-configs', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await page.goto(`${console.server.opsUrl}/#/clusters`);
    await page.getByText('Loading…').waitFor();
    await page.getByRole('link', { name: 'local' }).waitFor();
  });

  it('are used by the keyboard alone: tabs, a dialog, and back', async () => {
    const { page } = await console.open({ path: '/#/alerts' });
    await page.getByRole('tab', { name: 'Firing' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Rules', selected: true }).waitFor();
    await page.getByText('os-disk-usage above 85').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await waitUntil(page, "document.activeElement.textContent === 'New rule'");
  });

  it('find old events of a filter without loading the others', async () => {
    const { page } = await console.open({ path: '/#/events?action=18' });
    await page.getByText('The log begins here.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/local/events?')) asked.push(request.url());
    });
    await createRule(console.server, { ...alwaysTrue, enabled: 0 });
    await page.reload();
    await page.getByRole('cell', { name: /Colonnade .* started/ }).waitFor();
    await page.getByText('The log begins here.').waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    assert.ok(asked.length <= 2, 'the first page, and again when the stream is open');
    for (const url of asked) assert.match(url, /action=18/);
  });

  it('show the events of a time without a stream, and connect again after a refusal', async () => {
    const { page } = await console.open({ path: '/#/keys' });
    let refusals = 0;
    await page.route('**/events/stream', async (route) => {
      refusals += 1;
      const body = '{"type":"TooManyRequests","message":"too many streams","details":[]}';
      await route.fulfill({ status: 429, contentType: 'application/json', body });
    });
    await page.goto(`${console.server.opsUrl}/#/events`);
    await page.getByRole('cell', { name: /Colonnade .* started/ }).waitFor();
    while (refusals === 0) await page.waitForTimeout(50);
    await page.waitForLoadState('networkidle');
    const missed = await createRule(console.server, { ...alwaysTrue, enabled: 0 });
    await page.unroute('**/events/stream');
    await page.getByText(`alert rule ${missed} `).waitFor();
    const live = await createRule(console.server, { ...alwaysTrue, enabled: 0 });
    await page.getByText(`alert rule ${live} `).waitFor();
    const rows = await page.getByRole('row').allTextContents();
    const placeOf = (id: string) => rows.findIndex((text) => text.includes(id));
    assert.deepEqual([placeOf(live), placeOf(missed)], [1, 2], 'the newest is the first');
  });

  it('show a tab where a link names one that does not exist', async () => {
    const { page } = await console.open({ path: '/#/alerts?tab=nonsense' });
    await page.getByRole('tab', { name: 'Firing', selected: true }).waitFor();
    await page.goto(`${console.server.opsUrl}/#/notifications?tab=nonsense`);
    await page.getByRole('tab', { name: 'Channels', selected: true }).waitFor();
  });

  it('preview a stored rule with the members that the form does not have', async () => {
    const rule = { ...alwaysTrue, enabled: 0, window: 30 };
    const id = await createRule(console.server, rule);
    const { page } = await console.open({ path: `/#/alerts?tab=rules&open=rule:${id}` });
    const sent = page.waitForRequest('**/alert-rules/preview');
    await page.getByRole('button', { name: 'Preview the last day' }).click();
    const {
      notify_interval: _,
      no_data: __,
      comparator: ___,
      ...previewed
    } = (await sent).postDataJSON().rule;
    assert.deepEqual(previewed, rule);
    await page
      .getByRole('dialog')
      .getByText(/would (not )?have fired/)
      .waitFor();
  });

  it('load older events when they are scrolled to', async () => {
    const id = await createRule(console.server, { ...alwaysTrue, enabled: 0 });
    for (let count = 0; count < 600; count += 1)
      await askOps(console.server, `/local/alert-rules/${id}`, {
        method: 'PUT',
        body: { threshold: -2 - count },
      });
    const { page } = await console.open({ path: '/#/events' });
    const first = page.getByRole('cell', { name: /Colonnade .* started/ });
    await page.getByRole('row').nth(180).waitFor();
    assert.equal(await first.count(), 0);
    for (const row of [199, 399, 599]) await page.getByRole('row').nth(row).scrollIntoViewIfNeeded();
    await first.waitFor();
    await page.getByText('The log begins here.').waitFor();
  });
});

describe('the console of a server with a token', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--token', 'T'] });

  it('asks for the token where commands need it, and sends it from then on', async () => {
    const { page } = await console.open({ path: '/#/data' });
    await page.getByRole('textbox', { name: 'Token' }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The server did not accept the token.').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill('\u201cT\u201d');
    await page.getByText('A token cannot contain the character \u201c (U+201C).').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Token' }).fill('T');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Token' }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: 'default_keyspace' }).waitFor({ state: 'attached' });
  });
});
