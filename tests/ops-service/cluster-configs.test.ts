// The configurations of clusters over HTTP: ids, checks, secrets, events, nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOps } from './open-ops.js';

const local = { id: 'local', cassandra: { seed_hosts: '127.0.0.1' } };

function openConfigs() {
  const ops = openOps();
  return {
    ops,
    post: (body: unknown) => ops.ask({ path: '/cluster-configs', body }),
    put: (id: string, body: unknown) => ops.ask({ method: 'PUT', path: `/cluster-configs/${id}`, body }),
    get: async (id: string) => (await ops.ask({ path: `/cluster-configs/${id}` })).body,
    codes: async (id: string) => {
      const { body } = await ops.ask({ path: `/${id}/events` });
      return Array.isArray(body) ? body.map(({ action }) => action) : [];
    },
  };
}

describe('POST /cluster-configs', () => {
  it('gives the id as a JSON string, and the lists show the cluster', async () => {
    const { ops, post, get } = openConfigs();
    const config = {
      id: 'prod',
      cassandra: {
        seed_hosts: 'A.example , 10.0.0.2,,',
        native_port: '9142',
        username: 'u',
        password: 'hush',
        local_datacenter: 'dc1',
      },
      actions: { kind: 'management-api', port: 8080 },
      metrics: { prometheus: 'http://{host}:9103/metrics' },
    };
    const added = await post(config);
    assert.equal(added.status, 201);
    assert.equal(added.text, '"prod"');
    const shown = {
      id: 'prod',
      cassandra: {
        seed_hosts: 'a.example, 10.0.0.2',
        native_port: 9142,
        username: 'u',
        local_datacenter: 'dc1',
      },
      actions: { kind: 'management-api', port: 8080 },
      metrics: { prometheus: 'http://{host}:9103/metrics' },
    };
    assert.deepEqual(await get('prod'), shown);
    assert.deepEqual((await ops.ask({ path: '/cluster-configs' })).body, { local, prod: shown });
    assert.deepEqual(await get('local'), local);
  });

  it('makes ids of the first seed, another one for each cluster, none of them the first word of a path', async () => {
    const { post, ops } = openConfigs();
    const idFor = async (seed_hosts: string) => (await post({ cassandra: { seed_hosts } })).body;
    assert.equal(await idFor('10.0.0.1, 10.0.0.2'), '10-0-0-1');
    assert.equal(await idFor('10.0.0.1'), '10-0-0-1-2');
    assert.equal(await idFor('Node_1.Example.COM'), 'node_1-example-com');
    assert.equal(await idFor('local'), 'local-2');
    assert.equal(await idFor('metrics'), 'metrics-2');
    assert.equal(await idFor('::1'), '1');
    const long = await idFor(`${'a'.repeat(60)}.example`);
    assert.equal(long, 'a'.repeat(48));
    assert.equal(await idFor(`${'a'.repeat(60)}.example`), `${'a'.repeat(46)}-2`);
    assert.equal(
      (await ops.ask({ path: '/cluster-configs/', body: { cassandra: { seed_hosts: 'b' } } })).status,
      201,
    );
  });

  it('refuses an id that exists or is not valid', async () => {
    const { post } = openConfigs();
    const status = async (id: unknown) => (await post({ id, cassandra: { seed_hosts: 'a' } })).status;
    assert.equal(await status('one'), 201);
    assert.equal(await status('one'), 409);
    assert.equal(await status('local'), 409);
    for (const id of [
      'cluster-configs',
      'health',
      'metrics',
      'login',
      'openapi.json',
      'A',
      '-a',
      '',
      'a b',
      5,
    ]) {
      assert.equal(await status(id), 400, String(id));
    }
  });

  it('takes no port 0', async () => {
    const { post } = openConfigs();
    const cassandra = { seed_hosts: '10.0.0.1' };
    for (const [path, body] of [
      ['cassandra.native_port', { cassandra: { ...cassandra, native_port: 0 } }],
      ['cassandra.native_port', { cassandra: { ...cassandra, native_port: '0' } }],
      ['actions.port', { cassandra, actions: { kind: 'nodetool', port: 0 } }],
      ['metrics.prometheus', { cassandra, metrics: { prometheus: 'http://{host}:0/metrics' } }],
    ] as const) {
      const { details } = Object((await post(body)).body);
      assert.equal(details?.length, 1, JSON.stringify(body));
      assert.equal(details[0].path, path);
      assert.match(details[0].message, /port from 1 to 65535/);
    }
  });

  it('reports everything that is wrong in one reply', async () => {
    const { post } = openConfigs();
    const { status, body } = await post({
      cassandra: { seed_hosts: '1.2.3, ok', native_port: 70_000, password: 5, extra: 1, other: 2 },
      actions: { kind: 'ssh' },
      metrics: { prometheus: 'http://user:pass@{host}/' },
      more: true,
      'still.more': [],
    });
    assert.equal(status, 400);
    assert.deepEqual(Object(body).details, [
      {
        path: 'cassandra.seed_hosts',
        message: 'must be 1 to 50 addresses or host names with commas between them',
      },
      { path: 'cassandra.native_port', message: 'must be a port from 1 to 65535' },
      { path: 'cassandra.password', message: 'must be a text, not a number' },
      { path: 'cassandra.extra', message: 'is not known' },
      { path: 'cassandra.other', message: 'is not known' },
      { path: 'actions.kind', message: 'must be one of nodetool, management-api' },
      {
        path: 'metrics.prometheus',
        message: 'must be an http or https URL without a login; {host} stands for the node',
      },
      { path: 'more', message: 'is not known' },
      { path: 'still.more', message: 'is not known' },
    ]);
    assert.deepEqual(Object((await post([])).body).details, [
      { path: '', message: 'must be an object, not a list' },
    ]);
    assert.deepEqual(Object((await post('')).body).details, [{ path: '', message: 'the body is missing' }]);
    assert.equal((await post({})).status, 400);
    for (const seed_hosts of [
      '',
      ' , ',
      'a b',
      'a:9042',
      '-a',
      Array(51)
        .fill('a')
        .map((a, at) => a + at)
        .join(),
    ]) {
      assert.equal((await post({ cassandra: { seed_hosts } })).status, 400, seed_hosts);
    }
  });
});

describe('PUT /cluster-configs/{id}', () => {
  it('replaces all but the password, which null removes', async () => {
    const { ops, post, put, get } = openConfigs();
    await post({
      id: 'a',
      cassandra: { seed_hosts: 'x', username: 'u', password: 'p' },
      actions: { kind: 'nodetool' },
    });
    const reply = await put('a', { id: 'a', cassandra: { seed_hosts: 'x', local_datacenter: 'd' } });
    assert.equal(reply.text, 'null');
    assert.deepEqual(await get('a'), { id: 'a', cassandra: { seed_hosts: 'x', local_datacenter: 'd' } });
    // The password is still there: it would have to be sent again with another host.
    assert.equal((await put('a', { cassandra: { seed_hosts: 'y' } })).status, 400);
    assert.equal((await put('a', { cassandra: { seed_hosts: 'x', password: null } })).status, 200);
    assert.equal((await put('a', { cassandra: { seed_hosts: 'y' } })).status, 200);
    await ops.reopen();
    assert.deepEqual(await get('a'), { id: 'a', cassandra: { seed_hosts: 'y' } });
  });

  it('sends a stored password to no other host or port', async () => {
    const { post, put } = openConfigs();
    await post({ id: 'a', cassandra: { seed_hosts: 'x', native_port: 9042, password: 'p' } });
    for (const [path, body] of [
      ['a', { cassandra: { seed_hosts: 'evil', native_port: 9042 } }],
      ['a', { cassandra: { seed_hosts: 'x' } }],
      ['a/partial', { cassandra: { seed_hosts: 'evil' } }],
      ['a/partial', { cassandra: { native_port: 1 } }],
      ['a/partial', { cassandra: { native_port: null } }],
    ] as const) {
      const { status, body: refusal } = await put(path, body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(Object(refusal).details[0].path, 'cassandra.password');
    }
    const moved = { cassandra: { seed_hosts: 'y', password: 'p' } };
    assert.equal((await put('a/partial', moved)).status, 200);
  });

  it('never changes an id, and refuses one that does not exist', async () => {
    const { post, put, ops } = openConfigs();
    await post({ id: 'a', cassandra: { seed_hosts: 'x' } });
    const body = { cassandra: { seed_hosts: 'x' } };
    assert.equal((await put('a', { ...body, id: 'b' })).status, 409);
    assert.equal((await put('a/partial', { id: 'b' })).status, 409);
    assert.equal((await put('b', body)).status, 404);
    assert.equal((await put('local', body)).status, 409);
    assert.equal((await put('local/partial', body)).status, 409);
    for (const [id, status] of [
      ['local', 409],
      ['b', 404],
    ] as const) {
      assert.equal((await ops.ask({ method: 'DELETE', path: `/cluster-configs/${id}` })).status, status);
    }
  });
});

describe('PUT /cluster-configs/{id}/partial', () => {
  it('changes property by property; null removes one', async () => {
    const { post, put, get } = openConfigs();
    await post({ id: 'a', cassandra: { seed_hosts: 'x', native_port: 1, username: 'u' } });
    await put('a/partial', { cassandra: { native_port: 2 }, actions: { kind: 'nodetool', port: 7199 } });
    await put('a/partial', { cassandra: { username: null }, actions: { port: null } });
    assert.deepEqual(await get('a'), {
      id: 'a',
      cassandra: { seed_hosts: 'x', native_port: 2 },
      actions: { kind: 'nodetool' },
    });
    await put('a/partial', { actions: null });
    assert.deepEqual(await get('a'), { id: 'a', cassandra: { seed_hosts: 'x', native_port: 2 } });
    const withoutKind = await put('a/partial', { actions: { port: 5 } });
    assert.equal(withoutKind.status, 400);
    assert.deepEqual(Object(withoutKind.body).details, [{ path: 'actions.kind', message: 'is missing' }]);
  });
});

describe('the events of a cluster', () => {
  it('say that it was added, changed and removed, in its own log', async () => {
    const { ops, post, put, codes } = openConfigs();
    const config = { id: 'a', cassandra: { seed_hosts: 'x', password: 'hush' } };
    await post(config);
    await put('a/partial', { cassandra: { username: 'u' } });
    assert.deepEqual(await codes('a'), [1031, 1030]);
    assert.equal((await ops.ask({ method: 'DELETE', path: '/cluster-configs/a' })).text, 'null');
    assert.equal((await ops.ask({ path: '/a/events' })).status, 404);
    await post(config);
    const { text } = await ops.ask({ path: '/a/events' });
    assert.deepEqual(await codes('a'), [1030, 1032, 1031, 1030]);
    assert.doesNotMatch(text, /hush/);
  });
});

describe('the nodes of a cluster', () => {
  it('are its seeds as long as none was reached', async () => {
    const { ops, post } = openConfigs();
    await post({ id: 'a', cassandra: { seed_hosts: 'seed-1, 10.0.0.2' } });
    const { body } = await ops.ask({ path: '/a/nodes' });
    const never = (node_ip: string) => ({
      node_ip,
      dc: null,
      rack: null,
      hostname: null,
      state: 'unknown',
      last_seen: null,
      load: null,
      os: null,
      version: null,
    });
    assert.deepEqual(body, [never('seed-1'), never('10.0.0.2')]);
    assert.deepEqual((await ops.ask({ path: '/a/nodes/seed-1' })).body, never('seed-1'));
    const unknown = await ops.ask({ path: '/a/nodes/10.0.0.3' });
    assert.equal(unknown.status, 404);
    assert.equal(Object(unknown.body).message, 'the cluster a has no node "10.0.0.3"');
  });

  it('of local are one, which is up', async () => {
    const { ops } = openConfigs();
    const { body } = await ops.ask({ path: '/local/nodes/127.0.0.1' });
    const { node_ip, dc, state, last_seen, version } = Object(body);
    assert.deepEqual(
      [node_ip, dc, state, last_seen, version],
      ['127.0.0.1', 'datacenter1', 'up', Date.UTC(2026, 0, 1) / 1000, '1.2.3'],
    );
  });
});
