// Runs a guide as a reader would: saves its files, runs its commands in order, and compares what they print.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../tidy/read-sources.js';
import { freePort, isFree } from '../free-port.js';
import { type RunningServer, startServer } from '../start-server.js';
import { type GuideBlock, markPart } from './guide-blocks.js';

/** The address that guides use for a program of the reader. */
const readersPort = '127.0.0.1:9000';
const readyAttempts = 200;
/** A block that takes longer waits for something that does not come. */
const longestBlockMs = 240_000;
/** Variables that readers do not have: settings of our servers, and what a test file has from its runner. */
const isOfTests = /^(COLONNADE_|NODE_TEST_CONTEXT$)/;

/**
 * Runs the blocks of one guide against a server of its own.
 * @param python the program that has the packages which the guide's Python blocks need
 */
export async function runGuide(blocks: readonly GuideBlock[], python: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-guide-'));
  const port = await freePort();
  const server = await startServer({ dataDir: join(directory, 'colonnade-data') });
  const run = new GuideRun(directory, python, addressesOf(server, port));
  try {
    for (const [at, block] of blocks.entries()) await run.block(block, blocks[at + 1]);
  } finally {
    await run.end();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What a guide shows, and what stands for it in the test. */
type Addresses = readonly (readonly [shown: string, real: string])[];

function addressesOf(server: RunningServer, port: number): Addresses {
  return [
    ['127.0.0.1:8181', server.url.replace('http://', '')],
    ['127.0.0.1:8888', server.opsUrl.replace('http://', '')],
    [readersPort, `127.0.0.1:${port}`],
    ['listen(9000,', `listen(${port},`],
  ];
}

class GuideRun {
  readonly #directory: string;
  readonly #addresses: Addresses;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #background: ChildProcess[] = [];

  constructor(directory: string, python: string, addresses: Addresses) {
    this.#directory = directory;
    this.#addresses = addresses;
    const programs = join(directory, 'programs');
    mkdirSync(programs);
    const packages = join(directory, 'node_modules');
    mkdirSync(packages);
    for (const name of readdirSync(join(projectRoot, 'node_modules')).filter((each) => each !== '.bin'))
      symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name));
    symlinkSync(projectRoot, join(packages, 'colonnade'));
    // The links of `npm install`, by which npx finds the command of a package.
    mkdirSync(join(packages, '.bin'));
    symlinkSync('../colonnade/dist/server/colonnade.js', join(packages, '.bin', 'colonnade'));
    writeProgram(join(programs, 'python'), `exec "${python}" "$@"`);
    // No status is an error otherwise.
    writeProgram(join(programs, 'curl'), `exec ${pathOf('curl')} --fail-with-body "$@"`);
    this.#environment = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfTests.test(name))),
      PATH: [programs, process.env['PATH'] ?? ''].join(delimiter),
      // Nothing listens there: a guide that asks the registry for a package fails.
      npm_config_registry: 'http://127.0.0.1:1/',
    };
  }

  /** Saves or runs a block. `next` shows what it prints, if it does not show something else. */
  async block(block: GuideBlock, next: GuideBlock | undefined): Promise<void> {
    const file = markPart(block, 'file');
    if (file !== undefined) writeFileSync(join(this.#directory, file), this.#real(block.content));
    if (block.language !== 'sh' || markPart(block, 'not run') !== undefined) return;
    if (block.mark === 'background') return this.#startInBackground(block);
    // Readers change programs and run them again, with what the first run left.
    if (/^(?:node|python) \S+\n*$/.test(block.content)) await this.#run(block);
    const printed = this.#shown(await this.#run(block));
    if (next === undefined || !['text', 'json'].includes(next.language) || next.mark !== '') return;
    assert.equal(comparable(printed), comparable(next.content), `printed by the block at line ${block.line}`);
  }

  async end(): Promise<void> {
    for (const child of this.#background) {
      if (child.exitCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
  }

  #run({ content, line }: GuideBlock): Promise<string> {
    const options = { cwd: this.#directory, env: this.#environment, timeout: longestBlockMs };
    return new Promise((resolve, reject) => {
      execFile('bash', ['-euo', 'pipefail', '-c', this.#real(content)], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`the block at line ${line} failed:\n${stdout}${stderr}`, { cause: error }));
      });
    });
  }

  async #startInBackground({ content }: GuideBlock): Promise<void> {
    const options = { cwd: this.#directory, env: this.#environment, stdio: 'ignore' } as const;
    this.#background.push(spawn('bash', ['-c', `exec ${this.#real(content)}`], options));
    const port = Number(this.#real(readersPort).split(':')[1]);
    for (let attempt = 0; attempt < readyAttempts; attempt += 1) {
      if (!(await isFree(port))) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('the program in the background does not listen');
  }

  #real(text: string): string {
    return this.#addresses.reduce((replaced, [shown, real]) => replaced.replaceAll(shown, real), text);
  }

  #shown(text: string): string {
    return this.#addresses.reduce((replaced, [shown, real]) => replaced.replaceAll(real, shown), text);
  }
}

/** Replies have no line break at their end, and other ids and times each time. */
function comparable(text: string): string {
  return text
    .replaceAll('\n', '')
    .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'ID')
    .replace(/"time":"\d+"/g, '"time":"TIME"');
}

function pathOf(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

function writeProgram(path: string, command: string): void {
  writeFileSync(path, `#!/bin/sh\n${command}\n`);
  chmodSync(path, 0o755);
}
