// The samples and forms of the console: by a local model where the server has one, otherwise by the built-in provider.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeStaticModel } from '../../local-models/model-files.js';
import { makeTemporaryDirectory } from '../start-server.js';
import { type ConsoleUnderTest, expectQuiet, useConsole, withoutBrowser } from './open-console.js';

async function expectSample(console: ConsoleUnderTest, words: string, service: RegExp): Promise<void> {
  const open = await console.open();
  await open.page.getByRole('button', { name: 'Load a sample table', exact: true }).click();
  await open.page.getByText(`Loaded the sample table sample_books. ${words}`).waitFor();
  await open.page.getByRole('gridcell', { name: 'Moby-Dick' }).waitFor();
  const listed = await console.command('/default_keyspace', { listTables: { options: { explain: true } } });
  assert.match(JSON.stringify(listed), service);
  expectQuiet(open);
}

describe('the samples of a server with a local model', { skip: withoutBrowser }, () => {
  const console = useConsole(() => {
    const directory = makeTemporaryDirectory();
    writeStaticModel(directory, 'words');
    return { args: ['--models', directory] };
  });

  it('use it, and say so', () =>
    expectSample(
      console,
      'Its search uses the local model words.',
      /"dimension":4,"service":\{"provider":"local","modelName":"words"/,
    ));

  it('forms offer it beside the built-in provider', async () => {
    const open = await console.open({ path: '/#/data/default_keyspace?open=create' });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Name', { exact: true }).fill('formed');
    await dialog.getByLabel('Kind').selectOption('collection');
    await dialog.getByText('The built-in provider compares letters and words, not meaning.').waitFor();
    await dialog.getByLabel('Model').selectOption('words');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'formed' }).waitFor();
    const listed = await console.command('/default_keyspace', {
      findCollections: { options: { explain: true } },
    });
    assert.match(JSON.stringify(listed), /"dimension":4,.*"provider":"local","modelName":"words"/);
    expectQuiet(open);
  });

  it('forms of columns leave its dimension to the server', async () => {
    const open = await console.open({ path: '/#/data/default_keyspace?open=create' });
    const { page } = open;
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Name', { exact: true }).fill('columned');
    await dialog.getByLabel('Column', { exact: true }).last().fill('v');
    await dialog.getByLabel('Type').last().selectOption('vector with embeddings');
    await dialog.getByLabel('Dimension').waitFor();
    await dialog.getByLabel('Model').selectOption('words');
    assert.equal(await dialog.getByLabel('Dimension').count(), 0);
    await dialog.getByLabel('Column', { exact: true }).first().fill('id');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('There are no rows yet').waitFor();
    const listed = await console.command('/default_keyspace', { listTables: { options: { explain: true } } });
    assert.match(JSON.stringify(listed), /"columned".*"dimension":4,"service":\{"provider":"local"/);
    expectQuiet(open);
  });
});

describe('the samples of a server without a local model', { skip: withoutBrowser }, () => {
  const console = useConsole();

  it('use the built-in provider, and say what it compares', () =>
    expectSample(
      console,
      'Its search compares letters and words, not meaning.',
      /"provider":"colonnade","modelName":"hashed-ngrams"/,
    ));
});
