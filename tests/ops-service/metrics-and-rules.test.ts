// Metrics, rules and alerts over HTTP, with a data service whose figures the test sets and a moved clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openWatched, tick } from './watched-ops.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('alert rules over HTTP', () => {
  const { ops } = openWatched();

  it('begin with the disk of the data directory and the storage, and stay deleted', async () => {
    const { body } = await ops.ask({ path: '/local/alert-rules' });
    const rules = body as { id: string }[];
    for (const { id } of rules) assert.match(id, uuid);
    const shared = { duration: 1, notify_interval: 0, enabled: 1, no_data: 'keep' };
    const disk = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: 85, comparator: '>' };
    assert.deepEqual(
      rules.map(({ id: _, ...rest }) => rest),
      [
        { ...disk, ...shared, level: 'WARN' },
        { type: 'node-down', ...shared, level: 'CRITICAL' },
      ],
    );
    for (const { id } of rules) await ops.ask({ method: 'DELETE', path: `/local/alert-rules/${id}` });
    await ops.reopen();
    assert.deepEqual((await ops.ask({ path: '/local/alert-rules' })).body, []);
  });

  it('are created, shown, changed and deleted', async () => {
    const body = {
      type: 'rolling-avg',
      metric: 'write-ops',
      threshold: 60,
      duration: 60,
      notify_interval: 5,
    };
    const created = await ops.ask({ path: '/local/alert-rules/', body });
    assert.equal(created.status, 201);
    assert.match(String(created.body), uuid);
    const path = `/local/alert-rules/${created.body}`;
    assert.match(
      (await ops.ask({ path })).text,
      /"threshold":60\.0.*"duration":60\.0,"notify_interval":5\.0/,
    );
    const changed = await ops.ask({ method: 'PUT', path, body: { threshold: 61.5, dc: 'datacenter1' } });
    assert.deepEqual([changed.status, changed.text], [200, 'null']);
    assert.match((await ops.ask({ path })).text, /"threshold":61\.5/);
    await ops.reopen();
    assert.match((await ops.ask({ path })).text, /"dc":"datacenter1"/);
    const removed = await ops.ask({ method: 'DELETE', path });
    assert.deepEqual([removed.status, removed.text], [200, 'null']);
    for (const method of ['GET', 'DELETE']) assert.equal((await ops.ask({ method, path })).status, 404);
    assert.equal((await ops.ask({ method: 'PUT', path, body: {} })).status, 404);
  });

  it('are listed by creation', async () => {
    const types = ['node-down', 'agent-issue', 'cluster-balance'];
    for (const type of types) await ops.ask({ path: '/local/alert-rules', body: { type } });
    await ops.reopen();
    const { body } = await ops.ask({ path: '/local/alert-rules' });
    assert.deepEqual(
      (body as { type: string }[]).map(({ type }) => type),
      types,
    );
  });

  it('are refused with every problem, and with 409 for what cannot change', async () => {
    const refused = await ops.ask({
      path: '/local/alert-rules',
      body: { id: 'x', type: 'percentile', threshold: 'high', cf: 'ks.t', colour: 1, level: 'LOUD' },
    });
    assert.equal(refused.status, 400);
    const { details } = refused.body as { details: { path: string }[] };
    assert.deepEqual(details.map(({ path }) => path).sort(), [
      'colour',
      'id',
      'level',
      'metric',
      'threshold',
    ]);
    const { body: id } = await ops.ask({ path: '/local/alert-rules', body: { type: 'node-down' } });
    const path = `/local/alert-rules/${id}`;
    assert.equal((await ops.ask({ method: 'PUT', path, body: { type: 'node-down', id } })).status, 200);
    assert.equal((await ops.ask({ method: 'PUT', path, body: { type: 'agent-issue' } })).status, 409);
    assert.equal((await ops.ask({ method: 'PUT', path, body: { id: 'other' } })).status, 409);
    const all = await ops.ask({ method: 'PUT', path, body: { id: 'other', duration: -1, colour: 'red' } });
    const paths = Object(all.body).details.map((detail: { path: string }) => detail.path);
    assert.deepEqual([all.status, ...paths], [409, 'id', 'duration', 'colour']);
    for (const body of ['null', '[]', '"x"', '', '{']) {
      assert.equal((await ops.ask({ method: 'PUT', path, body })).status, 400, body);
    }
  });

  it('are described by the OpenAPI document field by field', async () => {
    const { body } = await ops.ask({ path: '/openapi.json' });
    const { paths } = body as { paths: Record<string, Record<string, object>> };
    const post = Object(paths['/{cluster_id}/alert-rules']?.['post']);
    const { properties, required } = post.requestBody.content['application/json'].schema;
    const fields =
      'type metric threshold comparator duration notify_interval enabled cf item dc resolve_threshold';
    const own = 'no_data level percentile window spread annotations';
    assert.deepEqual(Object.keys(properties), `${fields} ${own}`.split(' '), 'the service makes the id');
    assert.deepEqual(required, ['type']);
    const put = Object(paths['/{cluster_id}/alert-rules/{alert_id}']?.['put']);
    const changed = put.requestBody.content['application/json'].schema.properties;
    assert.deepEqual(Object.keys(changed), ['id', ...Object.keys(properties)]);
    assert.deepEqual(changed.threshold, { anyOf: [properties.threshold, { type: 'null' }] });
    const fired = Object(paths['/{cluster_id}/alerts/fired']?.['get']).responses[200];
    const { first_fired } = fired.content['application/json'].schema.items.properties;
    assert.equal(first_fired.type, 'integer');
  });

  it('belong to existing clusters', async () => {
    assert.equal((await ops.ask({ path: '/other/alert-rules' })).status, 404);
    assert.equal((await ops.ask({ path: '/other/alerts/fired' })).status, 404);
  });
});

describe('alerts over HTTP', () => {
  it('fire, are acknowledged, and clear', async () => {
    const { ops, pass } = openWatched();
    const rule = { type: 'rolling-avg', metric: 'write-ops', threshold: 5, duration: 0.5 };
    const { body: id } = await ops.ask({ path: '/local/alert-rules', body: rule });
    await pass(3, 100);
    assert.deepEqual((await ops.ask({ path: '/local/alerts/fired' })).body, []);
    await pass(1, 120);
    const first_fired = Math.floor(ops.clock.nowMs() / 1000);
    const fired = {
      alert_rule_id: id,
      current_value: (100 + 100 + 120) / 30,
      first_fired,
      node: '127.0.0.1',
    };
    assert.deepEqual((await ops.ask({ path: '/local/alerts/fired' })).body, [fired]);
    const { body } = await ops.ask({ path: '/local/alerts' });
    const [alert] = body as { id: string; state: string }[];
    assert.equal(alert?.state, 'firing');
    const ack = `/local/alerts/${alert?.id}/ack`;
    assert.deepEqual([(await ops.ask({ method: 'POST', path: ack })).text], ['null']);
    await ops.reopen();
    const [kept] = (await ops.ask({ path: '/local/alerts' })).body as { id: string; state: string }[];
    assert.deepEqual([kept?.id, kept?.state], [alert?.id, 'acknowledged']);
    assert.equal((await ops.ask({ method: 'DELETE', path: ack })).status, 200);
    await pass(4, 0);
    assert.deepEqual((await ops.ask({ path: '/local/alerts' })).body, []);
    assert.equal((await ops.ask({ method: 'POST', path: ack })).status, 404);
    const { body: events } = await ops.ask({ path: '/local/events?count=100' });
    const actions = (events as { action: number }[])
      .map(({ action }) => action)
      .filter((code) => code >= 1000);
    assert.deepEqual(actions, [1001, 1002, 1002, 1000, 1010]);
  });

  it('report a jump of the clock', async () => {
    const { ops } = openWatched();
    await tick(ops);
    ops.clock.jump(3_600_000);
    await tick(ops);
    const { body } = await ops.ask({ path: '/local/events' });
    assert.equal((body as { action: number }[]).filter(({ action }) => action === 1050).length, 1);
  });
});

describe('metrics over HTTP', () => {
  const { ops, pass } = openWatched();
  const get = async (path: string) =>
    (await ops.ask({ path })).body as Record<string, Record<string, unknown>>;

  it('give what was read, by function', async () => {
    await pass(6, 30);
    const reply = await get('/local/metrics/127.0.0.1/write-ops');
    assert.deepEqual(Object.keys(reply['127.0.0.1'] ?? {}).sort(), ['AVERAGE', 'MAX', 'MIN']);
    const [point] = (reply['127.0.0.1']?.['MAX'] ?? []) as [number, number][];
    assert.equal(point?.[1], 3);
    assert.equal((point?.[0] ?? 1) % 60, 0);
    const one = await get('/local/metrics/127.0.0.1/write-ops?function=average&step=5');
    assert.deepEqual(Object.keys(one['127.0.0.1'] ?? {}), ['AVERAGE']);
  });

  it('give tables, devices, distributions and data centers', async () => {
    assert.deepEqual(Object.keys(await get('/local/metrics/127.0.0.1/ks/t/cf-write-ops')), ['ks.t']);
    const [disk = ''] = Object.keys(await get('/local/metrics/127.0.0.1/os-disk-usage'));
    assert.match(disk, /^\//);
    const one = await get(`/local/metrics/127.0.0.1/os-disk-usage/${encodeURIComponent(disk)}`);
    assert.deepEqual(Object.keys(one), [disk]);
    const parts = await get('/local/metrics/127.0.0.1/write-histogram');
    assert.deepEqual(Object.keys(parts['127.0.0.1'] ?? {}).sort(), ['MAX', 'MIN', 'P50', 'P90', 'P99']);
    assert.deepEqual(Object.keys(await get('/local/cluster-metrics/datacenter1/write-ops')), ['datacenter1']);
    assert.deepEqual(Object.keys(await get('/local/cluster-metrics/all/ks/t/cf-write-ops')), ['ks.t']);
  });

  it('take aliases, and are empty for what is not available', async () => {
    assert.equal(Object.keys(await get('/local/metrics/127.0.0.1/pending-write-ops')).length, 1);
    assert.deepEqual(await get('/local/metrics/127.0.0.1/cms-collection-count'), {});
  });

  const refused: readonly (readonly [string, number])[] = [
    ['metrics/127.0.0.1/nothing', 404],
    ['metrics/10.9.9.9/write-ops', 404],
    ['metrics/127.0.0.1/write-ops/eth0', 404],
    ['metrics/127.0.0.1/ks/t/write-ops', 404],
    ['cluster-metrics/nowhere/write-ops', 404],
    ['metrics/127.0.0.1/write-ops?step=2', 400],
    ['metrics/127.0.0.1/write-ops?start=x', 400],
    ['metrics/127.0.0.1/write-ops?start=5&end=4', 400],
    ['metrics/127.0.0.1/write-ops?function=sum', 400],
    ['metrics/127.0.0.1/write-ops?colour=1', 400],
    ['new-metrics', 400],
    ['new-metrics?metrics=nothing', 404],
    ['new-metrics?metrics=write-ops&nodes=10.9.9.9', 404],
    ['new-metrics?metrics=write-ops&step=61', 400],
    ['metrics/127.0.0.1/ks/nothing/cf-write-ops', 404],
    ['cluster-metrics/all/ks/nothing/cf-write-ops', 404],
    ['new-metrics?metrics=write-ops&forecast=1', 400],
    ['new-metrics?metrics=write-ops&start=0&end=99999999999', 400],
  ];
  for (const [path, status] of refused) {
    it(`answers ${status} to ${path}`, async () => {
      assert.equal((await ops.ask({ path: `/local/${path}` })).status, status);
    });
  }

  it('limit what new-metrics looks up, and name the limit', async () => {
    const refusal = async (query: string) => {
      const { status, body } = await ops.ask({ path: `/local/new-metrics?${query}` });
      assert.equal(status, 400);
      return Object(body).details;
    };
    const names = (count: number) => Array.from({ length: count }, (_, at) => `a.t${at}`).join(',');
    assert.deepEqual(await refusal(`metrics=${names(101)}`), [
      { path: 'metrics', message: 'must name at most 100' },
    ]);
    assert.deepEqual(await refusal(`metrics=cf-write-ops&columnfamilies=${names(1001)}`), [
      { path: 'columnfamilies', message: 'must name at most 1000' },
    ]);
    const keys = (await ops.ask({ path: '/metric-keys' })).body as { key: string; scope: string }[];
    const ofTables = keys.filter(({ scope }) => scope === 'table').map(({ key }) => key);
    assert.ok(ofTables.length > 10);
    assert.deepEqual(
      await refusal(`metrics=${ofTables.join(',')}&columnfamilies=${names(1000)}&end=1&start=0`),
      [
        {
          path: 'metrics',
          message: 'selects more than 10000 series: request fewer metrics, columnfamilies or nodes',
        },
      ],
    );
    const twice = 'metrics=write-ops,write-ops';
    const { body } = await ops.ask({ path: `/local/new-metrics?${twice}` });
    assert.equal(Object(body).data['127.0.0.1'].length, 1);
  });

  it('give one value for each step in new-metrics', async () => {
    const nowS = Math.floor(ops.clock.nowMs() / 1000);
    const query = `metrics=write-ops,cf-write-ops&start=${nowS - 300}&end=${nowS}`;
    const { body } = await ops.ask({ path: `/local/new-metrics?${query}` });
    const { data } = body as {
      data: Record<string, { metric: string; columnfamily?: string; 'data-points': (number | null)[][] }[]>;
    };
    const [whole, table] = data['127.0.0.1'] ?? [];
    assert.equal(whole?.metric, 'write-ops');
    assert.equal(table?.columnfamily, 'ks.t');
    assert.ok([5, 6].includes(whole?.['data-points'].length ?? 0));
    assert.ok(whole?.['data-points'].some(([value]) => value === 3));
    const together = await get(`/local/new-metrics?node_aggregation=1&node_group=*&${query}`);
    assert.deepEqual(Object.keys(together['data'] ?? {}), ['*']);
  });

  it('list every key with its aliases', async () => {
    const { body } = await ops.ask({ path: '/metric-keys' });
    const keys = body as { key: string; available: boolean; alias_of?: string; source: string }[];
    const find = (name: string) => keys.find(({ key }) => key === name);
    assert.equal(find('read-ops')?.available, true);
    assert.equal(find('cms-collection-count')?.available, false);
    assert.equal(find('pending-read-ops')?.alias_of, 'pending-read-stage');
    assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
  });
});
