// What the OpenAPI document says beside bodies and replies, which every request of these tests is held against.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonSchema, problemsOf } from './json-schema.js';
import { openOps } from './open-ops.js';

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, JsonSchema>> };
}

describe('the OpenAPI document', () => {
  const ops = openOps();
  const read = async () => (await ops.ask({ path: '/openapi.json' })).body as Document;
  const operation = async (method: string, path: string) => {
    const found = (await read()).paths[path]?.[method];
    assert.ok(found !== undefined);
    return found;
  };

  for (const path of ['/{cluster_id}/events/stream', '/{cluster_id}/alerts/stream']) {
    it(`has the header Last-Event-ID for ${path}`, async () => {
      const { parameters } = await operation('get', path);
      const header = parameters.find((parameter) => parameter.in === 'header');
      assert.equal(header?.name, 'Last-Event-ID');
      assert.equal(header.required, false);
      assert.deepEqual(problemsOf('1767225600000000', header.schema, {}), []);
      assert.equal(problemsOf('x', header.schema, {}).length, 1);
    });
  }

  it('has the schemes of sessions and tokens, and which of them a path takes', async () => {
    const { components } = await read();
    const schemes = Object.entries(components.securitySchemes).map(([name, scheme]) => [
      name,
      scheme['type'],
      scheme['in'] ?? scheme['scheme'],
      scheme['name'],
    ]);
    assert.deepEqual(schemes, [
      ['session', 'apiKey', 'header', 'opscenter-session'],
      ['sessionCookie', 'apiKey', 'cookie', 'opscenter-session'],
      ['token', 'apiKey', 'header', 'Token'],
      ['metricsToken', 'http', 'bearer', undefined],
    ]);
    const schemesOf = async (method: string, path: string) =>
      (await operation(method, path)).security.flatMap((choice) => Object.keys(choice));
    assert.deepEqual(await schemesOf('get', '/{cluster_id}/events'), ['session', 'sessionCookie']);
    assert.deepEqual(await schemesOf('post', '/{cluster_id}/alert-rules'), [
      'session',
      'sessionCookie',
      'token',
    ]);
    assert.deepEqual(await schemesOf('get', '/metrics'), ['metricsToken']);
    assert.deepEqual(await schemesOf('post', '/login'), []);
  });

  it('says which bodies may be left out', async () => {
    const { paths } = await read();
    const optional = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        requestBody?.required === false ? [`${method} ${path}`] : [],
      ),
    );
    assert.deepEqual(optional, ['post /{cluster_id}/ops/{action}/{ip}/{ks}']);
  });

  for (const [path, taken, refused] of [
    ['/{cluster_id}/embedding-keys/{key_name}', { providerKey: 'k' }, { providerKey: '' }],
    ['/{cluster_id}/embedding-keys/{key_name}', { accessId: 'a', secretKey: 's' }, { accessId: 'a' }],
    ['/{cluster_id}/alert-rules/{alert_id}', { dc: null }, { type: null }],
    ['/{cluster_id}/alert-rules/{alert_id}', { enabled: 0 }, { foo: null }],
    ['/{cluster_id}/notification-channels/{channel_id}', { name: null }, { type: null }],
    ['/{cluster_id}/notification-channels/{channel_id}', { events: true }, { foo: null }],
    [
      '/cluster-configs/{id}',
      { cassandra: { seed_hosts: 'a', native_port: '9042' } },
      { cassandra: { seed_hosts: 'a', native_port: 0 } },
    ],
    ['/cluster-configs/{id}/partial', { cassandra: { password: null } }, { cassandra: { foo: null } }],
  ] as const) {
    const bodies = `${JSON.stringify(taken)}, and not ${JSON.stringify(refused)}`;
    it(`says what PUT ${path} takes: ${bodies}`, async () => {
      const { requestBody } = await operation('put', path);
      assert.ok(requestBody !== undefined);
      const { schema } = requestBody.content['application/json'];
      assert.deepEqual(problemsOf(taken, schema, {}), []);
      assert.notDeepEqual(problemsOf(refused, schema, {}), []);
    });
  }
});
