// Forms of the console keep the data of others and of earlier attempts: nothing is deleted, doubled or changed unseen.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { expectQuiet, useConsole, withoutBrowser } from './open-console.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog');

describe('the data of others and of earlier attempts', { skip: withoutBrowser }, () => {
  const console = useConsole();
  const space = '/default_keyspace';
  const countIn = async (path: string) => {
    const found = await console.command(path, { countDocuments: { filter: {} } });
    return (found as { status: { count: number } }).status.count;
  };
  /** Opens the form that inserts JSON into a new collection. */
  const openInsert = async (name: string) => {
    await console.command(space, { createCollection: { name } });
    const open = await console.open({ path: `/#/data${space}/${name}?open=insert` });
    const type = async (text: string) => {
      await dialogOf(open.page).locator('.cm-content').click();
      await open.page.keyboard.press('Control+A');
      await open.page.keyboard.insertText(text);
    };
    return { ...open, type };
  };
  const insert = (page: Page, name = 'Insert') =>
    dialogOf(page).locator('footer').getByRole('button', { name });

  it('stay in a sample that another tab has loaded', async () => {
    await console.command('', { createKeyspace: { name: 'two_tabs' } });
    const [first, second] = [
      await console.open({ path: '/#/data/two_tabs' }),
      await console.open({ path: '/#/data/two_tabs' }),
    ];
    for (const { page } of [first, second]) await button(page, 'Load a sample collection').waitFor();
    await button(second.page, 'Load a sample collection').click();
    await second.page.getByText('Loaded the sample collection sample_recipes.').waitFor();
    await console.command('/two_tabs/sample_recipes', { insertOne: { document: { _id: 'ours' } } });
    const count = await countIn('/two_tabs/sample_recipes');
    await button(first.page, 'Load a sample collection').click();
    await first.page.getByRole('alert').getByText('has a collection sample_recipes already').waitFor();
    assert.equal(await countIn('/two_tabs/sample_recipes'), count);
  });

  it('are not inserted again where some documents of a list were refused', async () => {
    const { page, type } = await openInsert('partly');
    await console.command(`${space}/partly`, { insertOne: { document: { _id: 7 } } });
    await type('[{"a":1},{"_id":7,"a":2},{"a":3}]');
    await insert(page).click();
    await dialogOf(page)
      .getByRole('alert')
      .getByText(/^2 of 3 documents were inserted/)
      .waitFor();
    const left = await dialogOf(page).locator('.cm-content').textContent();
    assert.deepEqual(JSON.parse(left ?? ''), [{ _id: 7, a: 2 }]);
    await type('[{"_id":8,"a":2}]');
    await insert(page).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    assert.equal(await countIn(`${space}/partly`), 4);
  });

  it('are named by their numbers, and replace nothing that was typed while they were sent', async () => {
    const { page, type } = await openInsert('meanwhile');
    await console.command(`${space}/meanwhile`, { insertOne: { document: { _id: 7 } } });
    const held: Route[] = [];
    await page.route('**/meanwhile', async (route) => {
      if (!(route.request().postData() ?? '').includes('insertMany')) return route.fallback();
      held.push(route);
    });
    await type('[{"a":1},{"_id":7,"a":2}]');
    const sent = page.waitForRequest((request) => (request.postData() ?? '').includes('insertMany'));
    await insert(page).click();
    await sent;
    await type('{"a":"typed"}');
    assert.equal(held.length, 1);
    await held[0]?.continue();
    const alert = dialogOf(page).getByRole('alert');
    await alert.getByText(/^1 of 2 documents was inserted, but not the other one.*\. Document 2: /).waitFor();
    assert.equal(await dialogOf(page).locator('.cm-content').textContent(), '{"a":"typed"}');
  });

  it('are not inserted again without a question where the reply was lost', async () => {
    const { page, type } = await openInsert('lost');
    await page.route('**/lost', async (route) => {
      if (!(route.request().postData() ?? '').includes('insertMany')) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await type('{"a":1}');
    await insert(page).click();
    await dialogOf(page)
      .getByRole('alert')
      .getByText(/cannot be reached/)
      .waitFor();
    await insert(page).click();
    await dialogOf(page)
      .getByText(/^The reply to the last attempt did not arrive/)
      .waitFor();
    assert.equal(await countIn(`${space}/lost`), 1);
    await page.unroute('**/lost');
    await insert(page, 'Insert anyway').click();
    await dialogOf(page).waitFor({ state: 'detached' });
    assert.equal(await countIn(`${space}/lost`), 2);
  });

  it('keep their kinds of line breaks', async () => {
    const columns = { id: 'int', lines: 'text', other: 'text', empty: 'text' };
    const definition = { columns, primaryKey: 'id' };
    await console.command(space, { createTable: { name: 'breaks', definition } });
    const path = `${space}/breaks`;
    const document = { id: 1, lines: 'a\r\nb\rc\nd', other: 'x', empty: '' };
    await console.command(path, { insertOne: { document } });
    const open = await console.open({ path: `/#/data${path}` });
    const { page } = open;
    await page.getByRole('gridcell', { name: 'x', exact: true }).click();
    await page.getByText('This text has carriage returns').waitFor();
    assert.equal(await page.getByLabel(/^lines/).isEditable(), false);
    await page.getByText('This is an empty text.').waitFor();
    for (const name of [/^other/, /^empty/]) {
      await page.getByLabel(name).fill('z');
      await page.getByLabel(name).fill('');
      await page.getByText('This removes the value.').waitFor();
      await page.getByLabel(name).fill('y');
    }
    await button(page, 'Save').click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await button(page, 'Insert').click();
    await page.getByLabel(/^id/).fill('2');
    await page.evaluate("navigator.clipboard.writeText('one\\ntwo')");
    await page.getByLabel(/^lines/).focus();
    await page.keyboard.press('Control+V');
    await insert(page).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    const found = await console.command(path, { find: { filter: {} } });
    const { documents } = (found as { data: { documents: { id: number; lines: string }[] } }).data;
    const lines = documents.sort((one, other) => one.id - other.id).map((one) => one.lines);
    assert.deepEqual(lines, ['a\r\nb\rc\nd', 'one\ntwo']);
    expectQuiet(open);
  });

  it('stay in a filter that is not JSON yet', async () => {
    await console.command(space, { createCollection: { name: 'typed' } });
    const open = await console.open({ path: `/#/data${space}/typed` });
    const { page } = open;
    await button(page, 'Filter').click();
    await button(page, 'JSON').click();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"a": x');
    await button(page, 'JSON').click();
    assert.equal(await page.locator('.cm-content').textContent(), '{"a": x');
    assert.deepEqual(open.errors, []);
  });

  it('are not all deleted by a link with an empty filter', async () => {
    await console.command(space, { createCollection: { name: 'whole' } });
    await console.command(`${space}/whole`, { insertOne: { document: { a: 'x' } } });
    const { page } = await console.open({ path: `/#/data${space}/whole?filter={}` });
    await page.getByRole('gridcell', { name: 'x', exact: true }).waitFor();
    await button(page, 'Filter').click();
    await button(page, 'Apply').waitFor();
    assert.equal(await page.getByText('that match…').count(), 0);
  });
});
