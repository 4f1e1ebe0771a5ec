// What `npm run release -- VERSION` runs: writes the version and the changelog, checks the package as a user installs
// it, commits and tags. It publishes and pushes nothing; at the end it prints the commands that do.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notesOf, releasedChangelog } from './release-changelog.js';

const root = join(fileURLToPath(import.meta.url), '..', '..', '..');
const changelogPath = join(root, 'CHANGELOG.md');
const containerfile = join('docs', 'service', 'Containerfile');
const startMs = 30_000;

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

interface Reply {
  readonly data?: { readonly document: Readonly<Record<string, unknown>> };
  readonly errors?: unknown;
}

await release(process.argv[2] ?? '');

/** Ends the process with the code 1 and leaves the files as they were if a step fails. */
async function release(version: string): Promise<void> {
  const { version: last } = readManifest();
  if (!isLater(version, last)) fail(`give a version later than ${last}, such as 1.2.3`);
  if (run('git', ['status', '--porcelain']) !== '') fail('commit or remove the changes of this clone first');
  if (run('git', ['tag', '--list', `v${version}`]) !== '') fail(`the tag v${version} exists`);
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-release-'));
  const problem = await prepare(version, directory).catch(String);
  rmSync(directory, { recursive: true, force: true });
  if (problem !== undefined) {
    run('git', ['restore', '.']);
    fail(problem);
  }
  commit(version);
  console.log(`Released ${version} in this clone. To publish it: git push --follow-tags && npm publish`);
  const { url } = readManifest().repository;
  if (new URL(url).hostname.endsWith('.example'))
    console.log(`package.json has no public address yet (${url}): write yours before you publish.`);
}

/** Writes the files of the release and checks the package. @throws Error if a step fails */
async function prepare(version: string, directory: string): Promise<undefined> {
  writeVersion(version);
  await checkPackage(pack(directory), version, directory);
  checkImage();
}

/** Into package.json, package-lock.json, the label of the image, and CHANGELOG.md. */
function writeVersion(version: string): void {
  run('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts']);
  const label = /(?<=image\.version=")[^"]*/;
  writeFileSync(
    join(root, containerfile),
    readFileSync(join(root, containerfile), 'utf8').replace(label, version),
  );
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(changelogPath, releasedChangelog(readFileSync(changelogPath, 'utf8'), version, day));
}

/** Builds the package and returns the path of its archive in the directory. */
function pack(directory: string): string {
  report('npm pack');
  run(process.execPath, ['tools/build.mjs']);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory]);
  const name = readdirSync(directory).find((each) => each.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack has made no archive');
  return join(directory, name);
}

/** Installs the archive in an empty folder, starts it there, stores a row and reads it, and stops it. */
async function checkPackage(archive: string, version: string, directory: string): Promise<void> {
  report('install the package in an empty folder and start it');
  const folder = mkdtempSync(join(directory, 'installed-'));
  run('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    archive,
  ]);
  const program = join(folder, 'node_modules', '.bin', 'colonnade');
  const printed = run(program, ['--version']).trim();
  if (printed !== version) throw new Error(`the installed package prints the version ${printed}`);
  const example = join(folder, 'start.mjs');
  writeFileSync(example, "import { start } from 'colonnade';\nawait (await start()).close();\n");
  run(process.execPath, [example]);
  const ports = ['--port', '0', '--ops-port', '0', '--data-dir', join(folder, 'data')];
  const server = spawn(program, ['serve', ...ports], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(server, 'exit');
  try {
    const urls = await urlsOf(server);
    await useServer(urls);
    server.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`the server ended with the code ${code} after SIGTERM`);
  } finally {
    server.kill('SIGKILL');
  }
}

/** The addresses of the data port and the operations port that a starting server prints. */
function urlsOf(server: ChildProcess): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let output = '';
    const failed = (reason: string) => reject(new Error(`${reason}:\n${output}`));
    const timer = setTimeout(() => failed('the server did not start in time'), startMs);
    server.once('exit', (code) => failed(`the server ended with the code ${code}`));
    server.once('error', reject);
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const urls = [...output.matchAll(/^Colonnade .* on (http:\S+)$/gm)].map(([, url = '']) => url);
        if (urls.length < 3) return;
        clearTimeout(timer);
        resolve(urls);
      });
  });
}

async function useServer([dataUrl = '', opsUrl = '', consoleUrl = '']: readonly string[]): Promise<void> {
  const definition = { columns: { id: 'int', word: 'text' }, primaryKey: 'id' };
  await send(dataUrl, '', { createTable: { name: 'words', definition } });
  await send(dataUrl, '/words', { insertOne: { document: { id: 1, word: 'colonnade' } } });
  const found = await send(dataUrl, '/words', { findOne: { filter: { id: 1 } } });
  if (found.data?.document['word'] !== 'colonnade') throw new Error(`the row is ${JSON.stringify(found)}`);
  for (const url of [`${opsUrl}/health/ready`, consoleUrl]) {
    const { ok, status } = await fetch(url);
    if (!ok) throw new Error(`GET ${url} has the status ${status}`);
  }
}

async function send(url: string, path: string, command: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(command);
  const response = await fetch(`${url}/v1/default_keyspace${path}`, { method: 'POST', headers, body });
  const reply: Reply = JSON.parse(await response.text());
  if (reply.errors !== undefined) throw new Error(`${body} failed: ${JSON.stringify(reply.errors)}`);
  return reply;
}

/** Builds and runs the image of the container file where the programs for that are installed. */
function checkImage(): void {
  const needed = ['buildah', 'runc', 'mmdebstrap'];
  const missing = needed.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0 || process.getuid?.() !== 0) {
    report(`the image is not built: it needs root and ${needed.join(', ')}`);
    return;
  }
  report('build and run the image');
  run(process.execPath, ['tools/test.mjs', 'acceptance/image'], { COLONNADE_TEST_IMAGE: '1' });
}

function commit(version: string): void {
  run('git', ['commit', '--quiet', '--all', '--message', `Release ${version}`]);
  const notes = notesOf(readFileSync(changelogPath, 'utf8'), version);
  run('git', [
    'tag',
    '--annotate',
    '--cleanup=verbatim',
    `v${version}`,
    '--message',
    `${version}\n\n${notes}`,
  ]);
}

function isLater(version: string, last: string): boolean {
  const numbers = (text: string) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  const [given, before] = [numbers(version), numbers(last)];
  if (given === undefined || before === undefined) return false;
  const at = given.findIndex((number, place) => number !== before[place]);
  return at >= 0 && (given[at] ?? 0) > (before[at] ?? 0);
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

/** What a program prints. @throws Error with its output if it fails */
function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const options = { cwd: root, encoding: 'utf8' as const, env: { ...process.env, ...environment } };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function report(step: string): void {
  console.log(`== ${step}`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
