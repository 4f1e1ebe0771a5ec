// Commands that are typed in the console, the history of them, saved results, and counts, in a real browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
const space = '/default_keyspace';
const books = `/#/data${space}/sample_books`;

/** Presses, and returns the text of the file that is saved. */
async function savedBy(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** Replaces the text of the editor. */
async function type(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

describe('commands in the console', { skip: withoutBrowser }, () => {
  const console = useConsole();
  before(() => fillWithSamples(console.command));

  it('are edited, run, and found again after the page was loaded again', async () => {
    const open = await console.open({ path: `${books}?command=find` });
    const { page } = open;
    await button(page, 'Edit and run').click();
    await page.locator('.cm-content', { hasText: '"find": {}' }).waitFor();
    await type(page, '{"find": {"filter": {"title": "Dracula"}, "projection": {"author": 1}}}');
    await page.keyboard.press('Control+Enter');
    await page.locator('.result', { hasText: '"author": "Bram Stoker"' }).waitFor();
    await expectAccessible(page);
    await type(page, '{"insertOne": {"document": {"nothing": 1}}}');
    await page.goto(`${console.server.opsUrl}${books}?command=find`);
    await button(page, 'Edit and run').click();
    const question = page.getByRole('dialog', { name: 'Replace what is typed in the editor?' });
    await question.getByText('nothing').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`${console.server.opsUrl}${books}?tab=commands`);
    await page.locator('.cm-content', { hasText: 'nothing' }).waitFor();
    await button(page, 'Run').click();
    await page.getByRole('alert').first().waitFor();
    await page.reload();
    // A link opens what was run last.
    await page.locator('.cm-content', { hasText: 'nothing' }).waitFor();
    const past = page.getByRole('region', { name: 'Commands that were run before' });
    await past.getByText('refused').waitFor();
    await past
      .getByRole('row', { name: /Dracula/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    await page.locator('.cm-content', { hasText: 'Dracula' }).waitFor();
    await button(page, 'Forget them').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget them' }).click();
    await past.waitFor({ state: 'detached' });
    expectQuiet(open);
  });

  it('ask before they delete, and are sent to the keyspace or the database, too', async () => {
    const { page } = await console.open({ path: `/#/data${space}?tab=commands` });
    await page.locator('.cm-content', { hasText: 'listTables' }).waitFor();
    await button(page, 'Run').click();
    await page.locator('.result', { hasText: 'sample_books' }).waitFor();
    await page.getByLabel('Send to').selectOption('/v1');
    await type(page, '{"dropKeyspace": {"name": "empty"}}');
    await button(page, 'Run').click();
    await page.getByText('Run dropKeyspace?').waitFor();
    await page.keyboard.press('Escape');
    await console.command('/empty', { listTables: {} });
    await button(page, 'Run').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    await page.locator('.result', { hasText: '"ok": 1' }).waitFor();
  });

  it('of a link are shown in place of what is typed, and go to the Data API only', async () => {
    const linkOf = (to: string, body: string) =>
      `/#/data${space}?tab=commands&to=${encodeURIComponent(to)}&body=${encodeURIComponent(body)}`;
    const { page } = await console.open({ path: `/#/data${space}?tab=commands` });
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    await page.locator('.cm-content', { hasText: 'listTables' }).waitFor();
    await type(page, '{"listTypes": {}}');
    const follow = (link: string) => page.evaluate(`location.hash = ${JSON.stringify(link.slice(1))}`);
    await follow(linkOf('v1', '{"findKeyspaces": {}}'));
    await page.locator('.cm-content', { hasText: 'findKeyspaces' }).waitFor();
    await follow(linkOf('v1/../../local/cql', '{"statement": "drop"}'));
    await page.getByText(/The command of this link was left out/).waitFor();
    await page.locator('.cm-content', { hasText: 'listTypes' }).waitFor();
    await button(page, 'Run').click();
    await page.locator('.result').waitFor();
    assert.deepEqual(
      sent.filter((path) => !path.startsWith('/data/v1')),
      [],
    );
    await follow(
      linkOf('v1/default_keyspace/sample_recipes', '{"findOneAndDelete": {"filter": {"_id": 0}}}'),
    );
    await page.locator('.cm-content', { hasText: 'findOneAndDelete' }).waitFor();
    await button(page, 'Run').click();
    await page.getByText('Run findOneAndDelete?').waitFor();
  });

  it('keep a bounded history, and find a command by its words', async () => {
    const { page } = await console.open({ path: `${books}?tab=commands` });
    const entries = Array.from({ length: 140 }, (_, at) => ({
      ...{ atMs: at, path: 'v1', text: `{"findKeyspaces": {}} ${at}`, isRefused: false, user: '' },
    }));
    await page.evaluate(
      `localStorage.setItem('colonnade-commands', ${JSON.stringify(JSON.stringify(entries))})`,
    );
    await page.reload();
    await page.locator('.cm-content').waitFor();
    await type(page, '{"listIndexes": {}}');
    await button(page, 'Run').click();
    await page.locator('.result').waitFor();
    const kept: unknown = await page.evaluate(
      `JSON.parse(localStorage.getItem('colonnade-commands')).length`,
    );
    assert.equal(kept, 100);
    await page.getByLabel('Find a command').fill('LISTindexes');
    const past = page.getByRole('region', { name: 'Commands that were run before' });
    await past.getByRole('row', { name: /listIndexes/ }).waitFor();
    assert.equal(await past.getByRole('row').count(), 2);
  });

  for (const size of [{ width: 1280, height: 800 }, phone])
    it(`are accessible ${size.width} pixels wide`, async () => {
      const open = await console.open({ path: `${books}?tab=commands`, size, theme: 'dark' });
      await button(open.page, 'Run').click();
      await open.page.locator('.result').waitFor();
      await expectAccessible(open.page);
      await expectNoOverflow(open.page);
      expectQuiet(open);
    });
});

describe('results of the console', { skip: withoutBrowser }, () => {
  const console = useConsole();
  before(async () => {
    const columns = { id: 'int', n: 'varint', words: 'text', tags: { type: 'list', valueType: 'text' } };
    await console.command(space, {
      createTable: { name: 'saved', definition: { columns, primaryKey: 'id' } },
    });
    const documents = Array.from({ length: 70 }, (_, id) => ({
      ...{ id, words: id === 0 ? '=1+1, "x"\n' : 'w', tags: ['a', 'b'] },
    }));
    await console.command(`${space}/saved`, { insertMany: { documents } });
    await fetch(`${console.server.url}/v1${space}/saved`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"insertOne":{"document":{"id":1000,"n":123456789012345678901234567890}}}',
    });
  });

  it('are saved as CSV and NDJSON, all that match, with every digit', async () => {
    const open = await console.open({ path: `/#/data${space}/saved` });
    const { page } = open;
    await page.getByText('50 rows so far').waitFor();
    const save = async (format: string, isEscaped: boolean) => {
      await button(page, 'Export').click();
      await page.getByLabel('Format').selectOption(format);
      if (isEscaped) await page.getByLabel(/Mark texts/).check();
      return savedBy(page, () => button(page, 'Save the file').click());
    };
    const csv = await save('CSV', false);
    assert.equal(csv.name, 'saved.csv');
    const lines = csv.text.split('\r\n');
    assert.equal(lines.length, 73);
    assert.equal(lines[0], 'id,n,words,tags');
    assert.equal(lines[1], '0,,"=1+1, ""x""\n","[""a"",""b""]"');
    assert.ok(lines.includes('1000,123456789012345678901234567890,,'));
    await page.getByText('Saved 71 rows.').waitFor();
    assert.match((await save('CSV', true)).text, /^0,,"'=1\+1/m);
    const ndjson = (await save('NDJSON', false)).text.trimEnd().split('\n');
    assert.equal(ndjson.length, 71);
    assert.ok(ndjson.some((line) => line.includes(':123456789012345678901234567890')));
    await button(page, 'Export').click();
    await page.getByLabel('What').selectOption('shown');
    const shown = await savedBy(page, () => button(page, 'Save the file').click());
    assert.equal(shown.text.split('\r\n').length, 52);
    expectQuiet(open);
  });

  it('of a collection have vectors and searched texts, and are inserted again from the file', async () => {
    const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };
    const options = { vector: { service }, lexical: { enabled: true, analyzer: 'standard' } };
    await console.command(space, { createCollection: { name: 'whole', options } });
    await console.command(space, { createCollection: { name: 'whole_again', options } });
    const document = { _id: 1, $vectorize: 'a red soup', $lexical: 'soup of tomatoes' };
    await console.command(`${space}/whole`, { insertOne: { document } });
    for (const format of ['CSV', 'NDJSON']) {
      const { page } = await console.open({ path: `/#/data${space}/whole` });
      await page.getByText('1 document').waitFor();
      await button(page, 'Export').click();
      await page.getByLabel('Format').selectOption(format);
      const file = await savedBy(page, () => button(page, 'Save the file').click());
      const insert = await console.open({ path: `/#/data${space}/whole_again?open=insert&as=file` });
      const dialog = insert.page.getByRole('dialog');
      const buffer = Buffer.from(file.text);
      await dialog
        .locator('input[type=file]')
        .setInputFiles({ name: file.name, mimeType: 'text/plain', buffer });
      await dialog.getByRole('button', { name: 'Insert 1 document' }).click();
      await dialog.getByText('Inserted 1 document.').waitFor();
      const body = { find: { filter: {}, projection: { '*': true } } };
      const [before, after] = await Promise.all(
        ['whole', 'whole_again'].map((name) => console.command(`${space}/${name}`, body)),
      );
      assert.deepEqual(after, before);
      await console.command(`${space}/whole_again`, { deleteMany: { filter: {} } });
    }
  });

  it('that are still read when the export is cancelled leave no message', async () => {
    const { page } = await console.open({ path: `/#/data${space}/saved` });
    await page.getByText('50 rows so far').waitFor();
    await button(page, 'Export').click();
    await page.route('**/data/v1/**', () => {});
    const sent = page.waitForRequest('**/data/v1/**');
    const ended = page.waitForEvent('requestfailed');
    await button(page, 'Save the file').click();
    await sent;
    await button(page, 'Cancel').click();
    await ended;
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/Failed in the background|aborted/).count(), 0);
  });

  it('count the rows and documents of each table in the list', async () => {
    await console.command(space, { createCollection: { name: 'papers' } });
    await console.command(`${space}/papers`, { insertMany: { documents: [{ a: 1 }, { a: 2 }] } });
    const { page } = await console.open({ path: `/#/data${space}` });
    const row = (name: string) =>
      page.getByRole('region', { name: 'Tables and collections' }).getByRole('row', { name });
    await row('saved').getByText('71', { exact: true }).waitFor();
    await row('papers').getByText('2', { exact: true }).waitFor();
  });
});
