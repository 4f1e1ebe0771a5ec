// The frame of the console in a real browser: policy, themes, sign-in, a server that is slow or gone, a stale tab.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../tidy/read-sources.js';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  waitUntil,
  withoutBrowser,
} from './open-console.js';

describe('the frame of the console', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('is served with a strict policy, its files for a year', async () => {
    const { opsUrl } = console.server;
    const page = await fetch(`${opsUrl}/`);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|data:/);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    const html = await page.text();
    const script = /src="\.\/(console\/[^"]+\.js)"/.exec(html)?.[1];
    const file = await fetch(`${opsUrl}/${script}`);
    assert.equal(file.headers.get('cache-control'), 'max-age=31536000, immutable');
    for (const name of ['none.js', `${script?.replace('console/', '')}.br`])
      assert.equal((await fetch(`${opsUrl}/console/${name}`)).status, 404, name);
  });

  it('is sent compressed, and is smaller than its limits', async () => {
    const { opsUrl } = console.server;
    const html = await (await fetch(`${opsUrl}/`)).text();
    const script = /src="\.\/console\/([^"]+\.js)"/.exec(html)?.[1] ?? '';
    const sent = [];
    for (const name of readdirSync(join(projectRoot, 'dist', 'console', 'console'))) {
      if (/\.(br|gz)$/.test(name)) continue;
      const address = `${opsUrl}/console/${name}`;
      const plain = await fetch(address, { headers: { 'accept-encoding': 'identity' } });
      const gzip = await fetch(address, { headers: { 'accept-encoding': 'gzip' } });
      assert.deepEqual(await gzip.arrayBuffer(), await plain.arrayBuffer(), name);
      const [most, least] = [plain, gzip].map(({ headers }) => Number(headers.get('content-length')));
      assert.equal(gzip.headers.get('content-encoding'), (most ?? 0) < 1024 ? null : 'gzip', name);
      sent.push({ name, bytes: least ?? 0 });
    }
    assert.ok((sent.find(({ name }) => name === script)?.bytes ?? 0) < 150_000);
    assert.ok(sent.reduce((sum, { bytes }) => sum + bytes, 0) < 400_000);
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`is quiet and accessible in the ${theme} theme, also on a phone`, async () => {
      for (const size of [{ width: 1280, height: 800 }, phone]) {
        const open = await console.open({ theme, size });
        await open.page.getByRole('heading').first().waitFor();
        await expectAccessible(open.page);
        await expectNoOverflow(open.page);
        expectQuiet(open);
      }
    });
  }

  it('switches the theme, and remembers it', async () => {
    const { page } = await console.open({ theme: 'light' });
    await page.getByRole('button', { name: 'Dark theme' }).click();
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.reload();
    await page.getByRole('button', { name: 'Dark theme', pressed: true }).waitFor();
    assert.equal(await ground(), dark);
    await page.getByRole('button', { name: 'Light theme' }).click();
    assert.notEqual(await ground(), dark);
  });

  it('closes the menu of a phone with Escape, and returns the focus', async () => {
    const { page } = await console.open({ size: phone });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.press('Enter');
    await page.getByRole('link', { name: 'Events' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Events' }).waitFor({ state: 'hidden' });
    assert.equal(await menu.getAttribute('aria-expanded'), 'false');
    await waitUntil(page, "document.activeElement.ariaLabel === 'Menu'");
  });

  it('closes the menu of a phone with a link to another screen, and with one to the same', async () => {
    const { page } = await console.open({ size: phone, path: '/#/keys' });
    for (const screen of ['Clusters', 'Clusters']) {
      await page.getByRole('button', { name: 'Menu' }).click();
      const link = page.getByRole('link', { name: screen, exact: true });
      await link.click();
      await link.waitFor({ state: 'hidden' });
    }
  });

  it('says so where an address shows nothing, and where a part is gone after an upgrade', async () => {
    const { page } = await console.open({ path: '/#/elsewhere' });
    await page.getByText('There is nothing at this address').waitFor();
    await page.route('**/console/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Go to the start' }).click();
    await page.getByRole('button', { name: 'Load the page again' }).waitFor();
  });
});

describe('a window of 1024 pixels', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('has every button of an alert in view', async () => {
    const { page } = await console.open({ path: '/#/data', size: { width: 1024, height: 700 } });
    const alert = {
      ...{ id: 'a1', alert_rule_id: 'r1', current_value: 5.35, first_fired: Date.now(), node: '127.0.0.1' },
      ...{
        dc: 'datacenter1',
        table: 'default_keyspace.orders',
        device: null,
        level: 'ERROR',
        state: 'firing',
      },
    };
    await page.route(/\/alerts(\?.*)?$/, (route) => route.fulfill({ json: [alert] }));
    await page.goto(`${console.server.opsUrl}/#/alerts`);
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor();
    const hidden = await page.evaluate(`[...document.querySelectorAll('.table .end')].flatMap((cell) => {
      const frame = cell.closest('.table-frame').getBoundingClientRect();
      return [...cell.querySelectorAll('button, a')].filter(
        (one) => one.getBoundingClientRect().right > frame.right,
      ).map((one) => one.textContent);
    })`);
    assert.deepEqual(hidden, []);
  });
});
