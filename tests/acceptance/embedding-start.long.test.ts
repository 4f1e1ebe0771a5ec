// What the options about embeddings do at the start: files that cannot be used, secrets that do not fit, regions.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { send } from './between-servers.js';
import { makeTemporaryDirectory, runColonnade, startServer } from './start-server.js';

async function providersOf(args: readonly string[]): Promise<readonly string[]> {
  const server = await startServer({ args });
  const reply = await sendRequest({
    method: 'POST',
    url: `${server.url}/v1`,
    headers: { 'content-type': 'application/json' },
    body: '{"findEmbeddingProviders":{}}',
    timeoutMs: 20_000,
    maxBodyBytes: 1_000_000,
  });
  await server.stop();
  const { status } = JSON.parse(reply.body.toString()) as { status: { embeddingProviders: object } }; // it succeeds
  return Object.keys(status.embeddingProviders);
}

describe('the start of a server', () => {
  it('ends with 2 and every problem of a providers file', async () => {
    const directory = makeTemporaryDirectory();
    const file = join(directory, 'providers.json');
    const start = (path: string) =>
      runColonnade([
        'serve',
        '--data-dir',
        join(directory, 'data'),
        '--port=0',
        '--ops-port=0',
        '--providers-file',
        path,
      ]);
    writeFileSync(file, '{"providers":{"openai":{"enabled":"no","color":1},"mine":{"url":"http://h/"}}}');
    const { code, stderr, stdout } = await start(file);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /3 problems in the configuration/);
    for (const problem of ['"enabled", which must be true or false', 'unknown member "color"', '"mine"'])
      assert.ok(stderr.includes(problem), `${problem} is not in ${stderr}`);
    const missing = await start(join(directory, 'nothing.json'));
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /nothing\.json, which cannot be read/);
  });

  it('is the only reading of the providers file: large requests use what small ones do', async () => {
    const file = join(makeTemporaryDirectory(), 'providers.json');
    writeFileSync(file, '{"providers":{"openai":{"enabled":false}}}');
    const server = await startServer({ args: ['--providers-file', file] });
    writeFileSync(file, '{');
    await send(server.url, '/default_keyspace', '{"createCollection":{"name":"c"}}');
    const documents = Array.from({ length: 60 }, (_, id) => ({ _id: id, text: 'x'.repeat(4000) }));
    await send(server.url, '/default_keyspace/c', JSON.stringify({ insertMany: { documents } }));
    await server.stop();
  });

  it('offers the built-in provider in its regions only', async () => {
    assert.ok((await providersOf([])).includes('colonnade'));
    const elsewhere = await providersOf(['--region', 'eu-west-1']);
    assert.ok(!elsewhere.includes('colonnade') && elsewhere.includes('openai'));
  });

  it('ends with 1 when the key store was written with another secret', async () => {
    const dataDir = makeTemporaryDirectory();
    const server = await startServer({ dataDir, args: ['--key-store-secret', 'first'] });
    const set = await runColonnade(['keys', 'set', 'a', '--ops-url', server.opsUrl], {}, 'sk-1');
    assert.equal(set.code, 0, set.stderr);
    await server.stop();
    const start = (args: readonly string[]) =>
      runColonnade(['serve', '--data-dir', dataDir, '--port=0', '--ops-port=0', ...args]);
    const wrong = await start(['--key-store-secret', 'second']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /--key-store-secret is not the secret it was written with/);
    const none = await start([]);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /set it with --key-store-secret/);
    for (const { stderr } of [wrong, none]) assert.doesNotMatch(stderr, /second|sk-1/);
    const again = await startServer({ dataDir, args: ['--key-store-secret', 'first'] });
    const list = await runColonnade(['keys', 'list', '--ops-url', again.opsUrl]);
    await again.stop();
    assert.equal(list.stdout, 'a\n');
  });
});
