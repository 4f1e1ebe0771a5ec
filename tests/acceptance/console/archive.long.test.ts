// The Archive screen in a real browser: of a server with an archive, of one that follows it and is promoted, of none.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { must, until } from '../../archive/follower-steps.js';
import { users } from '../../ops-service/login-users.js';
import { move } from '../between-servers.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../start-server.js';
import {
  expectAccessible,
  expectHeadingsAbove,
  expectNoOverflow,
  expectQuiet,
  launch,
  openPage,
  phone,
  useConsole,
  withoutBrowser,
} from './open-console.js';

const looks = [
  { theme: 'light', size: { width: 1280, height: 800 } },
  { theme: 'dark', size: phone },
] as const;
const path = '/#/archive';

/** Checks what holds for every screen, in both themes and on a phone, when the table of moments is there. */
async function checkScreen(browser: Browser, url: string): Promise<void> {
  for (const look of looks) {
    const open = await openPage(browser, url, { ...look, path });
    await open.page
      .getByRole('cell', { name: /the archive is new/ })
      .first()
      .waitFor();
    await expectAccessible(open.page);
    await expectNoOverflow(open.page);
    if (look.size !== phone) await expectHeadingsAbove(open.page);
    expectQuiet(open);
    await open.context.close();
  }
}

/** The command that a part of the screen shows. */
async function commandIn(page: Page, name: string): Promise<string> {
  return (await page.getByRole('region', { name }).locator('pre').textContent()) ?? '';
}

describe('the Archive screen of a server without an archive', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('says how to have one, in both themes, also on a phone', async () => {
    for (const look of looks) {
      const open = await console.open({ ...look, path });
      await open.page.getByText('This server has no archive').waitFor();
      await open.page.getByText('--archive s3://BUCKET/PREFIX').waitFor();
      await expectAccessible(open.page);
      await expectNoOverflow(open.page);
      expectQuiet(open);
    }
  });
});

describe('the Archive screen of two servers', { skip: withoutBrowser }, () => {
  const directory = makeTemporaryDirectory();
  const archive = join(directory, 'archive');
  const config = join(directory, 'users.json');
  const running: RunningServer[] = [];
  let browser: Browser;
  let first: RunningServer;
  let second: RunningServer;
  const start = async (name: string, ...args: readonly string[]) => {
    const server = await startServer({ dataDir: join(directory, name), args });
    running.push(server);
    return server;
  };
  before(async () => {
    writeFileSync(config, JSON.stringify({ ops: { users } }));
    first = await start('first', '--archive', archive, '--archive-lease', '2');
    await must(first.url, '', { createKeyspace: { name: 'k' } });
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    await must(first.url, '/k', { createTable: { name: 't', definition } });
    await must(first.url, '/k/t', { insertOne: { document: { id: 1 } } });
    second = await start('second', '--follow', archive, '--config', config);
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    for (const server of running) {
      server.signal('SIGKILL');
      await server.ended;
    }
  });

  it('shows how far the archive is, and what it has', async () => {
    await checkScreen(browser, first.opsUrl);
    const { page } = await openPage(browser, first.opsUrl, { path });
    await page.getByText('0 s: it has every change').waitFor();
    const state = page.getByRole('region', { name: 'The state of the archive' });
    assert.match((await state.textContent()) ?? '', /this server has it, term 1/);
    assert.equal(await page.getByRole('button', { name: 'Promote' }).count(), 0);
  });

  it('gives commands that restore the newest state, and a moment', async () => {
    const { page } = await openPage(browser, first.opsUrl, { path });
    await page.getByText('0 s: it has every change').waitFor();
    const newest = await commandIn(page, 'The newest state');
    assert.match(newest, /^npx --no-install colonnade restore --from \/\S+ --data-dir \.\/restored-data$/);
    const dataDir = join(directory, 'restored');
    const args = newest.split(' ').slice(3).with(-1, dataDir);
    const { stdout } = await move(args);
    assert.match(stdout, /as of 2/);
    await page
      .getByRole('region', { name: 'The newest state' })
      .getByRole('button', { name: 'Copy' })
      .click();
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), newest);

    const moment = page.getByLabel('Moment', { exact: true });
    await moment.fill('2020-01-01T10:00:05');
    await page.getByText('The first moment that the archive has is').waitFor();
    await moment.fill('2120-01-01T10:00:05');
    await page.getByText('This moment is in the future.').waitFor();
    const inUtc = await page.evaluate("new Date('2120-01-01T10:00:05').toISOString().replace('.000Z', 'Z')");
    assert.match(await commandIn(page, 'The moment'), new RegExp(` --at ${inUtc} --data-dir `));
    await expectAccessible(page);
  });

  it('shows what a follower follows, and offers viewers no promotion', async () => {
    const { page } = await openPage(browser, second.opsUrl, { path });
    await logIn(page, 'vic', 'blue battery');
    const state = page.getByRole('region', { name: 'How this server follows an archive' });
    await state.getByText(/^\d\.\d s$/).waitFor();
    await state.getByText(`the server ${first.url} on`).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Promote' }).count(), 0);
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await expectNoOverflow(page);
  });

  it('promotes the follower when its user has said that the first server has stopped', async () => {
    const { page } = await openPage(browser, second.opsUrl, { path, theme: 'dark' });
    await logIn(page, 'ada', 'right horse');
    await page.getByRole('button', { name: 'Promote' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('and then accepts writes on the same ports').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByText(/continues to write when it cannot reach the archive/).waitFor();
    const force = dialog.getByRole('button', { name: 'Promote with force' });
    assert.ok(await force.isDisabled());
    await expectAccessible(page);
    await dialog.getByRole('checkbox').check();
    await force.click();
    await dialog.getByText(/renews its lease of the archive: stop it first/).waitFor();

    first.signal('SIGKILL');
    await first.ended;
    await force.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('This server is becoming the first one.').waitFor();
    await page.getByLabel('Password').waitFor(); // sessions are those of the server before
    await logIn(page, 'ada', 'right horse');
    await page.getByText(/this server has it, term \d/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Promote' }).count(), 0);
    await until(async () => {
      await must(second.url, '/k/t', { insertOne: { document: { id: 2 } } });
      return true;
    });
    await page.getByText('0 s: it has every change').waitFor();
  });
});

async function logIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}
