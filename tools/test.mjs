// What `npm test` runs: build, linter, then every compiled test but the long ones (`*.long.test.ts`). With --long only
// those. Other arguments narrow it to the files, of both kinds, whose name contains one of them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = join(root, 'dist');
const together = join(built, 'together');
const parts = process.argv.slice(2);
const isLongRun = parts.length === 1 && parts[0] === '--long';
const isNarrowed = parts.length > 0 && !isLongRun;

/** Here a file has its process to itself: it takes long, or it kills, fills or measures something. */
const alone = /^tests\/(acceptance|cassandra|differential|faults|http|vectors)\/|-engine\.test\.js$/;
/** At the top of a file hooks concern the whole process, so that such a file has it to itself, too. */
const hooksAtTop = /^(?:const .* = )?(?:before|after|use[A-Z])\w*\(/m;
/** Fewer processes spend less time on starting; with too many files in one, a lane waits for the other at the end. */
const filesPerProcess = 20;

await buildIfStale();
if (parts.length === 0)
  runOrExit([createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome'), 'check', '.']);

const names = readdirSync(built, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.js') && isWanted(name))
  .sort();
if (names.length === 0) {
  console.error(`no test file contains any of: ${parts.join(', ')}`);
  process.exit(1);
}
const files = (isNarrowed || isLongRun ? names : shareProcesses(names)).map((name) =>
  relative(process.cwd(), join(built, name)),
);
// Many tests wait for processes and timers: two files at a time even on two cores, where Node would take one.
const concurrency = Math.max(2, availableParallelism() - 1);
runOrExit(['--test', `--test-concurrency=${concurrency}`, '--test-timeout=600000', ...files]);

function isWanted(name) {
  if (isNarrowed) return parts.some((part) => name.includes(part));
  return name.endsWith('.long.test.js') === isLongRun;
}

/**
 * The files to run in place of those given: a file that imports some of one folder runs them in one process, and fails
 * with each of them.
 */
function shareProcesses(given) {
  const groups = new Map();
  for (const name of given) {
    const folder = name.split('/').slice(0, 2).join('-');
    const isAlone = alone.test(name) || hooksAtTop.test(readFileSync(join(built, name), 'utf8'));
    const key = isAlone ? name : folder;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  rmSync(together, { recursive: true, force: true });
  mkdirSync(together);
  return [...groups].flatMap(([key, members]) => {
    if (members.length === 1) return members;
    const count = Math.ceil(members.length / filesPerProcess);
    return Array.from({ length: count }, (_, part) => {
      const name = `${key}-${part + 1}.js`;
      const imports = members
        .filter((_member, at) => at % count === part)
        .map((member) => `import '../${member}';\n`);
      writeFileSync(join(together, name), imports.join(''));
      return `together/${name}`;
    });
  });
}

function runOrExit(args) {
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
