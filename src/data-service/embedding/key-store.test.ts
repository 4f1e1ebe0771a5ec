// Checks which entries the key store accepts, and that it returns only entries that are on disk.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EncryptedFile } from '../../foundation/secrets/encrypted-file.js';
import { openKeyStore } from './key-store.js';

/** A file in memory; a full disk is the only failure. */
function memoryFile(): EncryptedFile & { isFull: boolean } {
  let content: Buffer | undefined;
  return {
    isFull: false,
    read: () => content,
    replace(next) {
      if (this.isFull) throw new Error('no space left on device');
      content = Buffer.from(next);
    },
  };
}

describe('the key store', () => {
  it('keeps entries under names, lists the names and keeps them when it is opened again', () => {
    const file = memoryFile();
    const store = openKeyStore(file);
    assert.deepEqual(store.put('b', { providerKey: 'k1' }), []);
    assert.deepEqual(store.put('a_AWS-2', { accessId: 'i', secretKey: 's' }), []);
    assert.deepEqual(store.put('b', { providerKey: 'k2' }), []);
    for (const opened of [store, openKeyStore(file)]) {
      assert.deepEqual(opened.names(), ['a_AWS-2', 'b']);
      assert.deepEqual(opened.get('b')?.secrets, { providerKey: 'k2' });
      assert.deepEqual(opened.get('a_AWS-2'), { secrets: { accessId: 'i', secretKey: 's' } });
      assert.equal(opened.get('c'), undefined);
    }
    assert.equal(store.delete('b'), true);
    assert.equal(store.delete('b'), false);
    assert.deepEqual(openKeyStore(file).names(), ['a_AWS-2']);
  });

  it('keeps the providers of an entry, also where it is replaced without them', () => {
    const file = memoryFile();
    const store = openKeyStore(file);
    store.put('a', { providerKey: 'k1', providers: ['openai', 'ours'] });
    store.put('a', { providerKey: 'k2' });
    for (const opened of [store, openKeyStore(file)])
      assert.deepEqual(opened.get('a'), { secrets: { providerKey: 'k2' }, providers: ['openai', 'ours'] });
    store.put('a', { providerKey: 'k2', providers: ['openai'] });
    assert.deepEqual(openKeyStore(file).get('a')?.providers, ['openai']);
    for (const providers of [[], 'openai', [7], ['a b'], Array(101).fill('x'), null])
      assert.deepEqual(
        store.put('a', { providerKey: 'k3', providers }).map(({ path }) => path),
        ['providers'],
      );
  });

  it('keeps the providers of an entry that an earlier version wrote again, and reads no others as none', () => {
    const file = memoryFile();
    const holding = (providers: unknown) => {
      file.replace(Buffer.from(JSON.stringify({ a: { providerKey: 'k', providers } })));
      return openKeyStore(file).get('a')?.providers;
    };
    assert.deepEqual(holding('openai,ours'), ['openai', 'ours']);
    assert.deepEqual(holding('openai'), ['openai']);
    assert.equal(holding(undefined), undefined);
    for (const other of ['', 'openai,', 7, null, {}, [], [7]])
      assert.throws(() => holding(other), /the key store has an entry "a" of another form/);
  });

  it('keeps names that objects have', () => {
    const file = memoryFile();
    openKeyStore(file).put('__proto__', { providerKey: 'k' });
    assert.deepEqual(openKeyStore(file).names(), ['__proto__']);
    assert.equal(openKeyStore(file).get('constructor'), undefined);
  });

  it('refuses names and secrets of another form, all at once and without showing a secret', () => {
    const store = openKeyStore(memoryFile());
    const refused = (name: string, secrets: Record<string, unknown>) => {
      const problems = store.put(name, secrets);
      assert.doesNotMatch(JSON.stringify(problems), /s3cret/);
      return problems.map(({ path }) => path);
    };
    assert.deepEqual(refused('a.b', { providerKey: 's3cret key', other: 's3cret' }), [
      'name',
      'other',
      'providerKey',
    ]);
    for (const name of ['', 'a b', 'ä', 'x'.repeat(101)])
      assert.deepEqual(refused(name, { providerKey: 'k' }), ['name']);
    for (const secret of ['', 7, null, 'a\nb', 'ü', 'k'.repeat(8193)])
      assert.deepEqual(refused('a', { providerKey: secret }), ['providerKey']);
    assert.deepEqual(refused('a', {}), ['providerKey']);
    assert.deepEqual(refused('a', { accessId: 'i' }), ['secretKey']);
    assert.deepEqual(refused('a', { accessId: 'i', secretKey: 's', providerKey: 'k' }), [
      'accessId',
      'secretKey',
    ]);
    assert.deepEqual(store.names(), []);
  });

  it('changes nothing when the change cannot be written', () => {
    const file = memoryFile();
    const store = openKeyStore(file);
    store.put('a', { providerKey: 'k1' });
    file.isFull = true;
    assert.throws(() => store.put('a', { providerKey: 'k2' }), /no space left/);
    assert.throws(() => store.delete('a'), /no space left/);
    assert.deepEqual(store.get('a'), { secrets: { providerKey: 'k1' } });
  });
});
