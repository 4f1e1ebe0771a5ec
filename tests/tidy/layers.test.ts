// Data goes one way: no layer imports one that stands above it. `import type` counts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { readSamples, readSources, type Source } from './read-sources.js';

/** A folder and what else it may import, beside itself. Of several folders that fit a file the longest one rules. */
interface Layer {
  readonly folder: string;
  readonly mayImport: readonly string[];
}

const data = 'src/data-service/';
const belowEngine = [
  'src/foundation',
  'src/descriptions',
  `${data}errors`,
  `${data}column-types`,
  `${data}text-analysis`,
  `${data}documents`,
  `${data}schema`,
  `${data}query`,
];
const belowHttp = [...belowEngine, `${data}engine`, `${data}embedding`, `${data}commands`];
const belowBin = [
  'src/foundation',
  'src/descriptions',
  'src/archive',
  'src/data-service',
  'src/ops-service',
  'src/cli',
];

const layers: readonly Layer[] = [
  { folder: 'src/foundation', mayImport: [] },
  ...inOrder(
    ['format', 'stores', 'lease', 'contents', 'shipping', 'restoring', 'following'].map(
      (room) => `src/archive/${room}`,
    ),
    ['src/foundation'],
  ),
  // Browsers run it, so it has nothing of the foundation.
  { folder: 'src/descriptions', mayImport: [] },
  ...inOrder(belowEngine.slice(2), ['src/foundation', 'src/descriptions']),
  { folder: `${data}engine`, mayImport: belowEngine },
  ...inOrder(
    [
      'file',
      'postings',
      'statements',
      'opening',
      'writes',
      'reads',
      'scans',
      'text',
      'documents',
      'vectors',
      'schema',
      'maintenance',
    ].map((room) => `${data}engine/embedded/${room}`),
    [...belowEngine, `${data}engine`],
  ),
  { folder: `${data}engine/embedded`, mayImport: [...belowEngine, `${data}engine`] },
  // The engine to come: it knows what the embedded one knows, and neither knows the other.
  { folder: `${data}engine/cassandra`, mayImport: [...belowEngine, `${data}engine`] },
  { folder: `${data}embedding`, mayImport: belowEngine },
  { folder: `${data}commands`, mayImport: belowHttp },
  { folder: `${data}native-query`, mayImport: [...belowEngine, `${data}engine`] },
  { folder: `${data}http`, mayImport: belowHttp },
  ...inOrder(
    [
      'errors',
      'store',
      'events',
      'access',
      'clusters',
      'metrics',
      'actions',
      'alerts',
      'notifications',
      'http',
    ].map((name) => `src/ops-service/${name}`),
    ['src/foundation', 'src/descriptions'],
  ),
  // It also runs in browsers: of the foundation only what has no module of Node.
  { folder: 'src/files', mayImport: ['src/foundation/json', 'src/foundation/text', 'src/descriptions'] },
  { folder: 'src/cli', mayImport: ['src/foundation', 'src/descriptions', 'src/files', 'src/archive'] },
  ...inOrder(
    ['parts', 'engines', 'large-requests', 'data', 'workers', 'ops', 'storage', 'archive'].map(
      (room) => `src/bin/${room}`,
    ),
    belowBin,
  ),
  { folder: 'src/bin', mayImport: [...belowBin, 'src/bin'] },
  // The console runs in browsers: of the server it has descriptions, how files are read, and how texts are cut.
  ...inOrder(
    ['json', 'state', 'net', 'parts', 'data', 'operations', 'app'].map((name) => `console/${name}`),
    ['console/styles', 'src/descriptions', 'src/files', 'src/foundation/text'],
  ),
  { folder: 'console/styles', mayImport: [] },
  { folder: 'benchmarks', mayImport: ['src', 'tools', 'tests/faults', 'tests/acceptance'] },
  { folder: 'examples', mayImport: ['src'] },
  { folder: 'tools', mayImport: ['src'] },
  { folder: 'tests', mayImport: ['src', 'benchmarks', 'examples', 'tools'] },
];

/** Only the registry in `bin/engines` has the engines; everything else sees the interfaces. */
const registered = [`${data}engine/embedded`, `${data}engine/cassandra`];

describe('layers', () => {
  const sources = readSources();

  it('has a rule for every folder', () => {
    expectNone(sources.map(({ path }) => path).filter((path) => layerOf(path) === undefined));
  });

  it('finds no import that goes up', () => {
    expectNone(importsAgainst(sources));
  });
});

describe('the rule about layers', () => {
  const cases: readonly (readonly [from: string, target: string, isAllowed: boolean])[] = [
    ['src/foundation/json/a.ts', 'src/foundation/http/b.ts', true],
    ['src/foundation/json/a.ts', 'src/data-service/errors/b.ts', false],
    ['src/data-service/errors/a.ts', 'src/data-service/column-types/b.ts', false],
    ['src/data-service/query/a.ts', 'src/data-service/schema/b.ts', true],
    ['src/data-service/schema/a.ts', 'src/data-service/query/b.ts', false],
    ['src/data-service/query/a.ts', 'src/data-service/engine/b.ts', false],
    ['src/data-service/engine/a.ts', 'src/data-service/engine/embedded/b.ts', false],
    ['src/data-service/engine/embedded/a.ts', 'src/data-service/engine/b.ts', true],
    ['src/data-service/engine/embedded/a.ts', 'src/data-service/engine/embedded/vectors/b.ts', true],
    ['src/data-service/engine/embedded/vectors/a.ts', 'src/data-service/engine/embedded/b.ts', false],
    ['src/data-service/engine/embedded/vectors/a.ts', 'src/data-service/engine/embedded/scans/b.ts', true],
    ['src/data-service/engine/embedded/scans/a.ts', 'src/data-service/engine/embedded/vectors/b.ts', false],
    ['src/data-service/engine/embedded/a.ts', 'src/data-service/engine/cassandra/b.ts', false],
    ['src/data-service/embedding/a.ts', 'src/data-service/engine/b.ts', false],
    ['src/data-service/commands/a.ts', 'src/data-service/engine/b.ts', true],
    ['src/data-service/commands/a.ts', 'src/data-service/engine/embedded/b.ts', false],
    ['src/data-service/native-query/a.ts', 'src/data-service/engine/b.ts', true],
    ['src/data-service/native-query/a.ts', 'src/data-service/engine/embedded/b.ts', false],
    ['src/data-service/native-query/a.ts', 'src/data-service/commands/b.ts', false],
    ['src/data-service/engine/embedded/a.ts', 'src/data-service/native-query/b.ts', false],
    ['src/data-service/http/a.ts', 'src/data-service/engine/cassandra/b.ts', false],
    ['src/data-service/commands/a.ts', 'src/data-service/http/b.ts', false],
    ['src/ops-service/metrics/a.ts', 'src/ops-service/alerts/b.ts', false],
    ['src/ops-service/metrics/a.ts', 'src/data-service/engine/b.ts', false],
    ['src/ops-service/clusters/a.ts', 'src/data-service/engine/b.ts', false],
    ['src/data-service/http/a.ts', 'src/ops-service/events/b.ts', false],
    ['src/cli/a.ts', 'src/data-service/errors/b.ts', false],
    ['src/cli/a.ts', 'src/archive/format/b.ts', true],
    ['src/archive/stores/a.ts', 'src/archive/shipping/b.ts', false],
    ['src/archive/restoring/a.ts', 'src/archive/stores/b.ts', true],
    ['src/archive/format/a.ts', 'src/data-service/engine/b.ts', false],
    ['src/data-service/engine/embedded/writes/a.ts', 'src/archive/format/b.ts', false],
    ['src/ops-service/store/a.ts', 'src/archive/format/b.ts', false],
    ['src/bin/a.ts', 'src/data-service/engine/embedded/b.ts', false],
    ['src/bin/data/a.ts', 'src/data-service/engine/cassandra/b.ts', false],
    ['src/bin/engines/a.ts', 'src/data-service/engine/embedded/b.ts', true],
    ['src/bin/a.ts', 'src/bin/ops/b.ts', true],
    ['src/bin/ops/a.ts', 'src/bin/b.ts', false],
    ['src/bin/ops/a.ts', 'src/bin/workers/b.ts', true],
    ['src/bin/workers/a.ts', 'src/bin/ops/b.ts', false],
    ['src/bin/a.ts', 'tests/tidy/b.ts', false],
    ['benchmarks/a.ts', 'tests/tidy/b.ts', false],
    ['console/parts/a.ts', 'console/state/b.ts', true],
    ['console/parts/a.ts', 'console/data/b.ts', false],
    ['src/files/a.ts', 'src/foundation/json/b.ts', true],
    ['src/files/a.ts', 'src/foundation/secrets/b.ts', false],
    ['src/cli/a.ts', 'src/files/b.ts', true],
    ['console/data/a.ts', 'src/files/b.ts', true],
    ['console/data/a.ts', 'src/descriptions/b.ts', true],
    ['src/data-service/column-types/a.ts', 'src/descriptions/b.ts', true],
    ['src/descriptions/a.ts', 'src/foundation/json/b.ts', false],
    ['console/data/a.ts', 'src/foundation/json/b.ts', false],
    ['src/bin/a.ts', 'console/json/b.ts', false],
    ['tests/tidy/a.ts', 'console/json/b.ts', false],
    ['tests/tidy/a.ts', 'src/bin/b.ts', true],
  ];
  for (const [from, target, isAllowed] of cases) {
    it(`${isAllowed ? 'lets' : 'does not let'} ${from} import ${target}`, () => {
      const samples = readSamples({
        [from]: `import type { X } from '${relativeSpecifier(from, target)}';`,
        [target]: '',
      });
      assert.equal(importsAgainst(samples).length, isAllowed ? 0 : 1);
    });
  }

  it('knows no folder that is not in the table', () => {
    assert.equal(layerOf('src/elsewhere/a.ts'), undefined);
    assert.equal(layerOf('src/foundational/a.ts'), undefined);
  });
});

function inOrder(folders: readonly string[], below: readonly string[]): readonly Layer[] {
  return folders.map((folder, index) => ({ folder, mayImport: [...below, ...folders.slice(0, index)] }));
}

function importsAgainst(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ target, line }) =>
      target === undefined || isAllowed(path, target) ? [] : [`${path}:${line} must not import ${target}`],
    ),
  );
}

function isAllowed(from: string, target: string): boolean {
  const layer = layerOf(from);
  if (layer === undefined) return false;
  if (isIn(target, layer.folder) && layerOf(target) === layer) return true;
  if (!layer.mayImport.some((folder) => isIn(target, folder))) return false;
  const engine = registered.find((folder) => isIn(target, folder));
  if (engine === undefined || layer.folder === 'src/bin/engines' || layer.mayImport.includes('src'))
    return true;
  // The files of an engine's own folder put its rooms together; a room sees those that are listed for it.
  return (
    layer.folder === engine || layer.mayImport.some((folder) => isIn(folder, engine) && isIn(target, folder))
  );
}

function layerOf(path: string): Layer | undefined {
  const fitting = layers.filter(({ folder }) => isIn(path, folder));
  return fitting.sort((left, right) => right.folder.length - left.folder.length)[0];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function relativeSpecifier(from: string, target: string): string {
  return `${'../'.repeat(from.split('/').length - 1)}${target.replace(/\.ts$/, '.js')}`;
}
