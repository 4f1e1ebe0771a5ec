// The image of docs/service/Containerfile, built and run: with a token, users, a volume, a health check and a stop.
import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { type BuiltImage, ImageStore, whyNoImages } from './image-store.js';
import { type RunningContainer, runContainer } from './run-container.js';

const nodeUser = 1000;
const secrets = {
  COLONNADE_TOKEN: 'token-of-the-image',
  COLONNADE_OPS_HOST: '0.0.0.0',
  COLONNADE_OPS_USER: 'ada',
  COLONNADE_OPS_PASSWORD: 'right-horse',
  COLONNADE_ALLOWED_HOSTS: '127.0.0.2',
};
// Not the address of loopback connections: those would also reach a server that listens on loopback alone.
const data = 'http://127.0.0.2:8181';
const operations = 'http://127.0.0.2:8888';
const table = {
  createTable: { name: 'books', definition: { columns: { isbn: 'text' }, primaryKey: 'isbn' } },
};

describe('the image of the Containerfile', { skip: whyNoImages() }, () => {
  const store = whyNoImages() === false ? new ImageStore() : undefined;
  let image: BuiltImage;
  let containers = 0;
  const started: RunningContainer[] = [];

  before(async () => {
    if (store !== undefined) image = await store.build();
  });
  after(() => store?.remove());
  // A failed assertion leaves it running.
  afterEach(async () => {
    await Promise.all(started.splice(0).map((container) => container.kill()));
  });

  /** With a new volume unless one is given. */
  function start(
    environment: Readonly<Record<string, string>>,
    dataDir = newVolume(),
    command?: readonly string[],
  ): RunningContainer {
    containers += 1;
    const directory = join(store?.directory ?? '', `container-${containers}`);
    const container = runContainer({ image, directory, dataDir, environment, ...(command && { command }) });
    started.push(container);
    return container;
  }

  /** Makes what a container engine makes: it belongs to the owner of the folder in the image. */
  function newVolume(): string {
    const inImage = statSync(join(image.root, Object.keys(image.config.Volumes)[0] ?? ''));
    const path = join(store?.directory ?? '', `volume-${containers}`);
    mkdirSync(path, { mode: inImage.mode & 0o777 });
    chownSync(path, inImage.uid, inImage.gid);
    return path;
  }

  it('adds less than 100 MB to its base, and says how it is run', (test) => {
    const added = image.layerBytes.at(-1) ?? Number.NaN;
    test.diagnostic(`${image.layerBytes.map((bytes) => Math.round(bytes / 1e6)).join(' + ')} MB`);
    assert.ok(added < 100_000_000, `${added} bytes`);
    assert.equal(image.config.User, 'node');
    assert.deepEqual(Object.keys(image.config.ExposedPorts), ['8181/tcp', '8888/tcp']);
    assert.deepEqual(Object.keys(image.config.Volumes), ['/data']);
  });

  it('does not start without a token, and says what to set', async () => {
    const { code, stderr } = await start({}).ended;
    assert.equal(code, 2);
    assert.match(stderr, /COLONNADE_TOKEN/);
  });

  it('answers on both ports, as the user node, and keeps its rows across a stop', async () => {
    const dataDir = newVolume();
    const first = start(secrets, dataDir);
    await untilHealthy(first, image);
    assert.equal((await first.execute('id', '-u')).stdout, `${nodeUser}\n`);
    const headers = { token: secrets.COLONNADE_TOKEN };
    assert.match(await request(first, `${data}/v1/default_keyspace`, table), /^401 /);
    assert.equal(
      await request(first, `${data}/v1/default_keyspace`, table, headers),
      '200 {"status":{"ok":1}}',
    );
    const row = { insertOne: { document: { isbn: 'a' } } };
    assert.match(
      await request(first, `${data}/v1/default_keyspace/books`, row, headers),
      /^200 .*"insertedIds"/,
    );
    assert.match(await request(first, `${operations}/local/events`), /^401 /);
    const login = { username: secrets.COLONNADE_OPS_USER, password: secrets.COLONNADE_OPS_PASSWORD };
    assert.match(await request(first, `${operations}/login`, login), /^200 .*"sessionid"/);
    assert.match(await request(first, `${operations}/`), /^200 <!doctype html>/i);
    const stopped = await first.stop();
    assert.deepEqual([stopped.code, stopped.stderr.match(/"level":(50|60)/)], [0, null]);
    const files = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)));
    assert.ok(files.length > 0 && files.every(({ uid }) => uid === nodeUser));

    const second = start(secrets, dataDir);
    await untilHealthy(second, image);
    const find = { findOne: {} };
    assert.match(await request(second, `${data}/v1/default_keyspace/books`, find, headers), /"isbn":"a"/);
    assert.equal((await second.stop()).code, 0);
  });

  it('has a health check that fails without a server', async () => {
    const [, ...check] = image.config.Healthcheck.Test;
    const { code, stderr } = await start({}, undefined, check).ended;
    assert.deepEqual([code, stderr], [1, '']);
  });

  it('says which folder it cannot write to', async () => {
    const dataDir = newVolume();
    chownSync(dataDir, 0, 0);
    for (const further of [{}, { COLONNADE_FOLLOW: '/archive' }]) {
      const { code, stderr } = await start({ ...secrets, ...further }, dataDir).ended;
      assert.notEqual(code, 0);
      assert.match(stderr, /the data directory \/data .*EACCES.* writable for the user 1000/);
    }
  });
});

/** Waits until the health check of the image passes. */
async function untilHealthy(container: RunningContainer, { config }: BuiltImage): Promise<void> {
  const [kind, ...command] = config.Healthcheck.Test;
  assert.equal(kind, 'CMD');
  let hasEnded = false;
  container.ended.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  for (let attempt = 0; attempt < 100 && !hasEnded; attempt += 1) {
    if ((await container.execute(...command)).code === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the container did not become healthy: ${hasEnded ? (await container.ended).stderr : ''}`);
}

/** From inside the container, whose network nobody else has. Returns the status and the body. */
async function request(
  container: RunningContainer,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const init = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  };
  const script = `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
    .then(async (reply) => console.log(reply.status, await reply.text()))`;
  const { stdout, stderr } = await container.execute('node', '-e', script);
  assert.equal(stderr, '');
  return stdout.trim();
}
