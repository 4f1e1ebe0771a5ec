// Checks which token an import sends to the server from which it reads.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readFromOptions } from './from-options.js';
import type { MoveOptions } from './move-options.js';

const variable = 'COLONNADE_FROM_TOKEN';
const options: MoveOptions = {
  place: 'http://h:1',
  address: { url: 'http://h:2', token: undefined, retries: 0, advice: { url: '', token: '', keyspace: '' } },
  keyspace: undefined,
  tables: undefined,
  allowsUnsupported: false,
  isJson: false,
  isQuiet: false,
};

function tokenWith(given: Readonly<Record<string, string>>): string | undefined {
  const texts = new Map(Object.entries({ from: 'http://h:1', ...given }));
  const values = { text: (name: string) => texts.get(name), list: () => undefined, flag: () => false };
  const found = readFromOptions(options, values);
  assert.ok(typeof found === 'object', String(found));
  return found.address.token;
}

function configFile(test: TestContext, content: unknown): string {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-'));
  test.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'config.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

describe('the token for the server from which an import reads', () => {
  it('is that of the option, else of the variable, else of the file', (test) => {
    const file = configFile(test, { token: 'from-file' });
    test.after(() => delete process.env[variable]);
    assert.equal(tokenWith({}), undefined);
    assert.equal(tokenWith({ 'from-config': file }), 'from-file');
    process.env[variable] = 'from-variable';
    assert.equal(tokenWith({}), 'from-variable');
    assert.equal(tokenWith({ 'from-config': file }), 'from-variable');
    assert.equal(tokenWith({ 'from-config': configFile(test, {}) }), 'from-variable');
    assert.equal(tokenWith({ 'from-config': file, 'from-token': 'from-option' }), 'from-option');
  });
});
