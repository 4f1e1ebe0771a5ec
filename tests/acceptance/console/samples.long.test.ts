// The samples of the console: by a local model where the server has one, otherwise by the built-in provider.
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
