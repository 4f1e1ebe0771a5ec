// The grid of rows in a real browser: what stays when a query fails, how values are drawn, searches, widths.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  withoutBrowser,
} from './open-console.js';
import { fillWithSamples } from './sample-data.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const gridCell = (page: Page, name: string | RegExp) => page.getByRole('gridcell', { name });
const space = '/default_keyspace';
const books = `/#/data${space}/sample_books`;
const recipes = `/#/data${space}/sample_recipes`;
const clause = (name: string, value: object) => `${name}=${encodeURIComponent(JSON.stringify(value))}`;

describe('the grid of rows', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--dialect', 'extended'] });
  before(() => fillWithSamples(console.command));

  it('stays with its rows when a sort, a filter or a search is refused, and one button undoes the cause', async () => {
    const { page } = await console.open({ path: books });
    await page.getByText('12 rows').waitFor();
    const refusal = JSON.stringify({
      errors: [{ errorCode: 'REFUSED', title: 'Refused', message: 'not so' }],
    });
    await page.route('**/data/v1/**', (route) => {
      const isRefused = /"sort":\{"price":1\}|"filter":|"sort":\{"\w+":"/.test(
        route.request().postData() ?? '',
      );
      return isRefused ? route.fulfill({ contentType: 'application/json', body: refusal }) : route.continue();
    });
    const expectRows = async () => {
      await page.getByRole('alert').getByText('not so').waitFor();
      await gridCell(page, 'Moby-Dick').waitFor();
    };
    await page.getByTitle('Sort by price').click();
    await expectRows();
    await expectAccessible(page);
    await button(page, 'Undo the sort').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('whales');
    await page.keyboard.press('Enter');
    await expectRows();
    await button(page, 'Undo the search').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.goto(`${console.server.opsUrl}${books}?${clause('filter', { author: 'H. G. Wells' })}`);
    await expectRows();
    await button(page, 'Undo the filter').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('12 rows').count(), 1);
  });

  it('stays with its rows when the address has a filter that is not JSON', async () => {
    const { page } = await console.open({ path: books });
    await page.getByText('12 rows').waitFor();
    await page.goto(`${console.server.opsUrl}${books}?filter=%7B`);
    await page
      .getByText(/The filter is not JSON/)
      .first()
      .waitFor();
    await gridCell(page, 'Moby-Dick').waitFor();
    await button(page, 'Undo the filter').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('offers to remove the filter of a link that the server refuses, and one without matches', async () => {
    const { page } = await console.open({ path: `${books}?${clause('filter', { nothing: 1 })}` });
    await button(page, 'Remove the filter').click();
    await page.getByText('12 rows').waitFor();
    await page.goto(`${console.server.opsUrl}${books}?${clause('filter', { author: 'Nobody' })}`);
    await page.getByText('No rows match').waitFor();
    await page.getByRole('columnheader', { name: /author/ }).waitFor();
    await button(page, 'Remove the filter').click();
    await page.getByText('12 rows').waitFor();
  });

  it('draws values by the types of their columns, with every digit', async () => {
    const columns = {
      id: 'int',
      numbers: { type: 'list', valueType: 'int' },
      large: { type: 'list', valueType: 'bigint' },
      keys: { type: 'map', keyType: 'text', valueType: 'text' },
      near: { type: 'vector', dimension: 9 },
    };
    await console.command(space, {
      createTable: { name: 'typed', definition: { columns, primaryKey: 'id' } },
    });
    // The body is a text, because the numbers of JavaScript do not have the digits.
    const response = await fetch(`${console.server.url}/v1${space}/typed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"insertOne":{"document":{"id":1,"numbers":[1,2,3,4,5,6,7,8,900000009],
        "large":[1,2,3,4,5,6,7,8,9007199254740993],"keys":{"$date":"1"},
        "near":[0.123456789,0.25,1,0,0,0,0,0,0.5]}}}`,
    });
    assert.equal(response.status, 200);
    const { page } = await console.open({ path: `/#/data${space}/typed` });
    await gridCell(page, '[1,2,3,4,5,6,7,8,900000009]').waitFor();
    await gridCell(page, '[1,2,3,4,5,6,7,8,9007199254740993]').waitFor();
    await gridCell(page, '{"$date":"1"}').waitFor();
    await gridCell(page, /^9 \[0\.12345679, 0\.25, /).waitFor();
  });

  it('shows the text that a search compared, and how well each document fits', async () => {
    const { page } = await console.open({ path: `${recipes}?search=lentils+coconut&by=vector` });
    const heading = (name: RegExp) => page.getByRole('columnheader', { name });
    const text = 'Simmer red lentils with ginger, chili and coconut milk';
    await heading(/^\$similarity/).waitFor();
    await heading(/^\$vectorize/).waitFor();
    await gridCell(page, text).first().waitFor();
    await page.getByLabel('Search by').selectOption('Words');
    await heading(/^\$lexical/).waitFor();
    await heading(/^Rank/).waitFor();
    await gridCell(page, text).first().waitFor();
    await page.getByLabel('Search by').selectOption('Both (hybrid)');
    for (const name of [/^\$vectorRank/, /^\$bm25Rank/, /^\$rrf/, /^\$vectorize/, /^\$lexical/])
      await heading(name).waitFor();
    assert.equal(await page.getByText(/The words find nothing/).count(), 0);
    await page.getByRole('searchbox').fill('lentils without any of these');
    await page.keyboard.press('Enter');
    await page.getByText(/The words find nothing/).waitFor();
    await gridCell(page, 'Lentil curry').waitFor();
  });

  it('finds rows and documents that are similar to one, in a link that is as short as its key', async () => {
    for (const [path, name] of [
      [books, 'Dracula'],
      [recipes, 'Lentil curry'],
    ] as const) {
      const open = await console.open({ path });
      const { page } = open;
      await gridCell(page, name).click();
      await button(page, 'Find similar').click();
      await page.getByText(/^Similar to/).waitFor();
      await page.getByRole('columnheader', { name: /^\$similarity/ }).waitFor();
      await page.locator('[aria-rowindex="2"]').getByText(name, { exact: true }).waitFor();
      assert.ok(page.url().length < 200, page.url());
      await page.reload();
      await page.locator('[aria-rowindex="2"]').getByText(name, { exact: true }).waitFor();
      await expectAccessible(page);
      await button(page, 'Show all').click();
      await page.getByRole('columnheader', { name: /^\$similarity/ }).waitFor({ state: 'detached' });
      expectQuiet(open);
    }
  });

  it('creates the index that a filter lacks, beside the warning in words of what was done', async () => {
    const { page } = await console.open({ path: `${books}?${clause('filter', { about: 'x' })}` });
    await page.getByText('Your filter compares about, without an index').waitFor();
    await expectAccessible(page);
    await button(page, 'Create this index').click();
    assert.equal(await page.getByRole('dialog').getByLabel('Column').inputValue(), 'about');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Your filter compares about, without an index').waitFor({ state: 'detached' });
  });
});

describe('the grid of many rows and columns', { skip: withoutBrowser }, () => {
  const console = useConsole();
  const wide = `/#/data${space}/wide`;
  before(async () => {
    const names = Array.from({ length: 30 }, (_, at) => `value_${at}`);
    const columns = { part: 'int', id: 'int', ...Object.fromEntries(names.map((name) => [name, 'int'])) };
    const primaryKey = { partitionBy: ['part'], partitionSort: { id: 1 } };
    await console.command(space, { createTable: { name: 'wide', definition: { columns, primaryKey } } });
    const values = Object.fromEntries(names.map((name, at) => [name, at]));
    for (let from = 0; from < 200; from += 100) {
      const documents = Array.from({ length: 100 }, (_, at) => ({ ...values, part: 1, id: from + at }));
      await console.command(`${space}/wide`, { insertMany: { documents } });
    }
  });

  const frame = (page: Page) => page.getByRole('grid');
  const leftOf = (page: Page, selector: string) =>
    page.evaluate(
      `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().left -
        document.querySelector('.grid').getBoundingClientRect().left`,
    );

  it('begins at the top with a new sort and a new filter', async () => {
    const { page } = await console.open({ path: wide });
    await page.getByText('50 rows so far').waitFor();
    const scrollDown = async () => {
      await page.evaluate(`document.querySelector('.grid').scrollTo(0, 600)`);
      await page.locator('[aria-rowindex="40"]').waitFor();
    };
    const expectTop = async (first: string) => {
      await page.locator('[aria-rowindex="2"] .grid-cell:nth-child(2)', { hasText: first }).waitFor();
      assert.equal(await page.evaluate(`document.querySelector('.grid').scrollTop`), 0);
    };
    const sort = async (order: string) => {
      await page.getByTitle('Sort by id').click();
      await page.locator(`[role="columnheader"][aria-sort="${order}"]`).waitFor();
    };
    await scrollDown();
    await sort('ascending');
    await expectTop('0');
    await scrollDown();
    await sort('descending');
    await expectTop('199');
    await scrollDown();
    await page.goto(`${console.server.opsUrl}${wide}?${clause('filter', { part: 1, id: { $gte: 7 } })}`);
    await expectTop('7');
  });

  it('names its marked cell as long as that is in view', async () => {
    await console.command(space, { createCollection: { name: 'long_list' } });
    const documents = Array.from({ length: 50 }, (_, _id) => ({ _id }));
    for (let at = 0; at < 3; at += 1)
      await console.command(`${space}/long_list`, {
        insertMany: { documents: documents.map(({ _id }) => ({ _id: _id + at * 50 })) },
      });
    const { page } = await console.open({ path: `/#/data${space}/long_list` });
    const grid = page.getByRole('grid');
    await page.locator('.grid[aria-activedescendant]').waitFor();
    await grid.hover();
    for (let times = 0; times < 20; times += 1) await page.mouse.wheel(0, 300);
    await page.locator('.grid:not([aria-activedescendant])').waitFor();
    await grid.press('Home');
    const marked = await page.locator('.grid[aria-activedescendant]').getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`[id="${marked}"]`).count(), 1);
  });

  it('keeps the columns of the key in view, and shows the others beside them', async () => {
    const { page } = await console.open({ path: wide });
    await page.getByText('50 rows so far').waitFor();
    await frame(page).focus();
    for (let times = 0; times < 25; times += 1) await page.keyboard.press('ArrowRight');
    await page.locator('.grid-cell.active', { hasText: '23' }).waitFor();
    for (const place of ['.grid-head', '.grid-body'])
      assert.ok(Number(await leftOf(page, `${place} [aria-colindex="1"]`)) < 2, place);
    const keyEnd =
      Number(await page.evaluate(`document.querySelector('.last-pinned').offsetWidth`)) +
      Number(await leftOf(page, '.grid-body .last-pinned'));
    for (let times = 0; times < 20; times += 1) await page.keyboard.press('ArrowLeft');
    await page.locator('.grid-cell.active', { hasText: '3' }).waitFor();
    assert.ok(Number(await leftOf(page, '.grid-cell.active')) >= keyEnd - 1);
  });

  it('leaves room beside a wide key on a phone', async () => {
    const definition = { columns: { key: 'text', value: 'text' }, primaryKey: 'key' };
    await console.command(space, { createTable: { name: 'keyed', definition } });
    const document = { key: 'k'.repeat(80), value: 'seen' };
    await console.command(`${space}/keyed`, { insertOne: { document } });
    const { page } = await console.open({ path: `/#/data${space}/keyed`, size: phone });
    await page.locator('.grid-row .grid-cell').first().waitFor();
    assert.equal(await page.locator('.pinned').count(), 0);
    await expectNoOverflow(page);
  });

  it('changes widths by pointer and by keyboard, and keeps them', async () => {
    const { page } = await console.open({ path: wide });
    await page.getByText('50 rows so far').waitFor();
    const heading = page.getByRole('columnheader', { name: /value_1 / });
    const width = async () => Math.round((await heading.boundingBox())?.width ?? 0);
    const begin = await width();
    const box = (await heading.locator('.grid-edge').boundingBox()) ?? assert.fail('no edge');
    await page.mouse.move(box.x + 4, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 104, box.y + 10, { steps: 4 });
    await page.mouse.up();
    assert.equal(await width(), begin + 100);
    assert.equal(new URL(page.url()).hash.includes('sort='), false, 'dragging does not sort');
    await heading.getByRole('button').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    assert.equal(await width(), begin + 76);
    await frame(page).focus();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    assert.equal(await width(), begin + 100);
    await page.reload();
    await heading.waitFor();
    assert.equal(await width(), begin + 100);
    await heading.locator('.grid-edge').dblclick();
    assert.equal(await width(), begin);
  });
});
