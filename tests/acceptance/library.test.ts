// Servers that a program starts in its own process.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DataAPIClient } from '@datastax/astra-db-ts';
import { start } from '../../src/bin/library.js';
import { optionList } from '../../src/foundation/config/options.js';
import { makeTemporaryDirectory } from './start-server.js';

const library = new URL('../../server/library.js', import.meta.url).href;

async function send(url: string, command: object): Promise<unknown> {
  const reply = await fetch(`${url}/v1/default_keyspace`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return reply.json();
}

/** Runs a program as a user's: an ES module with the server's library as `start`. */
function runProgram(
  body: string,
  nodeArgs: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const path = join(makeTemporaryDirectory(), 'program.mjs');
  writeFileSync(path, `import { start } from ${JSON.stringify(library)};\n${body}\n`);
  const env = { ...process.env, ...environment };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...nodeArgs, path], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('a server in the process of a program', () => {
  it('answers the official client and the operations port, and ends with close', async () => {
    const server = await start();
    const db = new DataAPIClient({ environment: 'other' }).db(server.url, { keyspace: 'default_keyspace' });
    const orders = await db.createCollection('orders');
    await orders.insertOne({ _id: 1, total: 25 });
    assert.deepEqual(await orders.findOne({ total: 25 }), { _id: 1, total: 25 });
    const nodes = await fetch(`${server.opsUrl}/local/nodes`);
    assert.equal(nodes.status, 200);
    await server.close();
    await assert.rejects(fetch(`${server.url}/health/live`), TypeError);
    await assert.rejects(fetch(`${server.opsUrl}/health/live`), TypeError);
    assert.equal(existsSync(server.dataDir), false);
    await server.close();
  });

  it('keeps the rows of a directory, which only its owner can open', async () => {
    const dataDir = join(makeTemporaryDirectory(), 'data');
    const first = await start({ dataDir });
    await send(first.url, { createCollection: { name: 'kept' } });
    await first.close();
    const second = await start({ dataDir });
    assert.deepEqual(await send(second.url, { findCollections: {} }), { status: { collections: ['kept'] } });
    await second.close();
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });

  it('stands beside others in one process, each with its own data and options', async () => {
    const [strict, extended] = await Promise.all([
      start(),
      start({ dialect: 'extended', collections: 'off' }),
    ]);
    await send(strict.url, { createCollection: { name: 'mine' } });
    assert.deepEqual(await send(strict.url, { findCollections: {} }), { status: { collections: ['mine'] } });
    const refused = await send(extended.url, { createCollection: { name: 'mine' } });
    assert.match(JSON.stringify(refused), /COMMAND_UNKNOWN/);
    await Promise.all([strict.close(), extended.close()]);
  });

  it('does not start in a directory that another one uses, and starts there afterwards', async () => {
    const dataDir = makeTemporaryDirectory();
    const first = await start({ dataDir });
    await assert.rejects(
      start({ dataDir }),
      /in use by another server of this process: close .* another "dataDir"/,
    );
    await first.close();
    await assert.rejects(start({ dataDir, opsDir: join(dataDir, '.') }), /"opsDir" is the data directory/);
    await (await start({ dataDir })).close();
  });

  it('does not start at a port that is taken, and leaves no directory behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo; // it listens on a port
    const temporary = makeTemporaryDirectory();
    const program = `await start({ port: ${port} }).catch((error) => console.log(error.message));`;
    const { stdout } = await runProgram(program, [], { TMPDIR: temporary });
    taken.close();
    assert.match(stdout, new RegExp(`127\\.0\\.0\\.1:${port}`));
    assert.deepEqual(readdirSync(temporary), []);
  });

  it('leaves no descriptors, timers or threads behind, however often a program starts it', async () => {
    const program = `
      import { readdirSync } from 'node:fs';
      // SQLite closes a file when the last of its statements was collected.
      const collected = async (most) => {
        for (let time = 0; time < 100; time += 1) {
          gc();
          await new Promise((resolve) => setTimeout(resolve, 10));
          if (readdirSync('/proc/self/fd').length <= most) return;
        }
      };
      const counts = [];
      for (let round = 0; round < 3; round += 1) {
        await (await start()).close();
        await collected(counts.at(-1)?.[0] ?? 0);
        const resources = process.getActiveResourcesInfo().sort();
        counts.push([readdirSync('/proc/self/fd').length, readdirSync('/proc/self/task').length, ...resources]);
      }
      console.log(JSON.stringify(counts));`;
    const { stdout, stderr } = await runProgram(program, ['--expose-gc']);
    const [, second, third] = JSON.parse(stdout) as unknown[];
    assert.deepEqual(third, second, stderr);
  });

  it('refuses options that it does not know or cannot use, all at once', async () => {
    const options = { prot: 1, port: 70_000, host: '0.0.0.0' };
    await assert.rejects(start(options), (error: Error) => {
      assert.match(error.message, /"prot" in the options of start is not an option; did you mean "port"\?/);
      assert.match(error.message, /"port" in the options of start is "70000"/);
      assert.match(
        error.message,
        /"host" is "0\.0\.0\.0", which other machines can reach, and there is no "token"/,
      );
      assert.doesNotMatch(error.message, /--|COLONNADE_/);
      return true;
    });
  });

  it('refuses an argument that is not an object, and members that are not JSON', async () => {
    // A program in JavaScript can pass anything.
    const startWith = start as (options: unknown) => Promise<unknown>;
    for (const given of [null, 'x', 5, [], { onFailure: 5 }, { port: () => 1 }])
      await assert.rejects(startWith(given), /the options of start must be .* not (an? )?\w+$/);
  });

  it('advises no other engine for workers', async () => {
    const options = { port: 0, workers: 2 };
    await assert.rejects(start(options), /"workers" is 2: workers are processes of the command/);
  });

  it('runs in programs whose Node options its threads cannot have, without their hooks', async () => {
    const hook = join(makeTemporaryDirectory(), 'hook.mjs');
    writeFileSync(hook, "console.log('hook');");
    const program = `
      import { start } from ${JSON.stringify(library)};
      await (await start()).close();`;
    const args = ['--import', hook, '--input-type=module', '-e', program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    assert.deepEqual({ stdout, stderr }, { stdout: 'hook\n', stderr: '' });
  });

  it('says why a temporary directory cannot be made, not why it cannot be removed', async () => {
    const file = join(makeTemporaryDirectory(), 'file');
    writeFileSync(file, '');
    const program = 'await start().catch((error) => console.log(error.message));';
    const { stdout } = await runProgram(program, [], { TMPDIR: file });
    assert.match(stdout, /^the data directory .* cannot be created/);
  });

  it('has the type of every option', () => {
    const types = readFileSync(new URL('../../server/library.d.ts', import.meta.url), 'utf8');
    const typed = [...types.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
    const known = optionList.map(({ key }) => key).filter((key) => key !== 'workers');
    assert.deepEqual(typed.toSorted(), [...known, 'onFailure'].toSorted());
    for (const { key, kind } of optionList.filter(({ kind: { placeholder } }) => placeholder.includes('|'))) {
      const choices = kind.placeholder.split('|').map((choice) => `'${choice}'`);
      assert.ok(types.includes(`readonly ${key}?: ${choices.join(' | ')};`), key);
    }
  });

  it('takes further options from a file, which its own override, and none from the environment', async () => {
    const directory = makeTemporaryDirectory();
    const config = join(directory, 'config.json');
    writeFileSync(config, JSON.stringify({ collections: 'off', dataDir: join(directory, 'other') }));
    const program = `
      const server = await start({ config: ${JSON.stringify(config)}, dataDir: ${JSON.stringify(directory)} });
      const body = JSON.stringify({ createCollection: { name: 'mine' } });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(server.url + '/v1/default_keyspace', { method: 'POST', headers, body });
      console.log(server.dataDir, await reply.text());
      await server.close();`;
    const { stdout, stderr } = await runProgram(program, [], { COLONNADE_TOKEN: 'a token' });
    assert.match(stdout, /COMMAND_UNKNOWN/, stderr);
    assert.ok(stdout.startsWith(`${directory} `));
  });

  it('lets the process end by itself after close, and writes nothing to its output', async () => {
    const result = await runProgram('await (await start()).close();');
    assert.deepEqual(result, { code: 0, stdout: '', stderr: '' });
  });

  it('lets the process end by itself after a start that failed', async () => {
    const program =
      "await start({ host: '192.0.2.1', token: 't' }).catch((error) => console.log(error.message));";
    const { code, stdout } = await runProgram(program);
    assert.equal(code, 0);
    assert.match(stdout, /192\.0\.2\.1/);
  });

  it('leaves no temporary directory behind a program that ends without close', async () => {
    const { code, stdout } = await runProgram('console.log((await start()).dataDir); process.exit(3);');
    assert.equal(code, 3);
    assert.equal(existsSync(stdout.trim()), false);
  });

  for (const [way, handler] of [
    ['ends the program', ''],
    ['is given to onFailure', 'onFailure: (error) => console.log("told:", error.message),'],
  ] as const)
    it(`closes when a part of it has ended, and the failure ${way}`, async () => {
      const trigger = join(makeTemporaryDirectory(), 'now');
      const program = `
        import { writeFileSync } from 'node:fs';
        await start({ ${handler} logLevel: 'silent' });
        writeFileSync(${JSON.stringify(trigger)}, 'throw');`;
      const { code, stdout, stderr } = await runProgram(program, [], {
        NODE_OPTIONS: `--import ${new URL('../faults/end-thread.js', import.meta.url).href}`,
        ...{ END_THREAD_WHEN: trigger, END_THREAD_WITH: 'opsDir' },
      });
      assert.match(stdout + stderr, /the operations service ended: .*the thread was made to fail/);
      assert.equal(code, handler === '' ? 1 : 0);
    });
});
