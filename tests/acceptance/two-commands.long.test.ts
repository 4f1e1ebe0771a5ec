// What a newcomer does: clone, install, `npm start`. Installing is replaced by a link, so that no network is needed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { projectRoot } from '../tidy/read-sources.js';
import { makeTemporaryDirectory } from './start-server.js';

const directory = makeTemporaryDirectory();
const clone = join(directory, 'clone');
const stamp = join(clone, 'dist', '.built');
const environment = outsideNpm(process.env);
const running = new Set<ChildProcess>();
process.on('exit', killRunning);

describe('npm start in a clean clone', { skip: reasonToSkip() }, () => {
  after(killRunning);

  it('builds, serves, answers a request, and ends with 0 on SIGTERM', async () => {
    symlinkSync(realpathSync(join(projectRoot, 'node_modules')), join(clone, 'node_modules'));
    assert.ok(!existsSync(join(clone, 'dist')));
    const server = await npmStart();
    assert.ok(existsSync(stamp));
    const reply = await fetch(`${server.url}/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"findKeyspaces":{}}',
    });
    assert.equal(await reply.text(), '{"status":{"keyspaces":["default_keyspace"]}}');
    assert.equal(await server.stop(), 0);
  });

  it('does not build again when nothing has changed', async () => {
    const builtAt = statSync(stamp).mtimeMs;
    const server = await npmStart();
    assert.equal(await server.stop(), 0);
    assert.equal(statSync(stamp).mtimeMs, builtAt);
  });

  it('stops when npm is stopped, which sends it no signal', async () => {
    const server = await npmStart();
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
    server.endNpm();
    await assert.doesNotReject(untilRefused(server.url));
  });

  it('builds again when a source has changed', async () => {
    const builtAt = statSync(stamp).mtimeMs;
    const now = new Date();
    utimesSync(join(clone, 'src', 'bin', 'colonnade.ts'), now, now);
    const server = await npmStart();
    assert.equal(await server.stop(), 0);
    assert.ok(statSync(stamp).mtimeMs > builtAt);
  });

  it('leaves a command that npx can run after every build', () => {
    const { mode } = statSync(join(clone, 'dist', 'server', 'colonnade.js'));
    assert.equal(mode & 0o111, 0o111);
  });

  it('keeps the last build if a source does not compile, and removes what a killed build left', () => {
    const noProcess = 2 ** 30;
    mkdirSync(join(clone, `dist.${noProcess}`));
    appendFileSync(join(clone, 'src', 'bin', 'colonnade.ts'), 'const text: string = 1;\n');
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: clone, env: environment });
    assert.notEqual(run(join('tools', 'build.mjs')).status, 0);
    assert.deepEqual(
      readdirSync(clone).filter((name) => name.startsWith('dist')),
      ['dist'],
    );
    assert.equal(run(join('dist', 'server', 'colonnade.js'), '--version').status, 0);
  });
});

/** Resolves when nobody listens any more. */
async function untilRefused(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      await fetch(`${url}/health/live`);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} still answers`);
}

/** Clones what is committed. Gives the reason where that, or npm, is not possible on this machine. */
function reasonToSkip(): string | false {
  const npm = spawnSync('npm', ['--version'], { env: environment, encoding: 'utf8' });
  if (npm.status !== 0) return `npm cannot be run: ${npm.error?.message ?? npm.stderr}`;
  const git = spawnSync('git', ['clone', '--quiet', projectRoot, clone], { encoding: 'utf8' });
  if (git.status !== 0) return `the project cannot be cloned: ${git.error?.message ?? git.stderr}`;
  return false;
}

interface StartedByNpm {
  readonly url: string;
  /** Ends the server by its own process. */
  stop(): Promise<number | null>;
  /** Ends npm alone. */
  endNpm(): void;
}

/** Resolves when the server is ready. */
async function npmStart(): Promise<StartedByNpm> {
  const dataDir = join(directory, 'data');
  const args = ['start', '--', '--port', '0', '--ops-port', '0', '--data-dir', dataDir];
  const child = spawn('npm', args, {
    cwd: clone,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, so that nothing of it outlives the test
  });
  running.add(child);
  let output = '';
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const urls = new Promise<readonly (string | undefined)[]>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = [...output.matchAll(/^Colonnade .* on (http:\S+)$/gm)].map((match) => match[1]);
        if (found.length >= 2) resolve(found); // the console follows
      });
    }
  });
  const endedEarly = ended.then((code) => {
    throw new Error(`npm start ended with ${code}:\n${output}`);
  });
  const [url = '', opsUrl = ''] = await Promise.race([urls, endedEarly]);
  const health: { status: string; pid: number } = JSON.parse(
    await (await fetch(`${opsUrl}/health/ready`)).text(),
  );
  assert.equal(health.status, 'ready');
  return {
    url,
    endNpm: () => {
      child.kill('SIGTERM');
    },
    stop: () => {
      process.kill(health.pid, 'SIGTERM');
      return ended;
    },
  };
}

function killRunning(): void {
  for (const { pid } of running) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just gone by itself.
    }
  }
  running.clear();
}

/** The environment outside `npm test`: the variables that npm sets for its scripts would mislead another npm. */
function outsideNpm(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(inherited).filter(
    ([name]) => !/^(npm_|COLONNADE_|NODE_TEST_CONTEXT$)/.test(name),
  );
  return { ...Object.fromEntries(own), npm_config_update_notifier: 'false' };
}
