// A tab of the console that another tab hides, in a real browser: it requests nothing until it is shown again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunningServer, startServer } from '../start-server.js';
import { launchWithHidingTabs, type TabbedBrowser, waitUntil, withoutBrowser } from './open-console.js';

/** What the list of silences loads again by itself, after 5, 20 and 10 seconds. */
const polled = ['/console/alerts', '/local/alert-rules', '/local/silences'];

/** Keeps the timers of the page that wait for the time of a poll in `polls`. */
const watchPolls = `(() => {
  const { setTimeout, clearTimeout } = globalThis;
  globalThis.polls = new Set();
  globalThis.setTimeout = (call, ms, ...rest) => {
    const timer = setTimeout((...given) => {
      polls.delete(timer);
      call(...given);
    }, ms, ...rest);
    if (ms >= 5000 && ms <= 20_000) polls.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    polls.delete(timer);
    clearTimeout(timer);
  };
})()`;

describe('a tab that another one hides', { skip: withoutBrowser }, () => {
  let server: RunningServer | undefined;
  let browser: TabbedBrowser | undefined;
  before(async () => {
    server = await startServer();
    browser = await launchWithHidingTabs();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('requests nothing, and each of its lists once as soon as it is shown again', async () => {
    const tabs = browser?.context ?? assert.fail('the browser has not been started');
    const page = await tabs.newPage();
    await page.clock.install({ time: 0 });
    await page.addInitScript(watchPolls);
    await page.goto(`${server?.opsUrl}/#/alerts?tab=silences`);
    await page.getByText('There are no silences').waitFor();
    const other = await tabs.newPage();
    await waitUntil(page, 'document.hidden');
    // From here on every poll waits for its time, and the clock stands still except where it is moved.
    await waitUntil(page, `polls.size === ${polled.length}`);
    await page.clock.pauseAt(600_000);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.clock.runFor(60_000);
    assert.equal(await page.evaluate('document.hidden'), true);
    assert.equal(await page.evaluate('polls.size'), 0);
    assert.deepEqual(requested, []);

    const requests = polled.map((path) => page.waitForRequest(`**${path}`));
    await page.bringToFront();
    await waitUntil(page, '!document.hidden');
    await page.clock.runFor(200);
    await Promise.all(requests);
    assert.deepEqual(requested.toSorted(), polled);
    await other.close();
  });
});
