// The Data screens in a real browser: from an empty server to rows that are found, changed and deleted.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { users } from '../../ops-service/login-users.js';
import { makeTemporaryDirectory } from '../start-server.js';
import {
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  phone,
  useConsole,
  waitUntil,
  withoutBrowser,
} from './open-console.js';
import { fillWithSamples } from './sample-data.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('the Data screens on an empty server', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('lead to a table with rows in one click, and to a collection', async () => {
    const open = await console.open();
    await button(open.page, 'Load a sample table').click();
    await open.page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await console.command('', { createKeyspace: { name: 'other' } });
    await open.page.goto(`${console.server.opsUrl}/#/data/other`);
    await button(open.page, 'Load a sample collection').click();
    await open.page.getByRole('gridcell', { name: 'Lentil curry' }).waitFor();
    expectQuiet(open);
  });

  it('load samples beside other tables, where their names are free, and leave nothing when that fails', async () => {
    const space = '/default_keyspace';
    const definition = { columns: { id: 'int', author: 'text' }, primaryKey: 'id' };
    await console.command('', { createKeyspace: { name: 'used' } });
    await console.command('/used', { createTable: { name: 'mine', definition } });
    const index = { name: 'sample_books_author', definition: { column: 'author' } };
    await console.command('/used/mine', { createIndex: index });
    const { page } = await console.open({ path: '/#/data/used' });
    await button(page, 'Load a sample table').click();
    await page
      .getByRole('alert')
      .getByText(/sample_books_author/)
      .first()
      .waitFor();
    const listed = await console.command('/used', { listTables: {} });
    assert.deepEqual(listed, { status: { tables: ['mine'] } });
    await console.command('/used', { dropIndex: { name: 'sample_books_author' } });
    await button(page, 'Load a sample table').click();
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await page.goto(`${console.server.opsUrl}/#/data${space}`);
    await page.goto(`${console.server.opsUrl}/#/data/used`);
    await page.getByText(/^sample_books exists in this keyspace/).waitFor();
    assert.equal(await button(page, 'Load a sample table').isDisabled(), true);
  });

  it('create a table by form and by JSON, and show the command', async () => {
    const { page } = await console.open({ path: '/#/data/default_keyspace' });
    await button(page, 'Create').last().click();
    await page.getByLabel('Name', { exact: true }).fill('visits');
    await page.getByLabel('Column', { exact: true }).last().fill('id');
    await page.getByText('There are two columns named id.').waitFor();
    await page.getByLabel('Column', { exact: true }).last().fill('count');
    await page.getByLabel('Type', { exact: true }).last().selectOption('bigint');
    await page.getByText('Sends createTable').click();
    await page.getByText('"count": "bigint"').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('There are no rows yet').waitFor();
  });

  it('create a collection with the dimension that was typed, whatever was typed before', async () => {
    const { page, errors } = await console.open({ path: '/#/data/default_keyspace?open=create' });
    await page.getByLabel('Name', { exact: true }).fill('sized');
    await page.getByLabel('Kind').selectOption('collection');
    await page.getByLabel('Vectors').selectOption('own');
    await page.getByLabel('Dimension').fill('x');
    await page.getByText('Type the dimension of the vectors.').waitFor();
    await page.getByLabel('Vectors').selectOption('none');
    await page.getByLabel('Vectors').selectOption('own');
    await page.getByLabel('Dimension').fill('0012');
    await page.getByText('Sends createCollection').click();
    await page.getByText('"dimension": 12').waitFor();
    assert.deepEqual(errors, []);
  });

  it('show why the service refuses a command, where it was sent', async () => {
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    await console.command('/default_keyspace', { createTable: { name: 'known', definition } });
    const { page } = await console.open({ path: '/#/data/default_keyspace' });
    await button(page, 'Create').last().click();
    await page.getByLabel('Name', { exact: true }).fill('known');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(/exist/i).first().waitFor();
  });
});

describe('the Data screens with data', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--dialect', 'extended'] });
  const books = '/#/data/default_keyspace/sample_books';
  const recipes = '/#/data/default_keyspace/sample_recipes';
  before(() => fillWithSamples(console.command));

  for (const theme of ['light', 'dark'] as const) {
    it(`are quiet and accessible in the ${theme} theme and on a phone`, async () => {
      const row = `open=${encodeURIComponent('row:{"title":"Dracula"}')}`;
      const dialogs = [
        `${books}?${row}`,
        `${recipes}?open=${encodeURIComponent('row:{"_id":4}')}`,
        `${books}?open=insert`,
        ...['add-column', 'create-index', 'alter'].map((form) => `${books}?tab=definition&open=${form}`),
        ...['create', 'create-keyspace'].map((form) => `/#/data/default_keyspace?open=${form}`),
      ];
      const screens = ['/#/data/default_keyspace', books, `${books}?tab=definition`, recipes];
      for (const path of [...screens, ...dialogs]) {
        for (const size of [{ width: 1280, height: 800 }, phone]) {
          // A dialog has the same parts in both sizes: once wide and light, once small and dark.
          if (dialogs.includes(path) && (size === phone) !== (theme === 'dark')) continue;
          const open = await console.open({ theme, size, path });
          await open.page.getByRole('heading', { level: 1 }).waitFor();
          if (dialogs.includes(path)) await open.page.getByRole('dialog').waitFor();
          await open.page.waitForLoadState('networkidle');
          await expectAccessible(open.page);
          await expectNoOverflow(open.page);
          expectQuiet(open);
          await open.context.close();
        }
      }
    });
  }

  it('offer one button to create, also on a phone, and search where there is one way', async () => {
    for (const size of [{ width: 1280, height: 800 }, phone]) {
      const { page, context } = await console.open({ size, path: '/#/data/default_keyspace' });
      await page.getByRole('link', { name: 'sample_books' }).last().waitFor();
      assert.equal(await button(page, 'Create').count(), 1);
      await page.getByRole('link', { name: 'sample_books' }).last().click();
      await page.getByPlaceholder('Search by similarity (about_vector)').waitFor();
      await context.close();
    }
  });

  it('show short messages above a dialog', async () => {
    const { page } = await console.open({ path: books });
    await button(page, 'Insert').click();
    await page.getByLabel(/^title/).fill('A');
    await page.getByText('Sends insertMany').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    // A popover that is open stands above dialogs.
    await page.locator('.toasts:popover-open').getByText('Copied.').waitFor();
  });

  it('keep filter, sort and search in the address, and show the command in each form', async () => {
    const { page } = await console.open({ path: books });
    await button(page, 'Filter').click();
    await page.getByLabel('Column', { exact: true }).selectOption('author');
    await page.getByLabel('Value', { exact: true }).fill('H. G. Wells');
    await page.keyboard.press('Enter');
    await page.getByText('2 rows').waitFor();
    await page.getByTitle('Sort by price').click();
    await page.waitForURL(/sort=/);
    await page.reload();
    await page.getByText('2 rows').waitFor();
    await button(page, 'Command').click();
    await button(page, 'Python').click();
    await page.getByText('from astrapy import DataAPIClient').waitFor();
    await button(page, 'Copy').click();
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /table\.find\(\{ "author"/);
  });

  it('show rows without a warning, and a search only as long as it is used', async () => {
    const { page } = await console.open({ path: books });
    await page.getByText('12 rows').waitFor();
    assert.equal(await page.getByText('ZERO_FILTER_OPERATIONS').count(), 0);
    await page.getByRole('searchbox').fill('a voyage by sea');
    await page.keyboard.press('Enter');
    await page.getByText('$similarity').waitFor();
    await page.getByTitle('Sort by price').click();
    await page.getByText('$similarity').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('searchbox').inputValue(), '');
  });

  it('search by similarity, by words and by both', async () => {
    const { page } = await console.open({ path: recipes });
    for (const way of ['Similarity', 'Words', 'Both (hybrid)']) {
      await page.getByLabel('Search by').selectOption(way);
      await page.getByRole('searchbox').fill('lentils coconut');
      await button(page, 'Search').click();
      await page.getByRole('gridcell', { name: 'Lentil curry' }).waitFor();
    }
  });

  it('insert, change and delete a row without losing a digit', async () => {
    const table = { columns: { id: 'int', n: 'varint', d: 'decimal' }, primaryKey: 'id' };
    await console.command('/default_keyspace', { createTable: { name: 'digits', definition: table } });
    const { page } = await console.open({ path: '/#/data/default_keyspace/digits' });
    await button(page, 'Insert').click();
    await page.getByLabel(/^id/).fill('1');
    await page.getByLabel(/^n/).fill('123456789012345678901234567890');
    await page.getByLabel(/^d/).fill('0.100000000000000000001');
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
    await page.getByRole('gridcell', { name: '123456789012345678901234567890' }).click();
    await page.getByLabel(/^n/).fill('123456789012345678901234567891');
    await button(page, 'Save').click();
    await page.getByRole('gridcell', { name: '123456789012345678901234567891' }).waitFor();
    const found = await console.command('/default_keyspace/digits', { findOne: { filter: { id: 1 } } });
    assert.match(JSON.stringify(found), /"d":0\.1/);
    await page.getByRole('gridcell', { name: '0.100000000000000000001' }).click();
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no rows yet').waitFor();
  });

  it('change a document in the JSON editor', async () => {
    const { page, errors } = await console.open({ path: recipes });
    await page.getByRole('gridcell', { name: 'Pancakes' }).click();
    await page.locator('.cm-editor').waitFor();
    await page.getByRole('textbox', { name: 'JSON' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"_id": 2, "name": "Crêpes", "minutes": 25}');
    await button(page, 'Save').click();
    await page.getByRole('gridcell', { name: 'Crêpes' }).waitFor();
    assert.deepEqual(errors, []);
  });

  it('say when another tab changed or deleted what is saved, and when an insert replaces a row', async () => {
    const definition = { columns: { id: 'int', a: 'text', constructor: 'text' }, primaryKey: 'id' };
    await console.command('/default_keyspace', { createTable: { name: 'shared', definition } });
    const shared = (command: object) => console.command('/default_keyspace/shared', command);
    await shared({ insertOne: { document: { id: 1, a: 'old', constructor: 'c' } } });
    const { page } = await console.open({ path: '/#/data/default_keyspace/shared' });
    await page.getByRole('gridcell', { name: 'old' }).click();
    await shared({ updateOne: { filter: { id: 1 }, update: { $set: { a: 'theirs' } } } });
    await page.getByLabel(/^constructor/).fill('mine');
    await button(page, 'Save').click();
    await page.getByText(/was changed since it was opened here: a\./).waitFor();
    await button(page, 'Save anyway').click();
    await page.getByRole('gridcell', { name: 'theirs' }).waitFor();
    await page.getByRole('gridcell', { name: 'mine' }).click();
    await shared({ deleteOne: { filter: { id: 1 } } });
    await page.getByLabel(/^a/).fill('late');
    await button(page, 'Save').click();
    const deleted = page.getByText(/was deleted since/);
    await deleted.waitFor();
    await button(page, 'Delete').click();
    await page.getByText('Delete this row').waitFor();
    assert.equal(await deleted.count(), 0);
    assert.equal(await page.getByRole('button', { name: /anyway/ }).count(), 0);
    await button(page, 'Cancel').click();
    await button(page, 'Cancel').click();
    for (const id of [2, 3]) await shared({ insertOne: { document: { id, a: 'kept' } } });
    await button(page, 'Insert').click();
    await page.getByLabel(/^id/).fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
    const replaced = page.getByText(/There is a row with this key/);
    await replaced.waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^id/).fill('3');
    await replaced.waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Insert', exact: true }).click();
    await replaced.waitFor();
  });

  it('ask before Escape closes a form with changes', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Dracula' }).click();
    await page.getByLabel(/^author/).fill('B. Stoker');
    const question = page.getByText('Close without saving?');
    // After some keys without another input, browsers close dialogs without asking the page.
    for (let at = 0; at < 3; at += 1) {
      await page.keyboard.press('Escape');
      await question.waitFor();
      if (at === 0) await expectAccessible(page);
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
    }
    assert.equal(await page.getByLabel(/^author/).inputValue(), 'B. Stoker');
    await page.keyboard.press('Escape');
    await button(page, 'Discard the changes').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('offer the operators of the type, and show a link with a filter that is not JSON', async () => {
    const open = await console.open({ path: `${recipes}?filter=%7B` });
    const { page } = open;
    await page
      .getByRole('alert')
      .getByText(/The filter is not JSON/)
      .waitFor();
    assert.equal(await page.getByText(/^Delete all/).count(), 0);
    await button(page, 'Clear').click();
    await page.getByLabel('Field', { exact: true }).fill('name');
    await page.getByLabel('Operator').selectOption('exists');
    await page.getByLabel('Value', { exact: true }).selectOption('false');
    await button(page, 'Apply').click();
    await page.getByText('No documents match').waitFor();
    expectQuiet(open);
  });

  it('add and drop columns and indexes', async () => {
    const { page } = await console.open({ path: `${books}?tab=definition` });
    await button(page, 'Add a column').click();
    await page.getByLabel('Name', { exact: true }).fill('pages');
    await page.getByLabel('Type', { exact: true }).selectOption('int');
    await button(page, 'Add').click();
    await page.getByRole('cell', { name: 'pages', exact: true }).waitFor();
    await button(page, 'Create an index').click();
    const column = page.getByLabel('Column', { exact: true });
    assert.notEqual(await column.inputValue(), 'author', 'which has an index');
    await column.selectOption('pages');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await button(page, 'Drop the index sample_books_pages').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await button(page, 'Drop the index sample_books_pages').waitFor({ state: 'detached' });
    await button(page, 'Drop the column pages').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('cell', { name: 'pages', exact: true }).waitFor({ state: 'detached' });
  });

  it('are used by keyboard alone', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Edit a row').waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'Frankenstein');
    await button(page, 'Delete').press('Enter');
    await page.getByText('Delete this row').waitFor();
    // The focus moves after the next paint.
    await waitUntil(page, "document.activeElement.textContent === 'Cancel'");
    // A long key has to be scrolled. Only some browsers reach a box that scrolls if it does not have the attribute.
    await page.keyboard.press('Shift+Tab');
    await waitUntil(page, "document.activeElement.matches('pre.code-block[tabindex]')");
    await page.keyboard.press('Escape');
    await page.getByText('Edit a row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Rows' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
  });

  it('show a failing server, a slow one, and what is gone', async () => {
    const { page } = await console.open({ path: '/#/data/default_keyspace' });
    await page.getByRole('link', { name: 'sample_books' }).first().waitFor();
    await page.route('**/data/v1/**', (route) => route.fulfill({ status: 502, body: '<html>' }));
    await page.getByRole('link', { name: 'sample_books' }).first().click();
    await page.getByText('The server answered with status 502.').waitFor();
    await page.unroute('**/data/v1/**');
    await page.route('**/data/v1/**', (route) => setTimeout(() => void route.continue(), 700));
    await button(page, 'Try again').first().click();
    await page.locator('.progress.shown').waitFor({ state: 'attached' });
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await page.goto(`${console.server.opsUrl}/#/data/default_keyspace/gone`);
    await page.getByText('default_keyspace has no gone').waitFor();
  });
});

describe('the Data screens with 10,000 rows', { skip: withoutBrowser }, () => {
  const console = useConsole();
  before(async () => {
    const primaryKey = { partitionBy: ['part'], partitionSort: { id: 1 } };
    const definition = { columns: { part: 'int', id: 'int', name: 'text' }, primaryKey };
    await console.command('/default_keyspace', { createTable: { name: 'many', definition } });
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ part: 1, id, name: `row ${id}` }));
    for (let at = 0; at < rows.length; at += 100)
      await console.command('/default_keyspace/many', {
        insertMany: { documents: rows.slice(at, at + 100) },
      });
  });

  it('continue a sort in memory, which has no page state', async () => {
    const { page } = await console.open({
      path: `/#/data/default_keyspace/many?sort=${encodeURIComponent('{"name":-1}')}`,
    });
    await page.getByText('50 rows so far').waitFor();
    await page.evaluate(`document.querySelector('.grid').scrollTo(0, 1e6)`);
    await page.getByText('100 rows so far').waitFor();
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '101');
  });

  it('load pages as they are scrolled to, and all on request, with few elements', async () => {
    const { page, errors } = await console.open({ path: '/#/data/default_keyspace/many' });
    await page.getByText('rows so far').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByText('100 rows so far').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('gridcell', { name: 'row 99', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('10,000 rows').waitFor({ timeout: 60_000 });
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('gridcell', { name: 'row 9999', exact: true }).waitFor();
    assert.ok((await page.getByRole('row').count()) < 100);
    assert.deepEqual(errors, []);
  });
});

describe('the Data screens with unusual values', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('show 1,000 columns with few elements, also those that the keyboard moves to', async () => {
    const names = Array.from({ length: 1000 }, (_, at) => `column_${at}`);
    const columns = { id: 'int', ...Object.fromEntries(names.map((name) => [name, 'int'])) };
    const definition = { columns, primaryKey: 'id' };
    await console.command('/default_keyspace', { createTable: { name: 'wide', definition } });
    const document = { id: 1, ...Object.fromEntries(names.map((name, at) => [name, at])) };
    await console.command('/default_keyspace/wide', { insertOne: { document } });
    const { page } = await console.open({ path: '/#/data/default_keyspace/wide' });
    await page.getByRole('columnheader', { name: 'column_0' }).first().waitFor();
    assert.ok((await page.getByRole('columnheader').count()) < 40);
    await page.getByRole('grid').focus();
    for (let times = 0; times < 60; times += 1) await page.keyboard.press('ArrowRight');
    await page.locator('.grid-cell.active', { hasText: '59' }).waitFor();
    const marked = await page.getByRole('grid').getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`[id="${marked}"]`).getAttribute('aria-colindex'), '61');
  });

  it('keep line breaks, and show texts in their own direction', async () => {
    const definition = { columns: { id: 'int', lines: 'text', hebrew: 'text' }, primaryKey: 'id' };
    await console.command('/default_keyspace', { createTable: { name: 'texts', definition } });
    const document = { id: 1, lines: 'first\nsecond', hebrew: 'שלום' };
    await console.command('/default_keyspace/texts', { insertOne: { document } });
    const { page } = await console.open({ path: '/#/data/default_keyspace/texts' });
    await page.getByText('שלום').waitFor();
    const directions = await page.evaluate(
      "[...document.querySelectorAll('.cell-text')].map((one) => getComputedStyle(one).direction)",
    );
    assert.deepEqual(directions, ['ltr', 'rtl']);
    await page.getByText('שלום').click();
    await page.getByLabel(/^lines/).fill('first\nsecond\nthird');
    await button(page, 'Save').click();
    await page.getByRole('gridcell', { name: 'first↵ second↵ third' }).waitFor();
    const found = await console.command('/default_keyspace/texts', { findOne: { filter: { id: 1 } } });
    assert.match(JSON.stringify(found), /"first\\nsecond\\nthird"/);
  });
});

describe('the Data screens of a server without collections and indexes of words', {
  skip: withoutBrowser,
}, () => {
  const console = useConsole({ args: ['--collections', 'off'] });

  it('offer tables only, and say why', async () => {
    const open = await console.open({ path: '/#/overview' });
    const { page } = open;
    // The facts of a server on Cassandra in the strict dialect.
    const ofCluster = { engine: 'cassandra', hasTextIndexes: false };
    await page.route('**/console/facts', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: { ...(await reply.json()), ...ofCluster } });
    });
    await page.goto(`${console.server.opsUrl}/#/data`);
    await page.reload();
    await page.getByText(/Collections are switched off on this server/).waitFor();
    assert.equal(await button(page, 'Load a sample collection').count(), 0);
    await button(page, 'Create a table').click();
    await page
      .getByRole('dialog')
      .getByText(/Collections are switched off/)
      .waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Kind').count(), 0);
    await page.keyboard.press('Escape');
    await button(page, 'Load a sample table').click();
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    await page.getByRole('tab', { name: 'Columns and indexes' }).click();
    await button(page, 'Create an index').click();
    await page.getByLabel('Column', { exact: true }).selectOption('author');
    await page
      .getByRole('dialog')
      .getByText(/Indexes of words need --dialect extended/)
      .waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Kind').count(), 0);
    expectQuiet(open);
  });
});

describe('the Data screens of a viewer', { skip: withoutBrowser }, () => {
  const config = join(makeTemporaryDirectory(), 'colonnade.json');
  writeFileSync(config, JSON.stringify({ ops: { users } }));
  const console = useConsole({ args: ['--config', config] });
  before(() => fillWithSamples(console.command));

  it('read, and have no button that writes', async () => {
    const open = await console.open({ path: '/#/data/default_keyspace/sample_books?search=sea' });
    const { page } = open;
    await page.getByLabel('User').fill('vic');
    await page.getByLabel('Password').fill('blue battery');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
    const writing = /^(Create|Add|Insert|Drop|Delete|Load a sample|Alter|Save)/;
    const labels = async () => {
      const all = await page.evaluate(`[...document.querySelectorAll('main button')]
        .map((one) => one.getAttribute('aria-label') ?? one.textContent).join('|')`);
      return String(all)
        .split('|')
        .filter((name) => writing.test(name));
    };
    for (const path of ['sample_books', 'sample_books?filter=%7B%22title%22%3A%22Dracula%22%7D']) {
      await page.goto(`${console.server.opsUrl}/#/data/default_keyspace/${path}`);
      await page.getByRole('gridcell').first().waitFor();
      assert.deepEqual(await labels(), [], path);
    }
    await page.getByRole('gridcell', { name: 'Dracula' }).click();
    await page.getByText('The role viewer reads only.').waitFor();
    assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Save' }).count(), 0);
    await page.keyboard.press('Escape');
    for (const path of ['default_keyspace/sample_books?tab=definition', 'default_keyspace', 'empty']) {
      await page.goto(`${console.server.opsUrl}/#/data/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.deepEqual(await labels(), [], path);
      assert.equal(await page.getByRole('button', { name: /^Drop/ }).count(), 0, path);
    }
    assert.deepEqual(open.foreignRequests, []);
  });
});

describe('the Data screens of a server with users', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--ops-user', 'ada', '--ops-password', 'correct-horse-battery'] });

  it('ask for a login, return to the same place, and again when the session has ended', async () => {
    await console.command('/default_keyspace', {
      createTable: { name: 'visits', definition: { columns: { id: 'int' }, primaryKey: 'id' } },
    });
    const { page, context } = await console.open({ path: '/#/data/default_keyspace/visits' });
    const logIn = async (password: string) => {
      await page.getByLabel('User').fill('ada');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('Escape');
    await logIn('wrong');
    await page.getByText('the user or the password is wrong').waitFor();
    await logIn('correct-horse-battery');
    await page.getByText('There are no rows yet').waitFor();
    await context.clearCookies();
    await button(page, 'Load again').click();
    await logIn('correct-horse-battery');
    await page.getByText('There are no rows yet').waitFor();
    await button(page, 'Log out').click();
    await page.getByLabel('Password').waitFor();
  });
});
