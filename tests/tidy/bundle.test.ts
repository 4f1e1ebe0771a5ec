// What is found by its file name at run time is in the bundle of the server.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { projectRoot, readSources } from './read-sources.js';

const byName = /new URL\('(?:\.\/)?([\w.-]+\.\w+)', import\.meta\.url\)/g;

describe('the bundle of the server', () => {
  it('has every thread, process and file that a module of the server names', () => {
    const named = readSources()
      .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
      .flatMap(({ path, text }) => [...text.matchAll(byName)].map(([, name = '']) => ({ path, name })))
      .filter(({ name }) => name !== 'package.json');
    assert.ok(named.length > 5, 'the server has threads');
    expectNone(
      named
        .filter(({ name }) => !existsSync(join(projectRoot, 'dist', 'server', name)))
        .map(({ path, name }) => `${path}: ${name} is not in tools/bundle.mjs`),
    );
  });
});
