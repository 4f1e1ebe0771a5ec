// A machine without a compiler can install everything: no package needs an install script.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { projectRoot } from './read-sources.js';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

// Our own file, written by npm.
const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Manifest;
const limitMs = 120_000;

describe('the packages that run in production', () => {
  let directory: string;
  let install: { readonly status: number | null; readonly output: string };

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'colonnade-install-'));
    // Without our own `prepare`: it is our build, and it is what --ignore-scripts would leave out.
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...manifest, scripts: {} }));
    writeFileSync(join(directory, 'package-lock.json'), readFileSync(join(projectRoot, 'package-lock.json')));
    install = run('npm', [
      'ci',
      '--ignore-scripts',
      '--omit=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
    ]);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('install without their scripts', (context) => {
    if (isOffline(context)) return;
    assert.equal(install.status, 0, install.output);
  });

  it('load in a fresh process', (context) => {
    if (isOffline(context)) return;
    // This package has files for single languages only.
    const entries = Object.keys(manifest.dependencies).map((name) =>
      name.replace(/^@orama\/stemmers$/, '$&/danish'),
    );
    const names = JSON.stringify(entries);
    const result = runModule(`for (const name of ${names}) await import(name); console.log('loaded');`);
    assert.equal(result.output.trim(), 'loaded');
  });

  it('run a statement in SQLite', (context) => {
    if (isOffline(context)) return;
    const result = runModule(`
      import { DatabaseSync } from '@photostructure/sqlite';
      const database = new DatabaseSync(':memory:');
      console.log(JSON.stringify(database.prepare('select 1 as one').get()));`);
    assert.equal(result.output.trim(), '{"one":1}');
  });

  /** Nothing can be said where packages can be had neither from npm's cache nor from a registry. */
  function isOffline(context: TestContext): boolean {
    const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH)\b/;
    const isUnreachable = install.status !== 0 && unreachable.test(install.output);
    if (isUnreachable)
      context.skip('no registry or npm cache is reachable: run `npm ci` with a network once');
    return isUnreachable;
  }

  function runModule(source: string): { readonly output: string } {
    return run(process.execPath, ['--input-type=module', '--eval', source]);
  }

  function run(
    command: string,
    args: readonly string[],
  ): { readonly status: number | null; readonly output: string } {
    const result = spawnSync(command, args, {
      cwd: directory,
      encoding: 'utf8',
      timeout: limitMs,
      shell: process.platform === 'win32', // npm is a batch file there
    });
    return { status: result.status, output: `${result.stdout}${command === 'npm' ? result.stderr : ''}` };
  }
});
