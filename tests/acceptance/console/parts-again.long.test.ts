// Parts of the console whose files could not be loaded: they are loaded when the server is back.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useConsole, withoutBrowser } from './open-console.js';
import { fillWithSamples } from './sample-data.js';

describe('a part that failed to load', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--metrics-interval-seconds', '1'] });
  before(() => fillWithSamples(console.command));

  it('is loaded by itself with its styles when the server is back, and its charts are whole', async () => {
    const { page } = await console.open({ path: '/#/data/default_keyspace' });
    await page.getByRole('link', { name: 'sample_books' }).first().waitFor();
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByText(/This part of the console could not be loaded/).waitFor();
    await page.getByText(/The server cannot be reached/).waitFor();
    await page.unroute('**/*');
    await page.locator('.chart canvas').first().waitFor();
    // Without the styles of its library the canvas does not lie in its frame.
    const clipped = await page.evaluate(`[...document.querySelectorAll('.chart .uplot')].filter((plot) => {
      const canvas = plot.querySelector('canvas').getBoundingClientRect();
      const frame = plot.closest('.chart').getBoundingClientRect();
      return getComputedStyle(plot.querySelector('.u-over')).position !== 'absolute' ||
        canvas.right > frame.right + 1 || canvas.bottom > frame.bottom + 1;
    }).length`);
    assert.equal(clipped, 0);
  });

  it('is tried again behind a proxy that answers with errors, without the page being loaded again', async () => {
    const { page } = await console.open({ path: '/#/data/default_keyspace' });
    await page.getByRole('link', { name: 'sample_books' }).first().waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    await page.route(/alerts-screen|console\/facts/, (route) => route.fulfill({ status: 502, body: 'no' }));
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText(/This part of the console could not be loaded/).waitFor();
    await page.unroute(/alerts-screen|console\/facts/);
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
    assert.equal(await page.evaluate('globalThis.isSamePage'), true);
  });

  it('gives the editor of JSON in place of the text field, with what was typed', async () => {
    const { page } = await console.open({ path: '/#/data/default_keyspace/sample_books' });
    await page.getByText('12 rows').waitFor();
    await page.route(/code-mirror/, (route) => route.abort());
    await page.goto(`${console.server.opsUrl}/#/data/default_keyspace/sample_books?open=insert&as=json`);
    const field = page.locator('textarea');
    await field.fill('{"title": "Emma"}');
    await page.unroute(/code-mirror/);
    await page.locator('.cm-content', { hasText: '{"title": "Emma"}' }).waitFor();
  });
});
