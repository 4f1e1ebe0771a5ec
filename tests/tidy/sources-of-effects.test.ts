// Clock, randomness, environment, network and disk are passed in: one named file touches each.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { isTest, readSamples, readSources, type Source } from './read-sources.js';

/** Names that only the listed files of src may use. Tests and benchmarks are free to. */
const guardedNames: readonly { readonly names: readonly string[]; readonly only: readonly string[] }[] = [
  { names: ['process.env'], only: ['src/foundation/config/load-config.ts'] },
  {
    names: ['Date.now', 'new Date()', 'performance.now', 'process.hrtime'],
    only: ['src/foundation/telemetry/clock.ts'],
  },
  {
    names: ['Math.random', 'randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'],
    // Secrets are made where they are kept; everything else random is handed out by the file that wires.
    only: [
      'src/foundation/secrets/secret-file.ts',
      'src/foundation/secrets/encrypted-file.ts',
      'src/foundation/secrets/password-hash.ts',
      'src/archive/shipping/shipping-thread.ts',
      'src/bin/following/follow-thread.ts',
      'src/bin/data/open-data-service.ts',
      'src/bin/library.ts',
      'src/bin/large-requests/large-request-thread.ts',
      'src/bin/ops/open-shared-parts.ts',
      'src/bin/parts/open-embedding.ts',
    ],
  },
  // It cannot check the address that it connects to.
  { names: ['fetch'], only: [] },
];

/** Modules that only the listed files import; tests in the listed folders may check against the module itself. */
const guardedModules: readonly {
  readonly module: string;
  readonly only: readonly string[];
  readonly tests: readonly string[];
}[] = [
  {
    module: '@photostructure/sqlite',
    only: ['src/foundation/sqlite/open-database.ts'],
    tests: [
      'benchmarks',
      'src/data-service/column-types',
      'src/foundation/sqlite',
      'tests/conformance',
      'tests/faults',
    ],
  },
  {
    module: 'node:http',
    // The parts of the server take the library's requests and responses; everybody else sees our own.
    only: [
      'src/foundation/http/server.ts',
      'src/foundation/http/body-intake.ts',
      'src/foundation/http/connection-requests.ts',
      'src/foundation/http/incoming-request.ts',
      'src/foundation/http/open-reply.ts',
      'src/foundation/http/reply-body.ts',
      'src/foundation/http/send-reply.ts',
      'src/foundation/http/send-request.ts',
    ],
    tests: ['benchmarks', 'tests', 'src/foundation/http', 'src/data-service/http', 'src/ops-service'],
  },
  {
    module: 'node:https',
    only: ['src/foundation/http/server.ts', 'src/foundation/http/send-request.ts'],
    tests: ['tests', 'src/foundation/http'],
  },
  { module: 'node:dns', only: ['src/foundation/http/checked-lookup.ts'], tests: ['tests/ops-service'] },
  {
    module: 'cassandra-driver',
    only: [
      'src/foundation/cassandra/driver-client.ts',
      'src/foundation/cassandra/open-session.ts',
      'src/foundation/cassandra/driver-cql-session.ts',
      'src/foundation/cassandra/driver-data-client.ts',
      'src/foundation/cassandra/driver-policies.ts',
      'src/foundation/cassandra/driver-statement.ts',
      'src/foundation/cassandra/driver-text.ts',
      'src/foundation/cassandra/driver-timestamps.ts',
    ],
    tests: ['benchmarks', 'src/data-service/column-types', 'tests/conformance', 'tests/differential'],
  },
  {
    module: 'aws4fetch',
    only: ['src/archive/stores/s3-store.ts', 'src/data-service/embedding/providers/bedrock.ts'],
    tests: [],
  },
  { module: 'nodemailer', only: ['src/ops-service/notifications/channels/email.ts'], tests: [] },
  {
    module: 'net-snmp',
    only: ['src/ops-service/notifications/channels/snmp.ts'],
    tests: ['tests/conformance'],
  },
  { module: 'smtp-server', only: [], tests: ['tests'] },
  {
    module: 'node:child_process',
    only: [
      'src/foundation/processes/run-program.ts',
      'src/foundation/processes/module-process.ts',
      'tools/release.ts',
      'tools/start-cassandra/cassandra-jars.ts',
      'tools/start-cassandra/start-cassandra.ts',
    ],
    tests: ['tests', 'benchmarks'],
  },
  { module: 'node:cluster', only: ['src/foundation/processes/worker-process.ts'], tests: [] },
  { module: '@modelcontextprotocol/server', only: ['src/cli/mcp/serve-mcp.ts'], tests: [] },
  {
    module: '@modelcontextprotocol/server/stdio',
    only: ['src/cli/mcp/serve-mcp.ts'],
    tests: [],
  },
  { module: 'pino', only: ['src/foundation/telemetry/logger.ts'], tests: [] },
  { module: 'prom-client', only: ['src/foundation/telemetry/prometheus-registry.ts'], tests: [] },
];

describe('sources of effects', () => {
  const sources = readSources();

  it('are used by name in their own files only', () => {
    expectNone(namesAgainst(sources));
  });

  it('are imported by their own files only', () => {
    expectNone(importsAgainst(sources));
  });
});

describe('the rules about sources of effects', () => {
  const clock = 'const now = Date.now();\nconst today = new Date();\nconst fixed = new Date(0);';

  it('find a clock, randomness and the environment outside their files', () => {
    assert.equal(namesAgainst(readSamples({ 'src/data-service/query/a.ts': clock })).length, 2);
    const random = `import { randomUUID } from 'node:crypto';\nconst a = Math.random();`;
    assert.equal(namesAgainst(readSamples({ 'src/bin/a.ts': random })).length, 2);
    assert.equal(namesAgainst(readSamples({ 'src/bin/a.ts': `const a = process.env['A'];` })).length, 1);
    assert.equal(namesAgainst(readSamples({ 'src/bin/a.ts': `const a = await fetch('b');` })).length, 1);
  });

  it('let tests, benchmarks and the named files use them', () => {
    for (const path of [
      'src/foundation/telemetry/clock.ts',
      'src/bin/a.test.ts',
      'benchmarks/a.ts',
      'tests/a.ts',
    ]) {
      expectNone(namesAgainst(readSamples({ [path]: clock })));
    }
  });

  it('find a guarded module outside its file, also as a type or loaded late', () => {
    const found = (path: string, text: string) => importsAgainst(readSamples({ [path]: text })).length;
    assert.equal(found('src/bin/a.ts', `import type { Logger } from 'pino';`), 1);
    assert.equal(found('src/bin/a.ts', `const driver = await import('cassandra-driver');`), 1);
    assert.equal(found('src/foundation/telemetry/logger.ts', `import { pino } from 'pino';`), 0);
    assert.equal(found('tests/wire/a.test.ts', `import { request } from 'node:http';`), 0);
    assert.equal(found('src/foundation/http/a.ts', `import { request } from 'node:http';`), 1);
    assert.equal(found('src/foundation/http/a.test.ts', `import { request } from 'node:http';`), 0);
  });
});

function namesAgainst(sources: readonly Source[]): readonly string[] {
  return sources
    .filter((source) => source.path.startsWith('src/') && !isTest(source))
    .flatMap(({ path, uses }) => {
      const forbidden = guardedNames.filter(({ only }) => !only.includes(path)).flatMap(({ names }) => names);
      const found = uses.filter(({ name }) => forbidden.includes(name));
      return found.map(({ name, line }) => `${path}:${line} uses ${name}`);
    });
}

function importsAgainst(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ specifier, line }) => {
      const guard = guardedModules.find(({ module }) => module === specifier);
      if (guard === undefined || guard.only.includes(source.path)) return [];
      const isFree = isTest(source) || source.path.startsWith('benchmarks/');
      const isListed = guard.tests.some((folder) => source.path.startsWith(`${folder}/`));
      return isFree && isListed ? [] : [`${source.path}:${line} imports ${specifier}`];
    }),
  );
}
