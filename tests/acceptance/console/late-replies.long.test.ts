// Replies that come when something else is shown, and keys and buttons that are pressed more often than meant.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { askOps } from '../ops-client.js';
import { useConsole, withoutBrowser } from './open-console.js';
import { fillWithSamples } from './sample-data.js';

const books = '/#/data/default_keyspace/sample_books';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog');

/** Holds the requests that `isHeld` picks until they are continued: by the text of their body, and their method. */
async function hold(page: Page, isHeld: (body: string, method: string) => boolean) {
  const held: Route[] = [];
  await page.route('**/*', (route) => {
    const request = route.request();
    if (isHeld(request.postData() ?? '', request.method())) held.push(route);
    else void route.fallback();
  });
  /** Presses, and waits until the request is on its way. */
  const press = async (pressed: Locator) => {
    const count = held.length;
    await pressed.click();
    while (held.length === count) await page.waitForTimeout(10);
  };
  return { held, press };
}

describe('late replies', { skip: withoutBrowser }, () => {
  const console = useConsole();
  before(() => fillWithSamples(console.command));

  it('to a drop and to a sample leave the form that was opened since', async () => {
    const { page } = await console.open({ path: '/#/data/empty' });
    const { held, press } = await hold(page, (body) => /"(createTable|dropTable)"/.test(body));
    await press(button(page, 'Load a sample table'));
    await button(page, 'Create a table or collection').click();
    await page.getByLabel('Name', { exact: true }).fill('typed');
    await held.pop()?.continue();
    await page.getByText('Loaded the sample table sample_books.').waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'typed');
    await page.goto(`${console.server.opsUrl}/#/data/empty/sample_books`);
    await button(page, 'Discard the changes').click();
    await button(page, 'Drop').click();
    await dialogOf(page).getByRole('textbox').fill('sample_books');
    await press(button(page, 'Drop the table'));
    await page.keyboard.press('Escape');
    await page.goto(`${console.server.opsUrl}${books}?open=insert`);
    await page.getByLabel(/^title/).fill('typed');
    await held.pop()?.continue();
    await page.getByText('Dropped the table sample_books.').waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'typed');
  });

  it('to a question leave the next one', async () => {
    for (const name of ['first', 'second'])
      await askOps(console.server, `/local/embedding-keys/${name}`, {
        method: 'PUT',
        body: { providerKey: 'secret' },
      });
    const { page } = await console.open({ path: '/#/keys' });
    const { held, press } = await hold(page, (_, method) => method === 'DELETE');
    await button(page, 'Remove the key first').click();
    await dialogOf(page).getByRole('textbox').fill('first');
    await press(button(page, 'Remove'));
    await page.keyboard.press('Escape');
    await button(page, 'Remove the key second').click();
    await held.pop()?.continue();
    await page.getByText('The key first is removed').waitFor();
    await page.getByRole('heading', { name: 'Remove the key second' }).waitFor();
  });

  it('leave a form that Forward opened again, and closing says what was sent', async () => {
    const { page } = await console.open({ path: books });
    const { held, press } = await hold(page, (body) => body.includes('"insertMany"'));
    await button(page, 'Insert').click();
    await page.getByLabel(/^title/).fill('Emma');
    await press(dialogOf(page).getByRole('button', { name: 'Insert' }));
    await page.evaluate('history.back()');
    await page.getByRole('heading', { name: 'Close before it is saved?' }).waitFor();
    await button(page, 'Close the form').click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.evaluate('history.forward()');
    await page.getByLabel(/^title/).fill('Persuasion');
    await held.pop()?.continue();
    await page.getByText('Inserted the row.').waitFor();
    assert.equal(await page.getByLabel(/^title/).inputValue(), 'Persuasion');
  });

  it('say that nothing was sent where a closed form finds another change', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Walden' }).click();
    await page.getByLabel(/^author/).fill('H. D. Thoreau');
    const { held, press } = await hold(page, (body) => body.includes('"findOne"'));
    await console.command('/default_keyspace/sample_books', {
      updateOne: { filter: { title: 'Walden' }, update: { $set: { author: 'Thoreau' } } },
    });
    await press(button(page, 'Save'));
    await page.keyboard.press('Escape');
    await button(page, 'Close the form').click();
    await held.pop()?.continue();
    await page.getByText(/^Failed in the background: Nothing was sent\. This row was changed/).waitFor();
  });

  it('of a preview do not let a rule be saved twice', async () => {
    const { page } = await console.open({ path: '/#/alerts?tab=rules&open=new-rule' });
    await page.getByLabel('Threshold').fill('7');
    const { held, press } = await hold(page, (_, method) => method === 'POST');
    await press(dialogOf(page).getByRole('button', { name: 'Create', exact: true }));
    await button(page, 'Preview the last day').click({ force: true });
    await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).click({ force: true });
    await page.waitForTimeout(100);
    assert.equal(held.length, 1);
  });
});

describe('keys and buttons pressed again', { skip: withoutBrowser }, () => {
  const console = useConsole();
  before(() => fillWithSamples(console.command));

  it('do not answer the warning that the first press led to', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Walden' }).click();
    await page.getByLabel(/^author/).fill('H. D. Thoreau');
    await console.command('/default_keyspace/sample_books', {
      updateOne: { filter: { title: 'Walden' }, update: { $set: { author: 'Thoreau' } } },
    });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    const isUpdated = () => sent.some((body) => body.includes('"updateOne"'));
    await button(page, 'Save').hover();
    await page.mouse.down({ clickCount: 1 });
    await page.mouse.up({ clickCount: 1 });
    await button(page, 'Save anyway').waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.waitForTimeout(100);
    assert.equal(isUpdated(), false);
    // Repeated by the keyboard as long as it is held.
    await page.getByLabel(/^author/).focus();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.getByText('Saved the row.').waitFor();
    assert.equal(sent.filter((body) => body.includes('"updateOne"')).length, 1);
  });

  it('keep what is typed in the JSON editor faster than it is drawn', async () => {
    const { page } = await console.open({ path: `${books}?open=insert&as=json` });
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+A');
    await page.evaluate(`(async () => {
      for (const text of '[1234567890') {
        document.execCommand('insertText', false, text);
        await new Promise((resolve) => setTimeout(resolve));
      }
    })()`);
    assert.equal(await page.locator('.cm-content').textContent(), '[1234567890');
  });

  it('do not send a form that a held key opened', async () => {
    const { page } = await console.open({ path: books });
    await page.getByRole('gridcell', { name: 'Walden' }).click();
    await page.getByLabel(/^price/).fill('1');
    await page.getByLabel(/^price/).focus();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await console.command('/default_keyspace/sample_books', {
      updateOne: { filter: { title: 'Walden' }, update: { $set: { price: 2 } } },
    });
    await page.keyboard.down('Enter');
    await button(page, 'Save anyway').waitFor();
    await page.keyboard.down('Enter');
    await page.waitForTimeout(100);
    await page.keyboard.up('Enter');
    assert.equal(sent.filter((body) => body.includes('"updateOne"')).length, 0);
  });
});
