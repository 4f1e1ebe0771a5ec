// The frame of the console in a real browser: policy, themes, sign-in, a server that is slow or gone, a stale tab.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
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
    assert.equal((await fetch(`${opsUrl}/console/none.js`)).status, 404);
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

  it('says so where an address shows nothing, and where a part is gone after an upgrade', async () => {
    const { page } = await console.open({ path: '/#/elsewhere' });
    await page.getByText('There is nothing at this address').waitFor();
    await page.route('**/console/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Go to the start' }).click();
    await page.getByRole('button', { name: 'Load the page again' }).waitFor();
  });
});
