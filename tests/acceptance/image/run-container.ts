// Runs an image with runc as its configuration says: with its user, environment, entry point and volume, as process 1
// of namespaces of its own, on files that it cannot change. Its network is a loopback interface that only it has.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltImage } from './image-store.js';

/** How a program ended, with what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is run, and with what besides the image. */
export interface ContainerPlan {
  readonly image: BuiltImage;
  /** A folder for its configuration; it is made. */
  readonly directory: string;
  /** The folder on the machine that is its volume. */
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** In place of the entry point. */
  readonly command?: readonly string[];
}

/** A container that was started. */
export interface RunningContainer {
  readonly ended: Promise<Ended>;
  /** Runs a program inside, as the user of the image. */
  execute(...command: readonly string[]): Promise<Ended>;
  /** Sends the image's signal for stopping to its first process. */
  stop(): Promise<Ended>;
  /** Ends and removes it, if it still runs. */
  kill(): Promise<void>;
}

/** Starts it; does not wait until it is ready. */
export function runContainer(plan: ContainerPlan): RunningContainer {
  mkdirSync(plan.directory);
  writeFileSync(join(plan.directory, 'config.json'), JSON.stringify(configOf(plan)));
  // The folder is new for each test, so its path is a name that nobody else uses.
  const id = `colonnade${plan.directory.replaceAll(/\W/g, '-')}`;
  const runc = ['--root', join(plan.directory, 'state')];
  const child = spawn('runc', [...runc, 'run', '--bundle', plan.directory, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return {
    ended,
    execute: (...command) => run([...runc, 'exec', id, ...command]),
    stop: async () => {
      const { code, stderr } = await run([...runc, 'kill', id, plan.image.config.StopSignal]);
      if (code !== 0) throw new Error(`runc cannot stop the container: ${stderr}`);
      return ended;
    },
    kill: async () => {
      await run([...runc, 'delete', '--force', id]);
      await ended.catch(() => {}); // the test that waits for it reports why it did not start
    },
  };
}

function run(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile('runc', args, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** The configuration that the OCI runtime specification defines. */
function configOf({ image, dataDir, environment, command }: ContainerPlan): object {
  const { Entrypoint, Cmd, Env, User } = image.config;
  const extra = Object.entries(environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const [volume = ''] = Object.keys(image.config.Volumes);
  return {
    ociVersion: '1.0.2',
    root: { path: image.root, readonly: true },
    process: {
      cwd: '/',
      user: userOf(image.root, User),
      env: [...Env, ...extra],
      args: command ?? [...Entrypoint, ...(Cmd ?? [])],
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs' },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs' },
      { destination: volume, type: 'bind', source: dataDir, options: ['rbind', 'rw'] },
    ],
    linux: { namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
  };
}

function userOf(root: string, name: string): { uid: number; gid: number } {
  const line = readFileSync(join(root, 'etc', 'passwd'), 'utf8')
    .split('\n')
    .find((user) => user.startsWith(`${name}:`));
  const [uid, gid] = (line ?? '').split(':').slice(2).map(Number);
  if (uid === undefined || gid === undefined) throw new Error(`the image has no user "${name}"`);
  return { uid, gid };
}
