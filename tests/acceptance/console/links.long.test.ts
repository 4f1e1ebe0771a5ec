// A link of the console opens what its sender saw: a row, a form, the command, and what Back and Forward make of them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page, Route } from 'playwright-core';
import { users } from '../../ops-service/login-users.js';
import { makeTemporaryDirectory } from '../start-server.js';
import {
  type ConsoleUnderTest,
  expectAccessible,
  expectQuiet,
  phone,
  useConsole,
  withoutBrowser,
} from './open-console.js';
import { fillWithSamples } from './sample-data.js';

const space = '/default_keyspace';
const books = `/#/data${space}/sample_books`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog');

/** Opens the address of a page in a new tab of another context, as the receiver of a link does. */
function openLink(console: ConsoleUnderTest, page: Page, size?: typeof phone) {
  const path = page.url().slice(console.server.opsUrl.length);
  return console.open({ path, ...(size === undefined ? {} : { size }) });
}

/** Waits until a field has the value: after Back and Forward a form shows the other row a moment later. */
async function untilValue(field: Locator, value: string): Promise<void> {
  while ((await field.inputValue()) !== value) await pause(20);
}

async function isClosed(page: Page): Promise<void> {
  await dialogOf(page).waitFor({ state: 'detached' });
}

/** A link to a row or document. */
function linkTo(name: string, identity: object, query = ''): string {
  return `/#/data${space}/${name}?${query}open=${encodeURIComponent(`row:${JSON.stringify(identity)}`)}`;
}

describe('links to rows', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--dialect', 'extended'] });
  before(() => fillWithSamples(console.command));

  it('open the same row, with the filter and the sort, and Back and Forward close and open it', async () => {
    const query = `filter=${encodeURIComponent('{"author":"H. G. Wells"}')}&sort=%7B%22price%22%3A1%7D`;
    const { page } = await console.open({ path: `${books}?${query}` });
    await page.getByRole('gridcell', { name: 'The Time Machine' }).click();
    await dialogOf(page).getByText('Edit a row').waitFor();
    await dialogOf(page).getByRole('button', { name: 'JSON' }).click();
    const json = await openLink(console, page);
    await json.page.locator('.cm-content').getByText('"The Time Machine"').waitFor();
    await button(json.page, 'Cancel').click();
    await isClosed(json.page);
    assert.doesNotMatch(json.page.url(), /as=/);
    await dialogOf(page).getByRole('button', { name: 'Form', exact: true }).click();
    const link = await openLink(console, page);
    assert.equal(await link.page.getByLabel(/^title/).inputValue(), 'The Time Machine');
    await link.page.getByText('2 rows').waitFor();
    await expectAccessible(link.page);
    // The tab was opened by the link: closing the row stays in the tab.
    await button(link.page, 'Cancel').click();
    await isClosed(link.page);
    assert.doesNotMatch(link.page.url(), /open=/);
    assert.match(link.page.url(), /filter=.*sort=/);
    expectQuiet(link);
    await page.goBack();
    await isClosed(page);
    await page.goForward();
    await dialogOf(page).getByText('Edit a row').waitFor();
    // A page that is loaded again knows where its row was opened from.
    await page.reload();
    await dialogOf(page).getByText('Edit a row').waitFor();
    await page.keyboard.press('Escape');
    await isClosed(page);
    await page.goForward();
    await dialogOf(page).getByText('Edit a row').waitFor();
  });

  it('to what is similar say so where nothing has vectors', async () => {
    await console.command(space, { createCollection: { name: 'plain' } });
    await console.command(`${space}/plain`, { insertOne: { document: { _id: 1 } } });
    const like = encodeURIComponent('{"_id":1}');
    const { page } = await console.open({ path: `/#/data${space}/plain?like=${like}` });
    await page.getByText('plain has no vectors, so nothing similar can be found.').waitFor();
    await button(page, 'Remove the search').click();
    await page.getByText('1 document').waitFor();
  });

  it('open a row that is not on the loaded page', async () => {
    const primaryKey = { partitionBy: ['part'], partitionSort: { id: 1 } };
    const definition = { columns: { part: 'int', id: 'int', name: 'text' }, primaryKey };
    await console.command(space, { createTable: { name: 'many', definition } });
    const documents = Array.from({ length: 90 }, (_, id) => ({ part: 1, id, name: `row ${id}` }));
    await console.command(`${space}/many`, { insertMany: { documents } });
    const { page } = await console.open({ path: linkTo('many', { part: 1, id: 80 }) });
    await page.getByText('50 rows so far').waitFor();
    assert.equal(await page.getByLabel(/^name/).inputValue(), 'row 80');
  });

  it('open a row by a key of every kind of value', async () => {
    const columns = {
      ...{ a: 'text', b: 'blob', c: 'decimal', d: 'varint', e: 'uuid', f: 'timestamp', g: 'bigint' },
      ...{ h: 'boolean', i: 'inet', j: 'date', k: 'time', l: 'double', value: 'text' },
    };
    const partitionSort = { e: 1, f: -1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1 };
    const primaryKey = { partitionBy: ['a', 'b', 'c', 'd'], partitionSort };
    await console.command(space, { createTable: { name: 'keys', definition: { columns, primaryKey } } });
    const key = {
      ...{
        a: 'x/y & 100% #1 +"\\ ü 日本 😀',
        b: { $binary: '/+8A' },
        e: '123e4567-e89b-12d3-a456-426614174000',
      },
      ...{ f: '2024-12-31T23:59:59.123Z', h: true, i: '192.0.2.1', j: '2024-02-29', k: '23:59:59.123456789' },
      l: -0.1,
    };
    // The body is a text, because JavaScript has no such numbers.
    const numbers = `"c":12345678901234567890.12,"d":123456789012345678901234567890,"g":9007199254740993`;
    for (const [at, value] of ['first', 'second'].entries()) {
      const row = JSON.stringify({ ...key, l: key.l - at, value }).slice(1);
      const response = await fetch(`${console.server.url}/v1${space}/keys`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"insertOne":{"document":{${numbers},${row}}}`,
      });
      assert.doesNotMatch(await response.text(), /errors/);
    }
    const { page } = await console.open({ path: `/#/data${space}/keys`, size: { width: 3200, height: 800 } });
    for (const value of ['first', 'second']) {
      await page.getByRole('gridcell', { name: value, exact: true }).click();
      await dialogOf(page).waitFor();
      // A filter that no row fits: the row comes from its key, not from the list.
      const address = `${page.url()}&filter=${encodeURIComponent('{"value":"none"}')}`;
      const link = await console.open({ path: address.slice(console.server.opsUrl.length) });
      assert.equal(await link.page.getByLabel(/^value/).inputValue(), value);
      assert.equal(await link.page.getByLabel(/^a /).inputValue(), key.a);
      assert.equal(await link.page.getByLabel(/^c /).inputValue(), '12345678901234567890.12');
      await link.page.getByText('No rows match').waitFor();
      await link.page.getByLabel(/^value/).fill(`${value} changed`);
      await button(link.page, 'Save').click();
      await isClosed(link.page);
      expectQuiet(link);
      await page.goBack();
      await isClosed(page);
    }
    await button(page, 'Load again').click();
    await page.getByRole('gridcell', { name: 'second changed' }).waitFor();
  });

  it('keep ids of documents apart that look the same', async () => {
    const ids = [
      '1',
      1,
      true,
      { $uuid: '123e4567-e89b-12d3-a456-426614174000' },
      { $objectId: '507f1f77bcf86cd799439011' },
      { $date: 1_700_000_000_000 },
      1_700_000_000_000,
      'a/b & 50% #2 ü 日本',
    ];
    await console.command(space, { createCollection: { name: 'ids' } });
    const documents = ids.map((_id, at) => ({ _id, is: `number ${at}` }));
    await console.command(`${space}/ids`, { insertMany: { documents } });
    const { page } = await console.open({ path: `/#/data${space}/ids` });
    for (const { is, _id } of documents) {
      await page.getByRole('gridcell', { name: is, exact: true }).click();
      await page.locator('.cm-editor').waitFor();
      const link = await openLink(console, page);
      await link.page.locator('.cm-content').getByText(`"${is}"`).waitFor();
      assert.match(decodeURIComponent(link.page.url()), /open=row:\{"_id":/, JSON.stringify(_id));
      await link.context.close();
      await page.goBack();
      await isClosed(page);
    }
  });

  it('say so where the row is gone, and where the address has no key', async () => {
    const cases: readonly (readonly [link: string, text: RegExp])[] = [
      [linkTo('sample_books', { title: 'Gone' }), /This row is not there/],
      [linkTo('sample_recipes', { _id: 'gone' }), /This document is not there/],
      [linkTo('sample_books', { author: 'x' }), /another key than that of sample_books: title/],
      [linkTo('sample_books', { title: { $gt: 'A' } }), /an operator of filters.*title/],
      [linkTo('sample_recipes', { _id: { $exists: true } }), /an operator of filters.*_id/],
      [`${books}?open=row%3A%7B`, /no JSON object/],
      [`${books}?open=row`, /longer than the 4,000 characters/],
    ];
    for (const [path, text] of cases) {
      const open = await console.open({ path, size: phone });
      await dialogOf(open.page).getByText(text).first().waitFor();
      await expectAccessible(open.page);
      await button(open.page, 'Close').last().click();
      await isClosed(open.page);
      await open.page.getByRole('gridcell').first().waitFor();
      assert.doesNotMatch(open.page.url(), /open=/);
      expectQuiet(open);
      await open.context.close();
    }
    // The service says what is wrong with a value.
    const { page } = await console.open({ path: linkTo('sample_books', { title: 5 }) });
    await dialogOf(page).getByRole('alert').waitFor();
    await button(page, 'Close').last().click();
    await isClosed(page);
  });

  it('open a row with a key too long for an address, and say that a link does not', async () => {
    const _id = 'long '.repeat(1000);
    await console.command(space, { createCollection: { name: 'long_ids' } });
    await console.command(`${space}/long_ids`, { insertOne: { document: { _id, is: 'long' } } });
    const { page } = await console.open({ path: `/#/data${space}/long_ids` });
    await page.getByRole('gridcell', { name: 'long', exact: true }).click();
    await page.getByText(/The key is too long for an address/).waitFor();
    assert.ok(page.url().length < 200, page.url());
    await page.reload();
    await page.getByText(/The key is too long for an address/).waitFor();
    await page.goBack();
    await isClosed(page);
    await page.goForward();
    const link = await openLink(console, page);
    await dialogOf(link.page).getByText('This link does not name the document').first().waitFor();
  });

  it('ask before Back, a link and another row leave what was typed', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Dracula' }).click();
    await page.getByLabel(/^author/).fill('B. Stoker');
    const address = page.url();
    const leaving: readonly (() => Promise<unknown>)[] = [
      () => page.evaluate('history.back()'),
      () =>
        page.evaluate(
          `location.hash = ${JSON.stringify(linkTo('sample_books', { title: 'Walden' }).slice(1))}`,
        ),
      () => page.evaluate(`location.hash = '#/events'`),
    ];
    const question = page.getByText('Close without saving?');
    for (const leave of leaving) {
      await leave();
      await question.waitFor();
      await button(page, 'Cancel').last().click();
      await question.waitFor({ state: 'detached' });
      assert.equal(page.url(), address);
      assert.equal(await page.getByLabel(/^author/).inputValue(), 'B. Stoker');
    }
    await leaving[1]?.();
    await button(page, 'Discard the changes').click();
    await page.getByText('Henry David Thoreau').first().waitFor();
    await untilValue(page.getByLabel(/^title/), 'Walden');
    await page.goBack();
    await untilValue(page.getByLabel(/^author/), 'Bram Stoker');
    await page.getByLabel(/^author/).fill('again');
    await page.evaluate('history.back()');
    await button(page, 'Discard the changes').click();
    await isClosed(page);
    await page.getByRole('grid').waitFor();
    await page.goForward();
    await untilValue(page.getByLabel(/^author/), 'Bram Stoker');
  });

  it('stay open when a form that was closed before has been saved, or could not be saved', async () => {
    const { page } = await console.open({ path: books });
    const heldCommands: Route[] = [];
    await page.route('**/data/v1/**', (route) => {
      if (/"updateOne"|"createCollection"/.test(route.request().postData() ?? '')) heldCommands.push(route);
      else void route.fallback();
    });
    const saveAndClose = async (author: string) => {
      await page.getByRole('gridcell', { name: 'Dracula' }).click();
      await page.getByLabel(/^author/).fill(author);
      const sent = page.waitForRequest((request) => request.postData()?.includes('"updateOne"') === true);
      await button(page, 'Save').click();
      await sent;
      await page.keyboard.press('Escape');
      await button(page, 'Close the form').click();
      await isClosed(page);
      await page.getByRole('gridcell', { name: 'Walden' }).click();
      assert.equal(await page.getByLabel(/^title/).inputValue(), 'Walden');
    };
    await saveAndClose('B. Stoker');
    await heldCommands.pop()?.continue();
    await page.getByText('Saved the row.').waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'Walden');
    await button(page, 'Cancel').click();
    await page.getByRole('gridcell', { name: 'B. Stoker' }).waitFor();
    await saveAndClose('Nobody');
    await heldCommands.pop()?.fulfill({ status: 502, body: '<html>' });
    await page.getByText(/^Failed in the background/).waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'Walden');
    await button(page, 'Cancel').click();
    await isClosed(page);
    // What was made is listed, and not shown in place of what is open.
    await button(page, 'Create').click();
    await page.getByLabel('Name', { exact: true }).fill('made_late');
    await page.getByLabel('Kind').selectOption('collection');
    await dialogOf(page).getByRole('button', { name: 'Create' }).click();
    await page.evaluate('history.back()');
    await button(page, 'Close the form').click();
    await isClosed(page);
    await page.getByRole('gridcell', { name: 'Walden' }).click();
    await heldCommands.pop()?.continue();
    await page.getByText('Created the collection made_late.').waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'Walden');
    await page.locator('aside').getByText('made_late').waitFor();
  });

  it('warn of a tab that is closed with changes', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Dracula' }).click();
    await page.getByLabel(/^author/).fill('B. Stoker');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.accept();
  });

  it('open the forms to insert and to create, which Back does not open again', async () => {
    const { page } = await console.open({ path: books });
    await button(page, 'Insert').click();
    await page.getByText('Insert a row').waitFor();
    const link = await openLink(console, page, phone);
    await link.page.getByText('Insert a row').waitFor();
    await page.getByLabel(/^title/).fill('New');
    await dialogOf(page).getByRole('button', { name: 'Insert' }).click();
    await page.getByRole('gridcell', { name: 'New', exact: true }).waitFor();
    assert.doesNotMatch(page.url(), /open=/);
    await button(page, 'Create').click();
    await page.getByLabel('Name', { exact: true }).fill('made');
    await page.getByLabel('Column', { exact: true }).first().fill('id');
    await dialogOf(page).getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'made' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'sample_books' }).waitFor();
    assert.equal(await dialogOf(page).count(), 0);
    await page.goto(`${console.server.opsUrl}${books}?tab=definition`);
    for (const [name, title] of [
      ['Add a column', 'Add a column'],
      ['Create an index', 'Create an index'],
      ['Alter by JSON', 'Alter the table'],
    ] as const) {
      await button(page, name).click();
      const opened = await openLink(console, page);
      await dialogOf(opened.page).getByRole('heading', { name: title }).waitFor();
      await opened.context.close();
      await page.goBack();
      await isClosed(page);
    }
  });

  it('name the keyspace that is shown, and the part of names that the list is narrowed to', async () => {
    await console.command('', { createKeyspace: { name: 'other' } });
    for (let at = 0; at < 9; at += 1)
      await console.command('/other', { createCollection: { name: `name_${at}` } });
    const { page } = await console.open({ path: '/' });
    await page.waitForURL(/#\/data\/default_keyspace$/);
    await page.goto(`${console.server.opsUrl}/#/data/other`);
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('e_3');
    await page.getByRole('link', { name: 'name_2' }).first().waitFor();
    await page.getByRole('complementary').getByRole('link', { name: 'name_3' }).click();
    await page.getByText('There are no documents yet').waitFor();
    const link = await openLink(console, page);
    await link.page.getByText('There are no documents yet').waitFor();
    assert.equal(await link.page.getByRole('complementary').getByRole('link').count(), 1);
    // A keyspace that was dropped is not named again.
    await page.goto(`${console.server.opsUrl}/#/data/other`);
    await button(page, 'Drop').click();
    await page.getByLabel('Type other to confirm').fill('other');
    await button(page, 'Drop the keyspace').click();
    await page.waitForURL(/#\/data\/default_keyspace$/);
    await page.getByRole('link', { name: 'sample_books' }).first().waitFor();
  });

  it('show the command in its language, and no question before something is deleted', async () => {
    const { page } = await console.open({ path: `${books}?filter=%7B%22title%22%3A%22Dracula%22%7D` });
    await button(page, 'Command').click();
    await button(page, 'Python').click();
    const link = await openLink(console, page);
    await link.page.getByText('from astrapy import DataAPIClient').waitFor();
    await button(link.page, 'Command').click();
    await link.page.getByText('from astrapy').waitFor({ state: 'detached' });
    await button(page, 'Filter (on)').click();
    await page.getByRole('button', { name: /^Delete all rows/ }).click();
    await page.getByText('Delete all that match the filter').waitFor();
    const other = await openLink(console, page);
    await other.page.getByRole('gridcell', { name: 'Dracula' }).waitFor();
    assert.equal(await dialogOf(other.page).count(), 0);
    await page.evaluate(`location.hash = '#/data${space}/sample_books'`);
    await isClosed(page);
    await page.goto(`${console.server.opsUrl}${books}?tab=definition`);
    await page.getByText('Command listIndexes').click();
    await button(page, 'curl').click();
    const third = await openLink(console, page);
    await third.page.getByText(/^curl -s .*listIndexes/).waitFor();
    await third.page.getByText('Command listTables').click();
    await third.page.getByText(/"listTables"/).waitFor();
    await third.page.getByText(/^curl -s .*listIndexes/).waitFor({ state: 'detached' });
  });
});

describe('links for a viewer', { skip: withoutBrowser }, () => {
  const config = join(makeTemporaryDirectory(), 'colonnade.json');
  writeFileSync(config, JSON.stringify({ ops: { users } }));
  const console = useConsole({ args: ['--config', config] });
  before(() => fillWithSamples(console.command));

  it('open the row behind the login, to be read, and no form that writes', async () => {
    const { page } = await console.open({ path: linkTo('sample_recipes', { _id: 4 }) });
    await page.getByLabel('User').fill('vic');
    await page.getByLabel('Password').fill('blue battery');
    await page.keyboard.press('Enter');
    await page.locator('.cm-content').getByText('"Lentil curry"').waitFor();
    await page.getByText('The role viewer reads only.').waitFor();
    const editor = page.locator('.cm-content');
    const text = await editor.textContent();
    await editor.focus();
    await page.keyboard.type('x');
    await page.keyboard.press('Delete');
    assert.equal(await editor.getAttribute('aria-readonly'), 'true');
    assert.equal(await editor.textContent(), text);
    await page.goto(`${console.server.opsUrl}${linkTo('sample_books', { title: 'Dracula' })}`);
    await page.getByLabel(/^title/).waitFor();
    for (const label of [/^title/, /^author/])
      assert.equal(await page.getByLabel(label).isEditable(), false, String(label));
    await expectAccessible(page);
    for (const path of [
      `${books}?open=insert`,
      `${books}?tab=definition&open=add-column`,
      '/#/data/empty?open=create',
      '/#/alerts?tab=rules&open=new-rule',
      '/#/notifications?open=new-channel',
      '/#/keys?open=new-key',
      '/#/clusters?open=new-cluster',
    ]) {
      await page.goto(`${console.server.opsUrl}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await dialogOf(page).count(), 0, path);
    }
  });
});
