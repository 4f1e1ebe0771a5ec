// Opens the data directories of every released format: nothing is lost, and everything can be changed.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { schemaVersion } from '../../src/data-service/engine/embedded/file/schema-store.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { projectRoot } from '../tidy/read-sources.js';
import { type FixtureRequest, fixtureReads, fixtureWrites } from './fixture-content.js';
import { fixtureFiles, fixturesFolder } from './fixture-files.js';
import { ask, type FixtureServer } from './fixture-server.js';

const extended = ['--dialect', 'extended'];

/** A data directory from a fixture. */
function unpack(fixture: string): string {
  const dataDir = makeTemporaryDirectory();
  for (const { stored, place } of fixtureFiles) {
    const bytes = readFileSync(join(fixturesFolder, fixture, stored));
    mkdirSync(dirname(join(dataDir, place)), { recursive: true });
    writeFileSync(join(dataDir, place), stored.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  }
  return dataDir;
}

/** The version of the data file. */
function versionOf(dataDir: string): number {
  const file = openDatabase({ path: join(dataDir, 'data.db'), readOnly: true });
  try {
    return Number(file.statement('PRAGMA user_version').get()?.['user_version']);
  } finally {
    file.close();
  }
}

/** The reply, after the text indexes have been built in their present form. */
async function askWhenBuilt(server: FixtureServer, read: FixtureRequest): Promise<string> {
  for (let attempts = 100; ; attempts -= 1) {
    try {
      return await ask(server, read);
    } catch (error) {
      if (attempts === 0 || !/LEXICAL|UNAVAILABLE_DATABASE/.test(String(error))) throw error;
      await delay(100);
    }
  }
}

/** What a reply says about the stored data: without warnings and ids that differ each time. */
function lasting(text: string): unknown {
  const value: unknown = JSON.parse(text, (name, member) =>
    name === 'warnings' || name === 'nextPageState' ? undefined : member,
  );
  return value;
}

/** Whether `later` has everything that `earlier` has; objects may have further members. */
function expectKept(later: unknown, earlier: unknown, where: string): void {
  if (typeof earlier !== 'object' || earlier === null) {
    assert.deepEqual(later, earlier, where);
    return;
  }
  assert.ok(typeof later === 'object' && later !== null, `${where} is gone`);
  if (Array.isArray(earlier)) assert.equal(Array.isArray(later) && later.length, earlier.length, where);
  const members = new Map(Object.entries(later));
  for (const [name, member] of Object.entries(earlier))
    expectKept(members.get(name), member, `${where}.${name}`);
}

describe('data directories of released formats', () => {
  for (const fixture of readdirSync(fixturesFolder)) {
    it(`open, and keep what they contain: ${fixture}`, async () => {
      const dataDir = unpack(fixture);
      const replies: readonly string[] = JSON.parse(
        readFileSync(join(fixturesFolder, fixture, 'replies.json'), 'utf8'),
      );
      assert.equal(replies.length, fixtureReads.length);
      const version = versionOf(dataDir);
      await withServer({ dataDir, args: extended }, async (server) => {
        const upgrade = new RegExp(`"from":${version},"to":${schemaVersion},.*was upgraded`);
        assert.equal(upgrade.test(server.stderr()), version < schemaVersion, server.stderr());
        for (const [at, read] of fixtureReads.entries()) {
          const reply = await askWhenBuilt(server, read);
          expectKept(lasting(reply), lasting(replies[at] ?? ''), `${read.path} ${read.body ?? ''}`);
        }
        for (const write of fixtureWrites) await ask(server, write);
      });
      await move(['check', '--data-dir', dataDir]);
    });
  }

  it('have the format that the document names', () => {
    const text = readFileSync(join(projectRoot, 'docs', 'upgrades.md'), 'utf8');
    assert.ok(text.includes(`| data file (\`data.db\`) | ${schemaVersion} |`), `not ${schemaVersion}`);
  });

  it('are refused, unchanged, if a later release wrote them', async () => {
    const [fixture = ''] = readdirSync(fixturesFolder);
    for (const [place, change, problem] of [
      [
        'data.db',
        'PRAGMA user_version = 999',
        /data\.db cannot be used: .+ by a later release of Colonnade \(file version 999, .+start that release/,
      ],
      [
        'ops/ops.db',
        "INSERT INTO migrations VALUES ('from-the-future')",
        /ops\.db cannot be used: it was written by a later version \(it has from-the-future\): start that version/,
      ],
    ] as const) {
      const dataDir = unpack(fixture);
      const file = openDatabase({ path: join(dataDir, place) });
      file.exec(change);
      file.close();
      const before = readFileSync(join(dataDir, place));
      const { stderr } = await move(['serve', '--data-dir', dataDir, '--port', '0', '--ops-port', '0'], 1);
      assert.match(stderr, problem);
      assert.deepEqual(readFileSync(join(dataDir, place)), before);
    }
  });
});
