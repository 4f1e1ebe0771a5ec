// Checks that an encrypted file can be read only with its key, and that changes of the file are detected.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type KeySource, openEncryptedFile } from './encrypted-file.js';

const directories: string[] = [];
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'encrypted-file-'));
  directories.push(directory);
  return directory;
}

const option = '--the-secret';
const keyFile: KeySource = { kind: 'file', fileName: 'a.key', option };
const secret = (text: string): KeySource => ({ kind: 'secret', secret: text, option });

describe('an encrypted file', () => {
  for (const [name, source] of [
    ['a key file', keyFile],
    ['a secret', secret('s3cret')],
  ] as const) {
    it(`returns what was stored, also when it is opened again, with ${name}`, () => {
      const directory = newDirectory();
      const file = openEncryptedFile(directory, 'a.enc', source);
      assert.equal(file.read(), undefined);
      assert.deepEqual(readdirSync(directory), []);
      for (const content of ['first content', '', 'second']) {
        file.replace(Buffer.from(content));
        assert.equal(file.read()?.toString(), content);
        assert.equal(openEncryptedFile(directory, 'a.enc', source).read()?.toString(), content);
      }
    });
  }

  it('shows nothing of its content, and is never the same twice', () => {
    const directory = newDirectory();
    const file = openEncryptedFile(directory, 'a.enc', keyFile);
    const texts = [1, 2].map(() => {
      file.replace(Buffer.from('providerKey: sk-0123456789'));
      return readFileSync(join(directory, 'a.enc'), 'utf8');
    });
    assert.notEqual(texts[0], texts[1]);
    for (const text of texts) {
      const { content } = JSON.parse(text) as { content: string }; // as it was written
      assert.ok(!text.includes('sk-0123'));
      assert.ok(!Buffer.from(content, 'base64').includes('sk-0123'));
    }
  });

  it('is for its owner only, as its key file is', () => {
    const directory = newDirectory();
    openEncryptedFile(directory, 'a.enc', keyFile).replace(Buffer.from('x'));
    for (const name of ['a.enc', 'a.key'])
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    assert.deepEqual(readdirSync(directory).sort(), ['a.enc', 'a.key']);
  });

  it('refuses another key, and says which option is meant', () => {
    const directory = newDirectory();
    openEncryptedFile(directory, 'a.enc', secret('one')).replace(Buffer.from('x'));
    assert.throws(
      () => openEncryptedFile(directory, 'a.enc', secret('two')),
      /--the-secret is not the secret/,
    );
    assert.throws(() => openEncryptedFile(directory, 'a.enc', keyFile), /set it with --the-secret/);

    const other = newDirectory();
    openEncryptedFile(other, 'a.enc', keyFile).replace(Buffer.from('x'));
    assert.throws(() => openEncryptedFile(other, 'a.enc', secret('one')), /start without --the-secret/);
    rmSync(join(other, 'a.key'));
    assert.throws(() => openEncryptedFile(other, 'a.enc', keyFile), /its key file a\.key does not: restore/);
    writeFileSync(join(other, 'a.key'), Buffer.alloc(32));
    assert.throws(() => openEncryptedFile(other, 'a.enc', keyFile), /its key file is a different one/);
  });

  it('notices every change of the file', () => {
    const directory = newDirectory();
    const path = join(directory, 'a.enc');
    openEncryptedFile(directory, 'a.enc', keyFile).replace(Buffer.from('content'));
    const text = readFileSync(path, 'utf8');
    const sealed = JSON.parse(text) as Record<string, string>; // as it was written
    for (const name of ['salt', 'iv', 'tag', 'content']) {
      const bytes = Buffer.from(sealed[name] ?? '', 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      writeFileSync(path, JSON.stringify({ ...sealed, [name]: bytes.toString('base64') }));
      assert.throws(() => openEncryptedFile(directory, 'a.enc', keyFile), /cannot be decrypted/, name);
    }
    for (const damaged of [text.slice(0, 30), '{}', '{"version":2}', 'null', '']) {
      writeFileSync(path, damaged);
      assert.throws(() => openEncryptedFile(directory, 'a.enc', keyFile), /is damaged/, damaged);
    }
    writeFileSync(path, text);
    assert.equal(openEncryptedFile(directory, 'a.enc', keyFile).read()?.toString(), 'content');
  });
});
