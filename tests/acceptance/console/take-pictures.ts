// Takes the pictures of the console in docs/pictures: each screen light, dark and on a phone. `npm run pictures`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectRoot } from '../../tidy/read-sources.js';
import { makeTemporaryDirectory, startServer } from '../start-server.js';
import { launch, openPage, phone, sendCommand } from './open-console.js';
import { fillOperations, operationsPictures, type Picture } from './operations-pictures.js';
import { fillWithSamples } from './sample-data.js';

const books = '/#/data/default_keyspace/sample_books';

const typedCommand = JSON.stringify(
  { find: { filter: { author: 'H. G. Wells' }, projection: { title: 1, published: 1, price: 1 } } },
  undefined,
  2,
);

const readings = `sensor,at,celsius,note
a1,2026-11-28T10:00:00Z,20.5,
a1,2026-11-28T10:05:00Z,21,window opened
b7,2026-11-28T10:00:00Z,3.25,
`;

/** The pictures, in the order of the screens. */
const pictures: readonly Picture[] = [
  { name: 'sign-in', path: '/#/data', prepare: refuseWithoutLogin },
  { name: 'data-empty', path: '/#/data/empty' },
  { name: 'data-keyspace', path: '/#/data/default_keyspace' },
  { name: 'data-rows', path: books },
  { name: 'data-search', path: `${books}?search=a+voyage+by+sea`, prepare: (page) => press(page, 'Command') },
  {
    name: 'data-filter',
    path: `${books}?filter=${encodeURIComponent('{"author":"H. G. Wells","price":{"$lt":10}}')}`,
  },
  {
    name: 'data-commands',
    path: `${books}?tab=commands&to=v1%2Fdefault_keyspace%2Fsample_books&body=${encodeURIComponent(typedCommand)}`,
    prepare: async (page) => {
      await page.locator('.cm-content').waitFor();
      await press(page, 'Run');
      await page.locator('.result').waitFor();
    },
  },
  { name: 'data-definition', path: `${books}?tab=definition` },
  { name: 'data-edit', path: books, prepare: (page) => page.getByText('Moby-Dick').click() },
  { name: 'data-documents', path: '/#/data/default_keyspace/sample_recipes' },
  {
    name: 'data-document',
    path: '/#/data/default_keyspace/sample_recipes',
    prepare: async (page) => {
      await page.getByText('Lentil curry').click();
      await page.locator('.cm-editor').waitFor();
    },
  },
  {
    name: 'data-create',
    path: '/#/data/default_keyspace',
    prepare: (page) =>
      page.getByRole('main').getByRole('button', { name: 'Create', exact: true }).last().click(),
  },
  {
    name: 'data-create-file',
    path: '/#/data/default_keyspace?open=create&as=file',
    prepare: async (page) => {
      const buffer = Buffer.from(readings);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'readings.csv', mimeType: 'text/csv', buffer });
      await page.getByLabel('Partition key').selectOption('sensor');
      await page.getByLabel('Clustering column').selectOption('at');
    },
  },
  ...operationsPictures,
];

/** Answers what a server with users answers without a session. */
async function refuseWithoutLogin(page: Page): Promise<void> {
  const body = JSON.stringify({ type: 'Unauthorized', message: 'log in first: POST /login', details: [] });
  await page.route('**/data/v1', (route) =>
    route.fulfill({ status: 401, contentType: 'application/json', body }),
  );
  await page.reload();
  await page.getByLabel('User').waitFor();
}

const looks = [
  { suffix: '', theme: 'light' },
  { suffix: '-dark', theme: 'dark' },
  { suffix: '-phone', theme: 'light', size: phone },
] as const;

async function takePictures(folder: string, names: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = join(makeTemporaryDirectory(), 'archive');
  const server = await startServer({
    args: ['--dialect', 'extended', '--metrics-interval-seconds', '2', '--archive', archive],
  });
  const browser = await launch();
  try {
    await fillWithSamples((path, body) => sendCommand(server.url, path, body));
    const wanted = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
    const hasOperations = wanted.some((one) => operationsPictures.includes(one));
    const load = hasOperations ? await fillOperations(server) : undefined;
    for (const picture of wanted) await takeAll(browser, server.opsUrl, folder, picture);
    await load?.stop();
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function takeAll(browser: Browser, url: string, folder: string, picture: Picture): Promise<void> {
  for (const { suffix, ...look } of looks) {
    const { page, context } = await openPage(browser, url, { ...look, path: picture.path });
    await page.getByRole('heading').first().waitFor();
    await settle(page);
    await picture.prepare?.(page);
    await settle(page);
    await page.screenshot({ path: join(folder, `${picture.name}${suffix}.png`) });
    await context.close();
  }
}

/** Waits for what the screen loads; streams of events stay open. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => {});
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

const [folder = join(projectRoot, 'docs', 'pictures'), ...names] = process.argv.slice(2);
await takePictures(folder, names);
