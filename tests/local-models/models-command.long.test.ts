// `colonnade models`: what it lists, checks and fetches from a hub of this machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  colonnadePath,
  environmentOfTests,
  makeTemporaryDirectory,
  runColonnade,
} from '../acceptance/start-server.js';
import { writeReranker, writeTransformer } from './graph-files.js';
import { floats, rows, safetensorsFile, tokenizer, tokens, writeStaticModel } from './model-files.js';
import { type HubFile, type ModelHub, startHub } from './model-hub.js';

/** More than one part of 8 MiB: rows that no token uses. */
const weights = safetensorsFile({
  embeddings: floats([...rows, ...Array.from({ length: 600_000 - tokens.length }, () => [0, 0, 0, 1])]),
});
const sha256 = createHash('sha256').update(weights).digest('hex');
const json = (value: unknown) => ({ content: Buffer.from(JSON.stringify(value)) });

function filesWith(changes: Readonly<Record<string, HubFile | undefined>>): ReadonlyMap<string, HubFile> {
  const files = {
    'config.json': json({ normalize: true }),
    'tokenizer.json': json(tokenizer),
    'model.safetensors': { content: weights },
    ...changes,
  };
  return new Map(Object.entries(files).flatMap(([path, file]) => (file === undefined ? [] : [[path, file]])));
}

async function hubFor(test: TestContext, changes: Parameters<typeof filesWith>[0] = {}): Promise<ModelHub> {
  const hub = await startHub(filesWith(changes));
  test.after(() => hub.close());
  return hub;
}

const run = (directory: string, ...args: readonly string[]) =>
  runColonnade(['models', ...args, '--models', directory]);

function fetching(directory: string, url: string, ...more: readonly string[]) {
  return run(directory, 'fetch', url, '--name', 'words', ...more);
}

/** Sends a signal to a command that waits for the rest of the weights; the result is its exit code. */
async function endInTheMiddle(test: TestContext, directory: string, signal: NodeJS.Signals) {
  const hub = await hubFor(test, { 'model.safetensors': { content: weights, fault: 'silent' } });
  const args = ['models', 'fetch', hub.url, '--name', 'words', '--sha256', sha256, '--models', directory];
  const child = spawn(process.execPath, [colonnadePath, ...args], {
    env: environmentOfTests(),
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  await hub.held;
  child.kill(signal);
  return ended;
}

describe('colonnade models fetch', () => {
  it('fetches a model in parts behind redirects; list and check show it', async (test) => {
    const directory = join(makeTemporaryDirectory(), 'new');
    const hub = await hubFor(test);
    const { code, stdout, stderr } = await fetching(directory, hub.url, '--sha256', sha256.toUpperCase());
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^words {2}words {2}4 dimensions {2}9\.6 MB {2}fingerprint [0-9a-f]{32}\n$/);
    assert.deepEqual(hub.asked.slice(-2), [
      'model.safetensors bytes=0-8388607',
      'model.safetensors bytes=8388608-16777215',
    ]);
    assert.deepEqual(readdirSync(directory), ['words']);
    assert.equal((await run(directory, 'list')).stdout, stdout);
    assert.match((await run(directory, 'check')).stdout, /words .* can be used/);
    const listed = JSON.parse((await run(directory, 'list', '--json')).stdout) as {
      models: { fingerprint: string }[];
    }; // the form of the command
    const fingerprint = listed.models[0]?.fingerprint ?? '';
    const before = hub.asked.length;
    const again = await fetching(directory, hub.url, '--fingerprint', fingerprint);
    assert.equal(again.code, 1);
    assert.equal(hub.asked.length, before);
    assert.match(again.stderr, /words exists already: remove it first/);
    assert.deepEqual(readdirSync(directory), ['words']);
  });

  it('fetches a transformer and a reranker with the settings that they have', async (test) => {
    const directory = makeTemporaryDirectory();
    const source = makeTemporaryDirectory();
    writeTransformer(source, 't', { 'sentence_bert_config.json': { max_seq_length: 7 } });
    writeReranker(source, 'r', { 'onnx/model.onnx': undefined, 'model.onnx': { inputs: ['input_ids'] } });
    for (const [name, kind, graph] of [
      ['t', /^t {2}transformer {2}4 dimensions /, 'onnx/model.onnx'],
      ['r', /^r {2}reranker {2}ranks passages /, 'model.onnx'],
    ] as const) {
      const paths = readdirSync(join(source, name), { recursive: true, encoding: 'utf8' });
      const files = paths.filter((path) => statSync(join(source, name, path)).isFile());
      const contents = files.map(
        (path) => [path, { content: readFileSync(join(source, name, path)) }] as const,
      );
      const hub = await startHub(new Map(contents));
      test.after(() => hub.close());
      const checksum = createHash('sha256')
        .update(readFileSync(join(source, name, graph)))
        .digest('hex');
      const args = ['fetch', hub.url, '--name', name, '--sha256', checksum];
      const { code, stdout, stderr } = await run(directory, ...args);
      assert.equal(code, 0, stderr);
      assert.match(stdout, kind);
      const fetched = readdirSync(join(directory, name), { recursive: true, encoding: 'utf8' });
      assert.deepEqual(fetched.sort(), paths.sort());
    }
    assert.equal((await run(directory, 'list')).stdout, (await run(source, 'list')).stdout);
  });

  it('leaves nothing of a model that is wrong', async (test) => {
    const directory = makeTemporaryDirectory();
    const { content } = { content: weights };
    const cases = [
      [{}, /has the SHA-256 [0-9a-f]{64}, not 0000/, '--sha256', '0'.repeat(64)],
      [{}, /has the fingerprint [0-9a-f]{32}, not 0000/, '--fingerprint', '0'.repeat(32)],
      [{ 'tokenizer.json': undefined }, /tokenizer\.json does not exist \(HTTP 404\)/],
      [{ 'model.safetensors': { content, fault: 'whole' } }, /does not send parts of it \(Range\)/],
      [{ 'model.safetensors': { content, fault: 'cut' } }, /is cut at 8388608 of \d+ bytes/],
      [
        { 'model.safetensors': { content, fault: 'huge' } },
        /has 5000000000 bytes, and the most are 4294967296/,
      ],
      [{ 'tokenizer.json': { content, fault: 'huge' } }, /tokenizer\.json has 5000000000 bytes/],
      [{ 'config.json': { content: Buffer.from('{') } }, /config\.json is not JSON/],
      [{ 'modules.json': json([{ type: 'StaticEmbedding', path: '../..' }]) }, /leads out of the model/],
    ] as const;
    for (const [changes, problem, ...checksum] of cases) {
      const hub = await hubFor(test, changes);
      const { code, stderr } = await fetching(
        directory,
        hub.url,
        ...(checksum.length > 0 ? checksum : ['--sha256', sha256]),
      );
      assert.equal(code, 1, stderr);
      assert.match(stderr, problem);
      assert.deepEqual(readdirSync(directory), []);
    }
    const nobody = await fetching(directory, 'http://127.0.0.1:1', '--sha256', sha256);
    assert.equal(nobody.code, 1);
    assert.match(nobody.stderr, /http:\/\/\S+\/config\.json cannot be fetched: .*ECONNREFUSED/);
  });

  it('names no signature of an address that a hub redirects to', async (test) => {
    const hub = createServer((_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/store?signature=secret' }).end();
    }).listen(0, '127.0.0.1');
    test.after(() => {
      hub.closeAllConnections();
      hub.close();
    });
    await once(hub, 'listening');
    const { port } = hub.address() as AddressInfo; // it listens on a port
    const { stderr } = await fetching(
      makeTemporaryDirectory(),
      `http://127.0.0.1:${port}`,
      '--sha256',
      sha256,
    );
    assert.match(stderr, /config\.json cannot be fetched from 127\.0\.0\.1:1: .*ECONNREFUSED/);
    assert.doesNotMatch(stderr, /secret/);
  });

  it('leaves no model that is listed when it is killed in the middle, and fetches it afterwards', async (test) => {
    const directory = makeTemporaryDirectory();
    await endInTheMiddle(test, directory, 'SIGKILL');
    assert.ok(existsSync(join(directory, '.unfinished-words', 'model.safetensors')));
    for (const action of ['list', 'check'])
      assert.equal((await run(directory, action)).stdout, `${directory} has no models\n`);
    const right = await hubFor(test);
    assert.equal((await fetching(directory, right.url, '--sha256', sha256)).code, 0);
    assert.deepEqual(readdirSync(directory), ['words']);
  });

  it('ends with 130 and nothing new at Ctrl+C', async (test) => {
    const directory = makeTemporaryDirectory();
    assert.equal(await endInTheMiddle(test, directory, 'SIGINT'), 130);
    assert.deepEqual(readdirSync(directory), []);
  });
});

describe('colonnade models', () => {
  it('names models that cannot be used', async () => {
    const directory = makeTemporaryDirectory();
    writeStaticModel(directory, 'cut', { 'model.safetensors': 'x' });
    writeStaticModel(directory, 'endless', {
      'model.safetensors': safetensorsFile({ embeddings: floats([...rows.slice(1), [0, 0, 0, 1 / 0]]) }),
    });
    const listed = await run(directory, 'list');
    assert.equal(listed.code, 1);
    assert.match(listed.stdout, /^endless {2}words {2}4 dimensions/);
    assert.match(listed.stderr, /cut: model\.safetensors is not a safetensors file/);
    const checked = await run(directory, 'check');
    assert.equal(checked.code, 1);
    assert.equal(checked.stdout, '');
    assert.match(checked.stderr, /endless: the tensor "embeddings" has a number that is not finite, at 43/);
  });

  it('refuses arguments that it cannot use', async () => {
    const cases = [
      [['models'], /the action must be list, check or fetch/],
      [['models', 'list'], /name the directory of models: --models DIR/],
      [['models', 'list', 'x', '--models', 'y'], /list has too many arguments/],
      [['models', 'check', '--name', 'x', '--models', 'y'], /are for fetch only/],
      [['models', 'fetch', 'ftp://x', '--models', 'y'], /begins with https/],
      [['models', 'fetch', 'http://x', '--models', 'y'], /--name NAME/],
      [['models', 'fetch', 'http://x', '--name', 'n', '--models', 'y'], /needs a checksum/],
      [
        ['models', 'fetch', 'http://x', '--name', 'n', '--sha256', 'abc', '--models', 'y'],
        /--sha256 must have 64 hexadecimal digits/,
      ],
      [
        ['models', 'fetch', 'http://x', '--name', 'n', '--fingerprint', 'x'.repeat(32), '--models', 'y'],
        /--fingerprint must have 32 hexadecimal digits/,
      ],
    ] as const;
    for (const [args, problem] of cases) {
      const { code, stderr } = await runColonnade(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, problem);
    }
    const bad = await runColonnade([
      'models',
      'fetch',
      'http://127.0.0.1:1',
      '--name',
      '../x',
      '--sha256',
      sha256,
      '--models',
      makeTemporaryDirectory(),
    ]);
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /the name of a model must be 1 to 96 letters/);
  });
});
