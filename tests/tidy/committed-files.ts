// The files of the project that git knows or would take in, for tests that look beyond TypeScript.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from './read-sources.js';

/** Paths from the project's root, with `/`. Without git (an unpacked archive): all but dependencies and output. */
export function committedFiles(): readonly string[] {
  const paths = existsSync(join(projectRoot, '.git')) ? listedByGit() : foundOnDisk();
  return paths.filter((path) => existsSync(join(projectRoot, path)));
}

function listedByGit(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && path !== 'node_modules');
}

function foundOnDisk(): readonly string[] {
  const isOutput = /^(node_modules|dist|colonnade-data|\.git)(\/|$)/;
  return readdirSync(projectRoot, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !isOutput.test(path));
}
