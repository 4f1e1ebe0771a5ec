// Runs the quick starts of programs of others that keep documents, where `.ci/run` has installed them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { RunningServer } from '../../acceptance/start-server.js';
import { projectRoot } from '../../tidy/read-sources.js';
import { startEmpty } from '../connect.js';

const sources = join(projectRoot, 'tests', 'clients', 'programs');
/** A folder for each program, with its packages. */
const installed = process.env['PROGRAMS_OF_OTHERS'];

/** The folder of a program, its file and the lines that it prints. */
const programs = [
  ['langchain', 'vector_store.py', ['own embedding', 'vectorize']],
  ['llama-index', 'vector_store.py', ['vector store']],
  ['langchain-js', 'vector-store.mjs', ['vector store']],
  ['mongoose', 'models.mjs', ['models']],
] as const;

describe('programs of others', () => {
  let server: RunningServer;
  before(async () => {
    if (installed !== undefined) server = await startEmpty();
  });
  after(() => server?.stop());

  for (const [name, file, lines] of programs) {
    const folder = join(installed ?? '', name);
    const isPython = file.endsWith('.py');
    const needed = join(folder, isPython ? 'bin/python' : 'node_modules');
    const isInstalled = installed !== undefined && existsSync(needed);
    it(`run: ${name}`, { skip: !isInstalled && 'it is not installed; .ci/run installs it' }, async () => {
      // Packages are found from the folder of a file.
      for (const each of readdirSync(join(sources, name)))
        copyFileSync(join(sources, name, each), join(folder, each));
      const command = isPython ? [needed, '-B'] : [process.execPath];
      const [program = '', ...args] = [...command, join(folder, file), server.url];
      const { stdout } = await promisify(execFile)(program, args, { timeout: 60_000 });
      assert.deepEqual(stdout.trimEnd().split('\n'), lines);
    });
  }
});
