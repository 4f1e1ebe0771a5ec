// The servers beside which `bench:documents` measures ours: PocketBase for documents, Chroma for vectors. They are not
// installed with the package; options name their programs.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { cpuSecondsOf, type ServerProcess } from './child-process.js';
import { rivalCollections } from './document-rival-requests.js';

/** How to get the programs. */
export const howToInstall = {
  pocketBase:
    'PocketBase is not measured: `go install github.com/pocketbase/pocketbase/examples/base@v0.36.0`, then --pocketbase ~/go/bin/base',
  chroma:
    'Chroma is not measured: `python3 -m venv chroma && chroma/bin/pip install chromadb`, then --chroma chroma/bin/chroma',
} as const;

/** A server with what it made for the benchmark. */
export interface Rival {
  readonly server: ServerProcess;
  /** The path of its collection; empty if paths are fixed. */
  readonly place: string;
}

const login = { identity: 'bench@example.com', password: 'benchmark-1' } as const;
const startTimeoutMs = 60_000;

/** Starts PocketBase with two collections of documents in a directory; everyone may read and write them. */
export async function startPocketBaseServer(program: string, directory: string): Promise<Rival> {
  const made = spawnSync(program, [
    'superuser',
    'upsert',
    login.identity,
    login.password,
    '--dir',
    directory,
  ]);
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}`);
  const port = await freePort();
  const args = ['serve', '--http', `127.0.0.1:${port}`, '--dir', directory];
  const server = await startProgram(program, args, port, '/api/health');
  const path = '/api/collections/_superusers/auth-with-password';
  const { token } = await post(port, path, login);
  for (const name of Object.values(rivalCollections))
    await post(port, '/api/collections', pocketBaseCollection(name), String(token));
  return { server, place: '' };
}

/** A field for each member; those that are objects or arrays are JSON. */
function pocketBaseCollection(name: string): object {
  const id = { name: 'id', type: 'text', primaryKey: true, required: true, system: true, max: 80 };
  const fieldsOf = (type: string, ...names: readonly string[]) =>
    names.map((field) => ({ name: field, type }));
  const everyone = { listRule: '', viewRule: '', createRule: '', updateRule: '' };
  return {
    name,
    type: 'base',
    ...everyone,
    fields: [
      { ...id, pattern: '^[a-z0-9-]+$' },
      ...fieldsOf('text', 'name', 'email', 'status', 'sku', 'owner', 'language', 'note', 'text'),
      ...fieldsOf('number', 'age', 'score', 'price', 'quantity', 'group', 'rank', 'visits'),
      ...fieldsOf('bool', 'active', 'flag'),
      ...fieldsOf('date', 'created'),
      ...fieldsOf('json', 'tags', 'address'),
    ],
    indexes: [`CREATE INDEX ${name}_sku ON ${name} (sku)`],
  };
}

/** Starts Chroma with a collection of vectors in a directory. */
export async function startChroma(program: string, directory: string): Promise<Rival> {
  const port = await freePort();
  const args = ['run', '--path', directory, '--host', '127.0.0.1', '--port', String(port)];
  const server = await startProgram(program, args, port, '/api/v2/heartbeat');
  const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections';
  const settings = { name: 'bench_vectors', configuration: { hnsw: { space: 'cosine' } } };
  const { id } = await post(port, collections, settings);
  return { server, place: `${collections}/${id}` };
}

async function startProgram(
  program: string,
  args: readonly string[],
  port: number,
  readyPath: string,
): Promise<ServerProcess> {
  const startMs = performance.now();
  const child = spawn(program, args, { stdio: 'ignore' });
  let hasEnded = false;
  child.once('close', () => {
    hasEnded = true;
  });
  child.once('error', () => {
    hasEnded = true;
  });
  while (!(await isReady(port, readyPath))) {
    if (hasEnded || performance.now() - startMs > startTimeoutMs)
      throw new Error(`${program} did not become ready`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    pid: child.pid ?? 0,
    opsPort: () => 0,
    startToReadyMs: performance.now() - startMs,
    residentMb: () => Number.NaN,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: () => stop(child, () => hasEnded),
  };
}

async function isReady(port: number, path: string): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  await reply?.arrayBuffer();
  return reply?.ok === true;
}

async function stop(child: ChildProcess, hasEnded: () => boolean): Promise<void> {
  if (hasEnded()) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await closed;
}

/** A port that nothing listened to a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

async function post(
  port: number,
  path: string,
  body: object,
  token = '',
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>; // both servers answer with objects
}
