// A base for images where no registry of images can be reached: what Debian's slim image of Node has, from packages.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where programs are looked for in the image. */
export const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes it in a folder inside `directory`, and returns that folder: the smallest system of this machine's release of
 * Debian, Node of a major version and its npm in `/usr/local`, the user `node` with the number 1000.
 */
export async function makeBaseSystem(directory: string, nodeMajor: string): Promise<string> {
  const root = join(directory, 'base');
  const node = `node-linux-${process.arch}@${nodeMajor}`;
  const install = [
    'install',
    '--prefix',
    directory,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-save',
  ];
  await Promise.all([makeSystem(root), run('npm', [...install, node, npmBeside[nodeMajor] ?? 'npm'])]);
  addNode(root, join(directory, 'node_modules'));
  execFileSync('chroot', [root, 'groupadd', '--gid', '1000', 'node']);
  execFileSync('chroot', [root, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  return root;
}

/** The npm that a Node comes with. */
const npmBeside: Readonly<Record<string, string>> = { '20': 'npm@10', '22': 'npm@10', '24': 'npm@11' };

/** The packages come from where apt of this machine gets them. */
async function makeSystem(root: string): Promise<void> {
  const release = /^VERSION_CODENAME=(?<name>\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'));
  const format = ['--format', '$(REPO_URI)', 'Created-By: Packages'];
  const [mirror = ''] = execFileSync('apt-get', ['indextargets', ...format], { encoding: 'utf8' }).split(
    '\n',
  );
  const packages = ['--variant=essential', '--include=libstdc++6,passwd'];
  await run('mmdebstrap', [...packages, release?.groups?.['name'] ?? '', root, mirror]);
}

function addNode(root: string, packages: string): void {
  const usr = join(root, 'usr', 'local');
  cpSync(join(packages, `node-linux-${process.arch}`, 'bin', 'node'), join(usr, 'bin', 'node'));
  cpSync(join(packages, 'npm'), join(usr, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(join('..', 'lib', 'node_modules', 'npm', 'bin', `${name}-cli.js`), join(usr, 'bin', name));
}
