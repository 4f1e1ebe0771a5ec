// Builds another commit of this repository in a directory of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The hash of a commit, a tag or a branch; undefined if this clone does not have it. */
export function commitOf(name: string): string | undefined {
  const found = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** The newest tag of a release in the history of this commit; undefined if there is none. */
export function newestRelease(): string | undefined {
  const found = git(['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*']);
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/**
 * Builds the commit in an empty directory and returns the path of its server, which takes the options of
 * `colonnade serve`. Commits with the packages of this one share their installation.
 * @throws Error if a step fails
 */
export function buildCommit(commit: string, directory: string): string {
  run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, directory], root);
  run('git', ['checkout', '--quiet', '--detach', commit], directory);
  const lock = 'package-lock.json';
  const isSame = readFileSync(join(directory, lock), 'utf8') === readFileSync(join(root, lock), 'utf8');
  if (isSame) symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], directory);
  run(process.execPath, ['tools/build.mjs'], directory);
  // Every commit of this repository has this member.
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly bin: { readonly colonnade: string };
  };
  const entry = resolve(directory, bin.colonnade);
  if (!existsSync(entry)) throw new Error(`the build of ${commit} has no ${bin.colonnade}`);
  return entry;
}

function git(args: readonly string[]) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' });
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  const said = `${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${said}`);
}
