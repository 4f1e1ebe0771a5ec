// Builds the image of docs/service/Containerfile with buildah, in a store of its own that is removed at the end.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../tidy/read-sources.js';
import { makeBaseSystem, searchPath } from './base-system.js';

const run = promisify(execFile);
const containerfile = join('docs', 'service', 'Containerfile');

/** What an image says about how it is run: the fields of Docker's format that we set. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[] | null;
  readonly StopSignal: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** An image that was built, with its files. */
export interface BuiltImage {
  readonly config: ImageConfig;
  /** The root of its file system. */
  readonly root: string;
  /** What each layer holds, uncompressed; the last one is what the Containerfile adds to its base. */
  readonly layerBytes: readonly number[];
}

/** Why the image cannot be built and run here; false where it can. */
export function whyNoImages(): string | false {
  const mode = process.env['COLONNADE_TEST_IMAGE'];
  if (mode === undefined) return 'COLONNADE_TEST_IMAGE=1 is not set: it takes minutes, and the root user';
  const programs = ['buildah', 'runc', ...(mode === 'pull' ? [] : ['mmdebstrap'])];
  const missing = programs.filter((name) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length > 0) return `not installed: apt-get install ${missing.join(' ')}`;
  return process.getuid?.() === 0 ? false : 'it needs the root user';
}

export class ImageStore {
  readonly directory = mkdtempSync(join(tmpdir(), 'colonnade-image-'));
  readonly #buildah = [
    '--storage-driver',
    'vfs',
    '--root',
    join(this.directory, 'store'),
    '--runroot',
    join(this.directory, 'run'),
  ];

  /**
   * Builds the image on the base that it names. Where no registry of images can be reached, the base is made here: the
   * same system with the same major version of Node, from the packages of the system and of npm.
   */
  async build(): Promise<BuiltImage> {
    const text = readFileSync(join(projectRoot, containerfile), 'utf8');
    const base = /^FROM (?<name>\S+)/m.exec(text)?.groups?.['name'] ?? '';
    const canPull = process.env['COLONNADE_TEST_IMAGE'] === 'pull';
    if (!canPull) await this.#makeBase(base);
    const pull = canPull ? '--pull' : '--pull-never';
    const args = ['--format', 'docker', '--isolation', 'chroot', pull, ...this.#npmVolumes()];
    await this.#run('build', ...args, '-f', containerfile, '-t', 'colonnade', '.');
    const container = await this.#run('from', '--pull-never', 'colonnade');
    const inspected: { Docker: { config: ImageConfig }; Manifest: string } = JSON.parse(
      await this.#run('inspect', '--type', 'image', 'colonnade'),
    );
    const { layers }: { layers: readonly { size: number }[] } = JSON.parse(inspected.Manifest);
    return {
      config: inspected.Docker.config,
      root: await this.#run('mount', container),
      layerBytes: layers.map(({ size }) => size),
    };
  }

  remove(): void {
    spawnSync('buildah', [...this.#buildah, 'rm', '--all']);
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #makeBase(name: string): Promise<void> {
    const major = /:(?<major>\d+)/.exec(name)?.groups?.['major'] ?? '';
    const root = await makeBaseSystem(this.directory, major);
    const container = await this.#run('from', 'scratch');
    await this.#run('add', container, root, '/');
    await this.#run('config', '--cmd', 'node', '--env', `PATH=${searchPath}`, container);
    await this.#run('commit', container, name);
    await this.#run('rm', container);
    rmSync(root, { recursive: true });
  }

  /** npm in the build uses the registry, the proxy and the certificates that npm of this machine uses. */
  #npmVolumes(): readonly string[] {
    const used: Readonly<Record<string, unknown>> = JSON.parse(
      execFileSync('npm', ['config', 'list', '--json', '--long'], { encoding: 'utf8' }),
    );
    const names = ['registry', 'proxy', 'https-proxy', 'strict-ssl'];
    const lines = names
      .filter((name) => ['string', 'boolean'].includes(typeof used[name]))
      .map((name) => `${name}=${String(used[name])}`);
    const certificates = used['cafile'] ?? process.env['NODE_EXTRA_CA_CERTS'];
    const inImage = '/etc/npm-certificates.pem';
    const volumes: string[] = [];
    if (typeof certificates === 'string' && existsSync(certificates)) {
      volumes.push('--volume', `${certificates}:${inImage}:ro`);
      lines.push(`cafile=${inImage}`);
    }
    const file = join(this.directory, 'npmrc');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return [...volumes, '--volume', `${file}:/usr/local/etc/npmrc:ro`];
  }

  /** Standard output without its last line break. @throws with what buildah printed */
  async #run(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('buildah', [...this.#buildah, ...args], {
      cwd: projectRoot,
      maxBuffer: 64_000_000,
    });
    return stdout.trim();
  }
}
