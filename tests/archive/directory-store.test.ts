// Archives in a directory.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openStore, problemOfAddress } from '../../src/archive/stores/archive-address.js';
import { StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { describeStore } from './describe-store.js';

const random = () => randomBytes(8).toString('hex');

describe('an archive in a directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-archive-'));
  after(() => rmSync(directory, { recursive: true }));

  describe('keeps', () => describeStore(() => new DirectoryStore(join(directory, 'kept'), random)));

  it('does not show what a killed process left behind', async () => {
    const path = join(directory, 'left');
    mkdirSync(path);
    writeFileSync(join(path, `x.${random()}.unfinished`), 'half');
    const store = new DirectoryStore(path, random);
    assert.deepEqual(await store.list('', { limit: 10 }), []);
    await store.write('x', Buffer.from('whole'));
    assert.deepEqual(await store.list('', { limit: 10 }), ['x']);
  });

  it('removes a folder with what a killed process left there', async () => {
    const path = join(directory, 'left-behind');
    const store = new DirectoryStore(path, random);
    await store.write('generations/a/x', Buffer.from('x'));
    writeFileSync(join(path, 'generations/a', `y.${random()}.unfinished`), 'half');
    await store.remove('generations/a/x');
    assert.ok(!existsSync(join(path, 'generations')));
  });

  it('is refused in words if it is a file', async () => {
    const path = join(directory, 'file');
    writeFileSync(path, '');
    const store = new DirectoryStore(path, random);
    const calls = [
      () => store.read('archive.json'),
      () => store.list('', { limit: 10 }),
      () => store.folders('generations/'),
      () => store.write('lease/1', Buffer.from('1')),
    ];
    const isFile = (error: Error) =>
      error instanceof StoreFailure && /file is a file: give the/.test(error.message);
    for (const call of calls) await assert.rejects(call(), isFile);
    // Another file in the way is named by the system.
    await assert.rejects(new DirectoryStore(join(path, 'x'), random).read('y'), /ENOTDIR/);
  });

  it('does not appear again where its disk was', async () => {
    const path = join(directory, 'disk');
    const store = new DirectoryStore(path, random);
    await store.write('a/x', Buffer.from('1'));
    renameSync(path, join(directory, 'away'));
    await assert.rejects(store.write('a/y', Buffer.from('2')), StoreFailure);
    renameSync(join(directory, 'away'), path);
    await store.write('a/y', Buffer.from('2'));
    assert.deepEqual(await store.list('', { limit: 10 }), ['a/x', 'a/y']);
  });

  it('is opened by its address', async () => {
    const surroundings = { send: sendRequest, clock: systemClock, random };
    const store = await openStore({ archive: join(directory, 'address') }, surroundings);
    assert.equal(store.title, join(directory, 'address'));
    const s3 = { archive: 's3://some-bucket/a/b/', accessKey: 'x', secretKey: 'y' };
    assert.equal((await openStore(s3, surroundings)).title, 's3://some-bucket/a/b');
    for (const archive of [
      's3://Bucket',
      'S3://bucket',
      'file:///srv/archive',
      'https://host/archive',
      's3:x',
    ])
      assert.match(problemOfAddress({ archive }) ?? '', /must be a directory or s3:/);
    assert.equal(problemOfAddress({ archive: 'a:b' }), undefined);
    assert.match(problemOfAddress({ archive: 's3://bucket' }) ?? '', /needs --archive-access-key/);
    assert.equal(problemOfAddress({ archive: 'somewhere' }), undefined);
  });
});
