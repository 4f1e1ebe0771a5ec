// The key store over the operations port: names come out, secrets never do.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOpsThread } from '../../src/bin/ops/answer-ops-thread.js';
import { openKeyStore } from '../../src/data-service/embedding/key-store.js';
import { openEncryptedFile } from '../../src/foundation/secrets/encrypted-file.js';
import { createMetrics } from '../../src/foundation/telemetry/metrics.js';
import { noTurns } from '../../src/foundation/telemetry/turn-watch.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { openOps } from './open-ops.js';

const path = '/local/embedding-keys';

function openWithStore(args: readonly string[] = []) {
  const keyFile = { kind: 'file', fileName: 'k.key', option: '--key-store-secret' } as const;
  const store = openKeyStore(openEncryptedFile(makeTemporaryDirectory(), 'k.enc', keyFile));
  const answers = answerOpsThread({
    metrics: createMetrics(),
    keyStore: store,
    dataServer: () => ({
      connectionCount: () => 0,
      turns: () => noTurns,
      workerMetrics: async () => [],
      takeFigures: () => assert.fail('nothing asks for figures here'),
      runNative: () => assert.fail('nothing runs statements here'),
      passCommand: () => assert.fail('nothing sends commands here'),
      maintain: undefined,
      keysChanged: async () => {},
      noteOpsProblem: () => {},
      url: 'http://127.0.0.1:8181',
    }),
  });
  return { store, ...openOps({ args, answers }) };
}

describe('the key store over the operations port', () => {
  const { ask, store } = openWithStore();

  it('stores, lists and deletes entries, and gives no secret', async () => {
    assert.deepEqual((await ask({ path })).body, []);
    const put = (name: string, body: object) => ask({ method: 'PUT', path: `${path}/${name}`, body });
    assert.deepEqual(
      [(await put('b', { providerKey: 'sk-1' })).text, (await put('a', aws)).status],
      ['null', 200],
    );
    assert.deepEqual((await put('b', { providerKey: 'sk-2' })).status, 200);
    assert.deepEqual(store.get('b')?.secrets, { providerKey: 'sk-2' });
    assert.deepEqual((await ask({ path })).body, ['a', 'b']);
    assert.deepEqual((await ask({ path: `${path}/a` })).body, {
      name: 'a',
      secrets: ['accessId', 'secretKey'],
    });
    assert.deepEqual((await ask({ method: 'DELETE', path: `${path}/a` })).text, 'null');
    assert.deepEqual((await ask({ path })).body, ['b']);
  });

  const aws = { accessId: 'AKID', secretKey: 's/1+2' };

  it('shows for which providers an entry is', async () => {
    const body = { providerKey: 'sk-2', providers: ['openai'] };
    assert.equal((await ask({ method: 'PUT', path: `${path}/b`, body })).status, 200);
    const shown = { name: 'b', secrets: ['providerKey'], providers: ['openai'] };
    assert.deepEqual((await ask({ path: `${path}/b` })).body, shown);
  });

  it('records who changed what, without the secret', async () => {
    const { body, text } = await ask({ path: '/local/events?count=4' });
    const events = body as { action: number; message: string }[]; // the schema of the route
    assert.deepEqual(
      events.map(({ action, message }) => [action, message]),
      [
        [1042, 'stored the embedding key b'],
        [1042, 'deleted the embedding key a'],
        [1042, 'stored the embedding key b'],
        [1042, 'stored the embedding key a'],
      ],
    );
    assert.doesNotMatch(text, /sk-/);
  });

  it('answers 404 for an entry that does not exist, and for other clusters', async () => {
    for (const method of ['GET', 'DELETE'])
      assert.equal((await ask({ method, path: `${path}/nobody` })).status, 404, method);
    assert.equal((await ask({ path: '/other/embedding-keys' })).status, 404);
  });

  it('reports every problem of an entry, and shows no value', async () => {
    const body = { providerKey: 'has a blank s3cret', more: 's3cret' };
    const reply = await ask({ method: 'PUT', path: `${path}/a.b`, body });
    assert.equal(reply.status, 400);
    const { details } = reply.body as { details: { path: string }[] }; // the form of errors
    assert.deepEqual(
      details.map((detail) => detail.path),
      ['name', 'more', 'providerKey'],
    );
    assert.doesNotMatch(reply.text, /s3cret/);
    for (const wrong of ['[]', '7', '', '{'])
      assert.equal((await ask({ method: 'PUT', path: `${path}/c`, body: wrong })).status, 400, wrong);
    assert.deepEqual(store.names(), ['b']);
  });
});

describe('the key store of a server with a token', () => {
  const { ask, store } = openWithStore(['--token', 'T']);

  it('takes changes with the token only', async () => {
    const put = (headers: Record<string, string>) =>
      ask({ method: 'PUT', path: `${path}/a`, body: { providerKey: 'k' }, headers });
    assert.equal((await put({})).status, 401);
    assert.deepEqual(store.names(), []);
    assert.equal((await put({ token: 'T' })).status, 200);
    assert.equal((await ask({ method: 'DELETE', path: `${path}/a` })).status, 401);
    assert.deepEqual(store.names(), ['a']);
  });
});
