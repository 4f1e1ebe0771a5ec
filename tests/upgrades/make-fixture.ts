// Makes a fixture: the data directory of a version, filled, and its replies. Run it with a build of that version:
// node dist/tests/upgrades/make-fixture.js NAME [path of the version's dist/server/colonnade.js]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { colonnadePath } from '../acceptance/start-server.js';
import { fixtureReads, fixtureSteps } from './fixture-content.js';
import { fixtureFiles, fixturesFolder } from './fixture-files.js';
import { ask, type FixtureServer } from './fixture-server.js';

const [name, program = colonnadePath] = process.argv.slice(2);
if (name === undefined) throw new Error('give the name of the fixture');
await makeFixture(name, program);

async function makeFixture(fixture: string, path: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'colonnade-fixture-'));
  const args = ['serve', '--data-dir', dataDir, '--dialect', 'extended', '--port', '0', '--ops-port', '0'];
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const replies: string[] = [];
  try {
    const server = await addressesIn(child.stdout);
    for (const step of fixtureSteps) await ask(server, step);
    for (const read of fixtureReads) replies.push(await ask(server, read));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const folder = join(fixturesFolder, fixture);
  mkdirSync(folder, { recursive: true });
  for (const { stored, place } of fixtureFiles) {
    const bytes = readFileSync(join(dataDir, place));
    writeFileSync(join(folder, stored), stored.endsWith('.gz') ? gzipSync(bytes, { level: 9 }) : bytes);
  }
  writeFileSync(join(folder, 'replies.json'), `${JSON.stringify(replies, null, 1)}\n`);
  rmSync(dataDir, { recursive: true });
}

async function addressesIn(output: NodeJS.ReadableStream): Promise<FixtureServer> {
  let text = '';
  for await (const piece of output) {
    text += piece;
    const [url, opsUrl] = [...text.matchAll(/ on (https?:\S+)\n/g)].map((match) => match[1]);
    if (url !== undefined && opsUrl !== undefined) return { url, opsUrl };
  }
  throw new Error(`the server ended:\n${text}`);
}
