// What lists things agrees with the folder it lists: nothing is written and then forgotten.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expectNone } from './expect-none.js';

/** A folder, and what makes an exported value of its files one of the things that its `registry` lists. */
interface List {
  readonly folder: string;
  readonly kind: string;
  /** Members that only such things have; a `help` among them must not be empty. */
  readonly members: readonly string[];
}

const lists: readonly List[] = [
  {
    folder: 'src/data-service/column-types',
    kind: 'column type',
    members: ['name', 'help', 'parse', 'serialize', 'compare', 'sql', 'cql'],
  },
  {
    folder: 'src/data-service/commands',
    kind: 'command',
    members: ['name', 'help', 'kind', 'target', 'plan', 'execute', 'respond'],
  },
  {
    folder: 'src/data-service/embedding/providers',
    kind: 'embedding provider',
    members: ['name', 'help', 'entry', 'embed'],
  },
  {
    folder: 'src/ops-service/notifications/channels',
    kind: 'kind of channel',
    members: ['type', 'schema', 'secretUrls', 'places', 'open'],
  },
  {
    folder: 'src/ops-service/alerts/rules',
    kind: 'kind of rule',
    members: ['type', 'fields', 'needs', 'defaults', 'check', 'observe', 'step'],
  },
];

/** Exported values by module: the file's name without its extension. */
type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const compiledRoot = join(fileURLToPath(import.meta.url), '..', '..', '..');

describe('registries', () => {
  for (const list of lists) {
    it(`list every ${list.kind} that a file in ${list.folder} exports`, async () => {
      expectNone(missingIn(list, await loadModules(join(compiledRoot, list.folder))));
    });
  }
});

describe('the rule about registries', () => {
  const list: List = { folder: 'a', kind: 'shape', members: ['name', 'help', 'draw'] };
  const circle = { name: 'circle', help: 'Round.', draw: () => {} };

  it('finds a thing that the registry leaves out, or a registry that is not there', () => {
    const missing = ['shape circle of circle.ts is not in the registry'];
    assert.deepEqual(missingIn(list, { circle: { circle }, registry: { shapes: [] } }), missing);
    assert.deepEqual(missingIn(list, { circle: { circle, limit: 3, nothing: null } }), missing);
  });

  it('finds a thing whose name another one has, too', () => {
    const other = { ...circle };
    const modules = { circle: { circle }, other: { other }, registry: { shapes: [circle, other] } };
    assert.deepEqual(missingIn(list, modules), ['shape other of other.ts has the name of another: circle']);
  });

  it('lets things of two targets share a name', () => {
    const [left, right] = [
      { ...circle, target: 'left' },
      { ...circle, target: 'right' },
    ];
    expectNone(missingIn(list, { circle: { left, right }, registry: { shapes: [left, right] } }));
  });

  it('finds a thing without a help text, and a registry in which it recognises nothing', () => {
    const silent = { ...circle, help: '' };
    const modules = { circle: { silent }, registry: { shapes: [silent] } };
    assert.deepEqual(missingIn(list, modules), ['shape silent of circle.ts has no help text']);
    assert.deepEqual(missingIn(list, { registry: { shapes: [] } }), ['the registry lists no shape']);
  });

  it('is content with things that stand in an array, a map or an object of the registry', () => {
    const registries = [
      { shapes: [circle] },
      { shapes: new Map([['circle', circle]]) },
      { shapes: { circle } },
    ];
    for (const registry of registries) expectNone(missingIn(list, { circle: { circle }, registry }));
  });
});

function missingIn(list: List, modules: Modules): readonly string[] {
  const registry = Object.entries(modules).find(([file]) => file === 'registry')?.[1] ?? {};
  const listed = new Set(Object.values(registry).flatMap(membersOf));
  const names = new Map<unknown, string>();
  const things = Object.entries(modules)
    .filter(([file]) => file !== 'registry')
    .flatMap(([file, exported]) => Object.entries(exported).map(([name, value]) => ({ file, name, value })))
    .filter(({ value }) => isOneOf(list, value));
  // Members that nothing has any more would make the rule blind.
  if ('registry' in modules && things.length === 0) return [`the registry lists no ${list.kind}`];
  return things.flatMap(({ file, name, value }) => {
    const thing = `${list.kind} ${name} of ${file}.ts`;
    if (!listed.has(value)) return [`${thing} is not in the registry`];
    const { type, name: plain = type, target = '', help } = Object(value);
    const own = `${target} ${plain}`; // commands of two targets may share a name
    if (list.members.includes('help') && String(help ?? '').trim() === '')
      return [`${thing} has no help text`];
    const other = names.get(own);
    names.set(own, name);
    return other === undefined ? [] : [`${thing} has the name of another: ${other}`];
  });
}

function isOneOf(list: List, value: unknown): boolean {
  return typeof value === 'object' && value !== null && list.members.every((member) => member in value);
}

function membersOf(value: unknown): readonly unknown[] {
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) return [...value.values()];
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

async function loadModules(folder: string): Promise<Modules> {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const names = files.filter((file) => file.endsWith('.js') && !file.endsWith('.test.js'));
  const modules = names.map(async (file) => {
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(folder, file)).href);
    return [file.slice(0, -'.js'.length), exported] as const;
  });
  return Object.fromEntries(await Promise.all(modules));
}
