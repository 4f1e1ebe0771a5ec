// `npm run bench:console`: how smoothly the console scrolls 10,000 rows, and how soon it shows something.
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launch, openPage, sendCommand, withoutBrowser } from '../tests/acceptance/console/open-console.js';
import { withServer } from '../tests/acceptance/start-server.js';
import { describeMachine, type Figure, formatFigures, median, medianPair } from './figures.js';

const help = `usage: npm run bench:console -- [options]
  --rounds N     runs of each figure, whose median counts (5)
  --seconds N    how long a run scrolls (3)
  --rows N       of the table (10000)`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '10000' },
    help: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const rowCount = Number(options.rows);
/** A processor that is this many times slower, as of a cheap phone. */
const slowedBy = 4;

/** What a scroll did. */
interface Scroll {
  readonly framesPerSecond: number;
  readonly longestFrameMs: number;
}

if (options.help) console.log(help);
else if (withoutBrowser !== false) {
  console.error(withoutBrowser);
  process.exitCode = 1;
} else await withServer({}, (server) => measure(server.url, server.opsUrl));

async function measure(url: string, opsUrl: string): Promise<void> {
  await fill(url);
  const browser = await launch();
  try {
    const figures = [...(await scrolling(browser, opsUrl)), await firstPaint(browser, opsUrl)];
    console.log(`\n${formatFigures(figures)}\n\n${describeMachine()}, Chromium ${browser.version()}`);
  } finally {
    await browser.close();
  }
}

async function fill(url: string): Promise<void> {
  const columns = { part: 'int', id: 'int', name: 'text', price: 'decimal', day: 'date' };
  const primaryKey = { partitionBy: ['part'], partitionSort: { id: 1 } };
  await sendCommand(url, '/default_keyspace', {
    createTable: { name: 'many', definition: { columns, primaryKey } },
  });
  const row = (id: number) => ({ part: 1, id, name: `row ${id}`, price: id / 4, day: '2026-11-26' });
  for (let from = 0; from < rowCount; from += 100) {
    const documents = Array.from({ length: Math.min(100, rowCount - from) }, (_, at) => row(from + at));
    await sendCommand(url, '/default_keyspace/many', { insertMany: { documents } });
  }
}

/** The grid of the console, against a page that only has a line of text for each row. */
async function scrolling(browser: Browser, opsUrl: string): Promise<readonly Figure[]> {
  const { page } = await openPage(browser, opsUrl, { path: '/#/data/default_keyspace/many' });
  await page.getByRole('button', { name: 'Load all' }).click();
  await page.getByText(`${rowCount.toLocaleString('en')} rows`).waitFor({ timeout: 120_000 });
  const plain = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const lines = Array.from({ length: rowCount }, (_, id) => `<div>1 row ${id} ${id / 4}</div>`);
  await plain.setContent(
    `<div role="grid" style="height:700px;overflow:auto;line-height:32px">${lines.join('')}</div>`,
  );
  const pairs: { readonly reference: Scroll; readonly value: Scroll }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await plain.bringToFront();
    const reference = await scroll(plain);
    await page.bringToFront();
    pairs.push({ reference, value: await scroll(page) });
  }
  const pairOf = (member: keyof Scroll) =>
    medianPair(pairs.map(({ reference, value }) => ({ reference: reference[member], value: value[member] })));
  const name = `scrolling ${rowCount.toLocaleString('en')} rows in ${seconds} s`;
  return [
    { name, unit: 'frames/s', ...pairOf('framesPerSecond'), target: { kind: 'atLeast', limit: 0.95 } },
    {
      name: `${name}: the longest frame`,
      unit: 'ms',
      ...pairOf('longestFrameMs'),
      target: { kind: 'atMost', limit: 2 },
    },
  ];
}

/** From the first to the last row, a step in each frame that the browser draws. */
function scroll(page: Page): Promise<Scroll> {
  return page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const distance = grid.scrollHeight - grid.clientHeight;
    const times = [];
    grid.scrollTop = 0;
    const step = (now) => {
      times.push(now);
      const passed = now - times[0];
      grid.scrollTop = distance * Math.min(1, passed / ${seconds * 1000});
      if (passed < ${seconds * 1000}) requestAnimationFrame(step);
      else
        resolve({
          framesPerSecond: ((times.length - 1) * 1000) / passed,
          longestFrameMs: Math.max(...times.slice(1).map((time, at) => time - times[at])),
        });
    };
    requestAnimationFrame(step);
  })`);
}

/** Loads the page in a new context, whose cache is empty. */
async function firstPaint(browser: Browser, opsUrl: string): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const debuggerOfPage = await context.newCDPSession(page);
    await debuggerOfPage.send('Emulation.setCPUThrottlingRate', { rate: slowedBy });
    await page.goto(opsUrl);
    await page.getByRole('heading').first().waitFor();
    times.push(
      Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")),
    );
    await context.close();
  }
  return {
    name: `first paint on a processor that is slowed down ${slowedBy} times`,
    unit: 'ms',
    value: median(times),
    target: { kind: 'atMost', limit: 1000 },
  };
}
