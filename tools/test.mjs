// What `npm test` runs: build, linter, then every compiled test but the long ones. With --long only those. Further
// arguments narrow it to the files whose name contains one of them: of both kinds, or of one with --short or --long.
// With --coverage before them, a table at the end shows which lines of the server the tests ran in the processes of the
// test files.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = join(root, 'dist');
const together = join(built, 'together');
const isCoverage = process.argv[2] === '--coverage';
const given = process.argv.slice(isCoverage ? 3 : 2);
const kind = ['--short', '--long'].find((option) => option === given[0]);
const parts = kind === undefined ? given : given.slice(1);
const isNarrowed = parts.length > 0;

/** Long tests: files that say so, and folders about whole servers, their clients and failures, and large indexes. */
const long =
  /\.long\.test\.js$|^tests\/(acceptance|archive|clients|differential|faults|http|local-models|upgrades|vectors)\//;
/** Here a file has its process to itself: it takes long, or it kills, fills or measures something. */
const alone = /\.long\.test\.js$|^tests\/(acceptance|faults|http|vectors)\/|-engine\.test\.js$/;
/** Fewer processes spend less time on starting; with too many files in one, one processor is idle at the end. */
const filesPerProcess = 20;

if (isCoverage && !process.allowedNodeEnvironmentFlags.has('--test-coverage-include')) {
  console.error(
    `Node ${process.versions.node} cannot choose the files of a coverage table: use Node 22.5 or later`,
  );
  process.exit(1);
}
await buildIfStale();
const { textOfSharedProcess } = await import('../dist/tools/share-process.js');
if (given.length === 0)
  runOrExit([createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome'), 'check', '.']);

const names = readdirSync(built, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.js') && isWanted(name))
  .sort();
if (names.length === 0) {
  console.error(`no test file contains any of: ${parts.join(', ')}`);
  process.exit(1);
}
const files = (isNarrowed ? names : shareProcesses(names)).map((name) =>
  relative(process.cwd(), join(built, name)),
);
// Many tests wait for processes, disks and timers: more processes at a time than cores keep the cores busy. Cassandra
// nodes keep them busy themselves, and a file that starts them takes minutes.
const hasNodes = process.env.COLONNADE_TEST_CASSANDRA !== undefined;
const concurrency = availableParallelism() + (hasNodes ? 0 : 2);
const timeoutMs = (hasNodes ? 20 : 10) * 60_000;
const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`];
runOrExit(['--test', ...limits, ...(isCoverage ? coverageOptions() : []), ...files], environment());

/**
 * The variables without authorities of other machines, with which the tests of `npm test` do not speak: Node reads their
 * certificates at each start of a process, and there are hundreds.
 */
function environment() {
  const { NODE_EXTRA_CA_CERTS: authorities, ...others } = process.env;
  const isForOthers =
    given.length > 0 || Object.keys(others).some((name) => name.startsWith('COLONNADE_TEST_'));
  return isForOthers ? process.env : others;
}

/** Lines of the sources, without the tests themselves. */
function coverageOptions() {
  const chosen = ['--test-coverage-include=**/src/**', '--test-coverage-exclude=**/*.test.ts'];
  return ['--experimental-test-coverage', '--enable-source-maps', ...chosen];
}

function isWanted(name) {
  if (isNarrowed && !parts.some((part) => name.includes(part))) return false;
  return (isNarrowed && kind === undefined) || long.test(name) === (kind === '--long');
}

/** The files to run in place of these: a file that imports some of one folder runs them in one process. */
function shareProcesses(wanted) {
  const groups = new Map();
  for (const name of wanted) {
    const folder = name.split('/').slice(0, 2).join('-');
    const key = alone.test(name) ? name : folder;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  rmSync(together, { recursive: true, force: true });
  mkdirSync(together);
  return [...groups].flatMap(([key, members]) => {
    if (members.length === 1) return members;
    const count = Math.ceil(members.length / filesPerProcess);
    return Array.from({ length: count }, (_, part) => {
      const name = `${key}-${part + 1}.js`;
      const own = members.filter((_member, at) => at % count === part);
      writeFileSync(join(together, name), textOfSharedProcess(built, own));
      return `together/${name}`;
    });
  });
}

function runOrExit(args, env = process.env) {
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
