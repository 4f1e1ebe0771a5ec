// What the console copies runs as it is: in a shell, with astra-db-ts, and with astrapy where a Python has it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { projectRoot } from '../../tidy/read-sources.js';
import { useConsole, withoutBrowser } from './open-console.js';
import { fillWithSamples } from './sample-data.js';

const run = promisify(execFile);
const python = process.env['ASTRAPY_PYTHON'];
const books = '/#/data/default_keyspace/sample_books';
const recipes = '/#/data/default_keyspace/sample_recipes';

/** The ways to run a text; the result is what it prints. */
const ways: Readonly<Record<string, (text: string) => Promise<string>>> = {
  curl: async (text) => {
    const { stdout } = await run('sh', ['-c', text]);
    assert.doesNotMatch(stdout, /"errors":/);
    return stdout;
  },
  TypeScript: async (text) => {
    // Inside the project, where the client is found. The texts use no types, so they are JavaScript too.
    const path = join(projectRoot, 'dist', `snippet-${process.pid}.mjs`);
    writeFileSync(path, text);
    try {
      return (await run(process.execPath, [path])).stdout;
    } finally {
      rmSync(path);
    }
  },
  ...(python === undefined ? {} : { Python: async (text) => (await run(python, ['-c', text])).stdout }),
};

async function copied(page: Page, place: Locator, form: string): Promise<string> {
  await place.getByRole('button', { name: form, exact: true }).click();
  await place.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Copied.').waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

describe('copied commands', { skip: withoutBrowser }, () => {
  const console = useConsole({ args: ['--dialect', 'extended'] });
  before(() => fillWithSamples(console.command));

  const filter = { author: 'H. G. Wells', title: { $ne: `it's "so" \\ $HOME` } };
  const readings = [
    {
      of: 'a table',
      path: `${books}?filter=${encodeURIComponent(JSON.stringify(filter))}&sort=%7B%22price%22%3A-1%7D`,
      prints: /War of the Worlds[\s\S]*Time Machine/,
    },
    { of: 'vectors', path: `${books}?search=a+voyage+by+sea`, prints: /Twenty Thousand/ },
    { of: 'documents', path: `${recipes}?filter=%7B%22tags%22%3A%22vegan%22%7D`, prints: /Lentil/ },
    { of: 'similar texts', path: `${recipes}?search=lentils+with+coconut`, prints: /Lentil/ },
    { of: 'words', path: `${recipes}?by=text&search=lentils`, prints: /Lentil/ },
    { of: 'both', path: `${recipes}?by=hybrid&search=lentils`, prints: /Lentil/ },
  ];
  for (const { of, path, prints } of readings)
    it(`read ${of}`, async () => {
      const { page, context } = await console.open({ path });
      await page.getByRole('gridcell').first().waitFor();
      await page.getByRole('button', { name: 'Command', exact: true }).click();
      for (const [form, runText] of Object.entries(ways))
        assert.match(
          await runText(await copied(page, page.locator('.panel .command-forms'), form)),
          prints,
          form,
        );
      await context.close();
    });

  /** Runs what a dialog would send, in each form; `undo` before the next one. */
  async function runDialog(page: Page, check: (form: string) => Promise<void>): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.locator('.command > summary').click();
    for (const [form, runText] of Object.entries(ways)) {
      await runText(await copied(page, dialog, form));
      await check(form);
    }
  }

  it('insert a row with quotes', async () => {
    const title = `it's "so" \\ $HOME`;
    const { page } = await console.open({ path: books });
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page.getByLabel(/^title/).fill(title);
    await page.getByLabel(/^published/).fill('2001-02-03');
    await page.getByLabel(/^price/).fill('12.34');
    await page.getByLabel(/^about_vector/).fill('quotes');
    await runDialog(page, async (form) => {
      const found = await console.command('/default_keyspace/sample_books', {
        findOne: { filter: { title } },
      });
      assert.match(JSON.stringify(found), /"published":"2001-02-03","price":12\.34/, form);
      await console.command('/default_keyspace/sample_books', { deleteOne: { filter: { title } } });
    });
  });

  for (const kind of ['table', 'collection'] as const)
    it(`create a ${kind}`, async () => {
      const { page } = await console.open({ path: '/#/data/empty' });
      await page.getByRole('button', { name: 'Create a table or collection' }).click();
      await page.getByLabel('Kind').selectOption(kind);
      await page.getByLabel('Name', { exact: true }).fill('made');
      const [list, drop] =
        kind === 'table' ? ['listTables', 'dropTable'] : ['findCollections', 'deleteCollection'];
      await runDialog(page, async (form) => {
        assert.match(JSON.stringify(await console.command('/empty', { [list]: {} })), /"made"/, form);
        await console.command('/empty', { [drop]: { name: 'made' } });
      });
    });
});
