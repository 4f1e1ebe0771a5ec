// The example of examples/packages on real input, this project's own packages, and on every mess it promises to bear.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DataAPIClient } from '@datastax/astra-db-ts';
import { firstWordsOf } from '../../examples/packages/answer-questions.js';
import { keyspace } from '../../examples/packages/package-tables.js';
import { projectRoot } from '../tidy/read-sources.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

const examplePath = fileURLToPath(new URL('../../examples/packages/packages.js', import.meta.url));
const token = 'tour-token';

describe('the example of the installed packages', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({ args: ['--token', token] });
  });
  after(() => server.stop());

  const runExample = (...args: string[]) =>
    run([examplePath, '--url', server.url, '--token', token, ...args]);
  const readRow = async (folder: string) => {
    const client = new DataAPIClient(token, { environment: 'other' });
    const packages = client.db(server.url, { keyspace }).table('packages');
    const row = await packages.findOne({ folder }, { projection: { about: false } });
    await client.close();
    return row;
  };

  it('answers about the packages of this project what the file system says', async () => {
    const modules = join(projectRoot, 'node_modules');
    const expected = packagesOf(realpathSync(modules));
    const { code, stdout, stderr } = await runExample('--modules', modules, '--json');
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const { load, described, largest, found, dependencies }: PrintedAnswers = JSON.parse(stdout);
    assert.ok(expected.length > 20);
    assert.equal(load.packageCount, expected.length);
    assert.deepEqual(load.skipped, []);
    assert.equal(
      load.totalBytes,
      expected.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    );
    assert.deepEqual(dependencies, {
      independent: expected.filter(({ manifest }) => dependenciesOf(manifest).length === 0).length,
      all: expected.length,
    });
    const largestFirst = expected
      .filter(({ manifest }) => manifest.license === 'MIT')
      .sort((left, right) => right.sizeBytes - left.sizeBytes)
      .slice(0, 10);
    assert.deepEqual(
      largest.map(({ folder, size_bytes }) => [folder, size_bytes]),
      largestFirst.map(({ folder, sizeBytes }) => [folder, sizeBytes]),
    );
    assert.deepEqual(
      found.slice(0, 1).map(({ folder }) => folder),
      ['pino'],
    );
    assert.equal(found.length, 5);
    for (const [place, { similarity }] of found.entries())
      assert.ok(similarity <= (found[place - 1]?.similarity ?? 1));
    const pino = expected.find(({ folder }) => folder === 'pino');
    assert.equal(described.stored.version, pino?.manifest.version);
    assert.equal(described.stored.readme, readFileSync(join(modules, 'pino', 'README.md'), 'utf8'));
    assert.ok(described.stored.readme.includes(described.firstWords));
  });

  it('bears manifests and readmes of every kind, and says what it made of them', async () => {
    const modules = makeMess();
    const { code, stdout } = await runExample(
      '--modules',
      modules,
      '--package',
      '@scope/inner',
      '--licence',
      'ISC',
      '--about',
      'inner words',
    );
    assert.equal(code, 0);
    for (const line of [
      'Loaded 140 packages',
      'odd:     bare: no name; no version; no licence; no readme',
      'odd:     old: licence in an old form; no readme',
      'odd:     older: licence in an old form; dependencies is not an object; no readme',
      'odd:     latin: readme is not UTF-8, read as Latin-1',
      'odd:     long: readme cut from 300001 to 200000 characters',
      'skipped: empty: it has no package.json',
      'skipped: broken: its package.json is not JSON',
      'skipped: list: its package.json is not an object',
      '  @scope/inner 2.0.0, ISC: the scoped one',
      '  "Inner words."',
      'The 3 largest packages under ISC:',
      'Which packages are about "inner words"?',
      '@scope/inner: the scoped one',
      '  139 of 140.',
    ]) {
      assert.ok(stdout.includes(line), `${line}\nis missing in\n${stdout}`);
    }
  });

  it('stores the mess as it was found', async () => {
    assert.deepEqual(await readRow('bare'), {
      ...emptyRow,
      folder: 'bare',
      name: 'bare',
      licence: '(none stated)',
      size_bytes: 2n,
      oddities: 'no name; no version; no licence; no readme',
    });
    assert.equal((await readRow('old'))?.['licence'], 'BSD');
    assert.equal((await readRow('older'))?.['licence'], 'MIT OR Apache-2.0');
    assert.equal((await readRow('latin'))?.['readme'], "Un café, s'il vous plaît.");
    assert.equal((await readRow('half'))?.['description'], 'half \uFFFD a pair');
    assert.equal((await readRow('half'))?.['keywords'], 'one, two');
    assert.equal((await readRow('long'))?.['readme'].length, 200_000);
    assert.equal((await readRow('host/node_modules/twin'))?.['version'], '2.0.0');
    assert.equal((await readRow('twin'))?.['version'], '1.0.0');
    assert.equal((await readRow('host'))?.['dependency_count'], 1);
    assert.equal((await readRow('filler-120'))?.['name'], 'filler-120');
    assert.equal(await readRow('.bin'), null);
  });

  it('finds nothing of an earlier load after a second one', async () => {
    const modules = join(makeTemporaryDirectory(), 'node_modules');
    mkdirSync(modules);
    const { code, stdout } = await runExample('--modules', modules);
    assert.equal(code, 0);
    assert.match(stdout, /Loaded 0 packages/);
    assert.match(stdout, /It is not installed\./);
    assert.match(stdout, / {2}0 of 0\./);
  });

  it('finds the server by the variables that name its port and token', async () => {
    const modules = join(makeTemporaryDirectory(), 'node_modules');
    mkdirSync(modules);
    const { port } = new URL(server.url);
    const environment = { COLONNADE_PORT: port, COLONNADE_TOKEN: token };
    const { stdout, stderr } = await run([examplePath, '--modules', modules], environment);
    assert.equal(stderr, '');
    assert.match(stdout, /Loaded 0 packages/);
  });

  it('ends with 2 for an unknown option and with 1 for a wrong token or a directory that is not there', async () => {
    assert.equal((await runExample('--nonsense')).code, 2);
    const refused = await run([examplePath, '--url', server.url, '--token', 'wrong']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /token/i);
    assert.equal((await runExample('--modules', join(makeTemporaryDirectory(), 'nothing'))).code, 1);
  });
});

describe('the first words of a readme', () => {
  const readmes: readonly (readonly [readme: string | null, firstWords: string | null])[] = [
    [null, null],
    ['', null],
    ['# Only a heading\n', null],
    ['# Title\n\n[![badge](a)](b)\n<p align="center">x y</p>\n\nWhat it does.\nMore.', 'What it does.'],
    [
      'Title\n=====\r\n\r\n- a list item\n* another one\n1. and one\n> a quote\n\nProse at last.',
      'Prose at last.',
    ],
    ['```\nsome code here\n```\n    more code here\n`thing` does it.', '`thing` does it.'],
    ['Über alles Mögliche.', 'Über alles Mögliche.'],
  ];
  for (const [readme, firstWords] of readmes) {
    it(`are ${JSON.stringify(firstWords)} in ${JSON.stringify(readme)}`, () => {
      assert.equal(firstWordsOf(readme), firstWords);
    });
  }
});

/** What --json prints, as far as it is looked at. */
interface PrintedAnswers {
  readonly load: { readonly packageCount: number; readonly totalBytes: number; readonly skipped: unknown[] };
  readonly described: {
    readonly stored: { readonly version: string; readonly readme: string };
    readonly firstWords: string;
  };
  readonly largest: readonly { readonly folder: string; readonly size_bytes: number }[];
  readonly found: readonly { readonly folder: string; readonly similarity: number }[];
  readonly dependencies: object;
}

const emptyRow = {
  version: null,
  dependency_count: 0,
  optional_dependency_count: 0,
  peer_dependency_count: 0,
  description: null,
  keywords: null,
  readme: null,
};

/** 140 packages, among them oddities of real packages, and four directories without a package. */
function makeMess(): string {
  const modules = join(makeTemporaryDirectory(), 'node_modules');
  const add = (folder: string, manifest: unknown, readme?: string | Buffer) => {
    const path = join(modules, folder);
    mkdirSync(path, { recursive: true });
    writeFileSync(
      join(path, 'package.json'),
      typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
    );
    if (readme !== undefined) writeFileSync(join(path, 'Readme.md'), readme);
  };
  const named = (name: string, more: object = {}) => ({ name, version: '1.0.0', license: 'ISC', ...more });
  add('bare', {});
  add('old', named('old', { license: { type: 'BSD', url: 'a' } }));
  add(
    'older',
    named('older', { license: undefined, licenses: [{ type: 'MIT' }, 'Apache-2.0'], dependencies: [] }),
  );
  add('latin', named('latin', { license: 'MIT' }), Buffer.from("Un café, s'il vous plaît.", 'latin1'));
  add('long', named('long', { license: 'MIT' }), 'ü'.repeat(300_001));
  add(
    'half',
    '\uFEFF{"name":"half","version":"1.0.0","license":"MIT","description":"half \\ud83d a pair","keywords":["one",2,"two"]}',
    'Half.',
  );
  add(
    '@scope/inner',
    named('@scope/inner', { version: '2.0.0', description: 'the scoped one' }),
    '# I\n\nInner words.',
  );
  add('host', named('host', { license: 'MIT', dependencies: { twin: '2' } }), 'A host.');
  add('host/node_modules/twin', named('twin', { version: '2.0.0' }), 'A twin.');
  add('twin', named('twin'), 'A twin.');
  for (let place = 1; place <= 130; place += 1) {
    add(`filler-${place}`, named(`filler-${place}`, { license: 'MIT' }), `Filler ${place}.`);
  }
  add('broken', '{"name":');
  add('list', []);
  add('.bin', named('bin'));
  mkdirSync(join(modules, 'empty'));
  // A link back up, as workspaces make them.
  symlinkSync(join(modules, 'host'), join(modules, 'host', 'node_modules', 'host'));
  return modules;
}

interface Manifest {
  readonly version?: string;
  readonly license?: unknown;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

/** Found otherwise than the example does it: by the paths of all files at once. */
function packagesOf(modules: string) {
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(modules, path)).isFile(),
  );
  const folderPattern = /^((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/.][^/]*)\/package\.json$/;
  const folders = files.flatMap((path) => {
    const folder = folderPattern.exec(path)?.[1];
    return folder !== undefined && dirname(path) === folder && isPackageFolder(folder) ? [folder] : [];
  });
  return folders.map((folder) => {
    const own = files.filter(
      (path) => path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/node_modules/'),
    );
    const manifest: Manifest = JSON.parse(readFileSync(join(modules, folder, 'package.json'), 'utf8'));
    return {
      folder,
      manifest,
      sizeBytes: own.reduce((sum, path) => sum + statSync(join(modules, path)).size, 0),
    };
  });
}

function isPackageFolder(folder: string): boolean {
  return folder.split('node_modules/').every((part) => /^(@[^/]+\/)?[^/]+\/?$/.test(part));
}

function dependenciesOf({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: Manifest): readonly string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
