// A random table with writes and reads, all of it plain text, so that a failure can be printed and read.
import type { ColumnType, ContainerPart, PartName } from '../../src/data-service/column-types/column-type.js';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import type { TextFold } from '../../src/data-service/column-types/text-fold.js';
import { vectorOf } from '../../src/data-service/column-types/vector.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { vectorMetrics } from '../../src/descriptions/vector-metrics.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import type { TableShape } from '../conformance/engine-steps.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { type FilterColumn, randomFilter, randomSlice } from './random-filter.js';
import { randomContainer, randomUpdate } from './random-update.js';

/** A write as text. */
export type Write =
  | { readonly kind: 'insert'; readonly rows: readonly JsonText[] }
  /** `clause`: `$set`, `$unset`, `$push` and `$pullAll`. */
  | { readonly kind: 'change'; readonly key: JsonText; readonly clause: JsonText }
  | { readonly kind: 'delete'; readonly filter: JsonText }
  /** `fold` for texts only. */
  | { readonly kind: 'createIndex'; readonly column: string; readonly fold?: Partial<TextFold> }
  | {
      readonly kind: 'createMemberIndex';
      readonly column: string;
      readonly part: PartName;
      readonly fold?: Partial<TextFold>;
    }
  | { readonly kind: 'createVectorIndex'; readonly column: string; readonly metric: VectorMetric };

/** A read as text. */
export interface PlannedRead {
  readonly filter: JsonText;
  /** Names of the wanted columns. */
  readonly columns: readonly string[];
  /** `{}` for none. */
  readonly sort: JsonText;
  /** Rows of a sort that are left out. */
  readonly skip?: number;
  /** Rows of a page. */
  readonly limit: number;
  /** Where nothing is sorted: the primary key's order backwards; else the order that find would choose. */
  readonly isReversed: boolean;
  /** Carried out one by one behind each page, as long as there are some. */
  readonly writesBetween: readonly Write[];
}

/** A table, the writes that fill it, and reads one after another. */
export interface Scenario {
  readonly shape: TableShape;
  readonly writes: readonly Write[];
  readonly reads: readonly PlannedRead[];
}

export const readsPerScenario = 25;

/** The scenario of a seed. `separator`: in the names of columns. */
export function scenarioOf(seed: number, separator = ' ', dialect: Dialect = 'strict'): Scenario {
  const random = seededRandom(seed);
  const columns = randomColumns(random, dialect).map((column) => {
    return { ...column, name: column.name.replace(' ', separator) };
  });
  const partitionKey = columns.filter(({ role }) => role === 'partition').map(({ name }) => name);
  const clustering = columns.filter(({ role }) => role === 'clustering');
  const shape = {
    columns: Object.fromEntries(
      random.some(columns, columns.length).map(({ name, type }) => [name, type.name]),
    ),
    dialect,
    partitionKey,
    clustering: Object.fromEntries(
      clustering.map(({ name }) => [name, random.chance(0.5) ? 1 : -1] as const),
    ),
  };
  const writes = Array.from({ length: 5 + random.below(40) }, () => randomWrite(random, columns));
  // Some indexes find rows when they are made, some get them later.
  for (const index of randomIndexes(random, columns))
    writes.splice(random.below(writes.length + 1), 0, index);
  if (dialect === 'extended')
    for (const index of memberIndexes(random, columns))
      writes.splice(random.below(writes.length + 1), 0, index);
  const reads = Array.from({ length: readsPerScenario }, () => randomRead(random, columns, dialect));
  return { shape, writes, reads };
}

/** Key columns first: one to three of the partition, up to three of clustering, up to seven others. */
export function randomColumns(random: SeededRandom, dialect: Dialect): readonly FilterColumn[] {
  const creatable = columnTypes.filter(({ traits }) => traits.creatable);
  const forKeys = creatable.filter(({ traits }) => traits.key);
  const make = (role: FilterColumn['role'], count: number, types: readonly ColumnType[], values: number) =>
    Array.from({ length: count }, (_, at) => {
      const type = random.pick(types);
      return { name: `${role} ${at}`, role, type, values: randomValues(random, type, values) };
    });
  return [
    ...make('partition', 1 + random.below(3), forKeys, 2),
    ...make('clustering', random.below(4), forKeys, 3),
    ...make('plain', random.below(6), creatable, 4),
    ...Array.from({ length: random.below(3) + (dialect === 'strict' ? 0 : 2) }, (_, at) => {
      const type = random.pick(forKeys);
      const container = randomContainer(random, type, randomValues(random, type, 3), dialect);
      return { name: `container ${at}`, role: 'plain' as const, ...container };
    }),
    ...Array.from({ length: random.below(3) }, (_, at) => {
      const type = vectorOf(2 + random.below(2));
      return { name: `vector ${at}`, role: 'plain' as const, type, values: randomVectors(random, type, 5) };
    }),
  ];
}

/** None of them zero. Two are equally far from a third, or so clearly not that 32-bit sums distinguish them. */
function randomVectors(random: SeededRandom, { vector }: ColumnType, count: number): readonly JsonText[] {
  const elements = ['-1', '-0.0', '0.5', '2'];
  return Array.from({ length: count }, () => {
    const others = Array.from({ length: (vector?.dimension ?? 0) - 1 }, () => random.pick(elements));
    return `[${random.pick(['1', '-2.5'])},${others.join(',')}]`;
  });
}

/** Texts that folds make alike. */
const alikeTexts: Readonly<Record<string, readonly JsonText[]>> = {
  text: ['"a"', '"A"', '"\\u00e4"', '"\\u00c4"', '"a\\u0308"'],
  ascii: ['"a"', '"A"', '"aa"', '"aA"'],
};

/** Few values, so that keys and operands meet. Numbers of 200,000 digits are rare: they take their time. */
function randomValues(random: SeededRandom, type: ColumnType, count: number): readonly JsonText[] {
  const { name, examples } = type;
  const alike = alikeTexts[name];
  if (alike !== undefined && random.chance(0.6)) return random.some(alike, count + random.below(2));
  const quick = examples.accepts.filter((example) => !/e-?\d{5}/i.test(example));
  return random.some(random.chance(0.03) ? examples.accepts : quick, count + random.below(2));
}

/** Indexes on some columns, regular ones and those of vectors. */
export function randomIndexes(random: SeededRandom, columns: readonly FilterColumn[]): readonly Write[] {
  const isOnlyPartition = columns.filter(({ role }) => role === 'partition').length === 1;
  const indexable = columns.filter(
    ({ role, type }) => type.traits.index !== 'none' && !(isOnlyPartition && role === 'partition'),
  );
  const searched = columns.filter(({ type }) => type.vector !== undefined);
  const vectorIndexes: readonly Write[] = searched.map(({ name }) => {
    return { kind: 'createVectorIndex', column: name, metric: random.pick(vectorMetrics) };
  });
  const regular: readonly Write[] = random.some(indexable, random.below(5)).map(({ name, type }) => {
    if (!type.traits.text || random.chance(0.3)) return { kind: 'createIndex', column: name };
    const fold = {
      ascii: random.chance(0.4),
      caseSensitive: random.chance(0.4),
      normalize: random.chance(0.4),
    };
    return { kind: 'createIndex', column: name, fold };
  });
  return [...regular, ...vectorIndexes];
}

/** On some parts of lists, sets and maps. */
export function memberIndexes(random: SeededRandom, columns: readonly FilterColumn[]): readonly Write[] {
  return columns.flatMap(({ name, type: { container } }): readonly Write[] => {
    const parts = Object.entries(container?.parts ?? {}) as readonly [PartName, ContainerPart<unknown>][]; // its keys
    return parts.flatMap(([part, { type }]): readonly Write[] => {
      const isIndexable = container?.members.every(({ traits }) => traits.index !== 'none');
      if (isIndexable !== true || random.chance(0.5)) return [];
      if (!type.traits.text || part === 'entries' || random.chance(0.6))
        return [{ kind: 'createMemberIndex', column: name, part }];
      return [{ kind: 'createMemberIndex', column: name, part, fold: { caseSensitive: random.chance(0.5) } }];
    });
  });
}

/** Some rows, a change of one, or a deletion. */
export function randomWrite(random: SeededRandom, columns: readonly FilterColumn[]): Write {
  const dice = random.below(10);
  const others = columns.filter(({ role }) => role === 'plain');
  if (dice === 0) return { kind: 'delete', filter: randomSlice(random, columns) };
  if (dice < 5 && others.length > 0) {
    const assigned = random.some(others, 1 + random.below(others.length));
    return {
      kind: 'change',
      key: `{${randomKey(random, columns)}}`,
      clause: randomUpdate(random, assigned),
    };
  }
  const rows = Array.from({ length: 1 + random.below(6) }, () => {
    const assigned = random.some(others, random.below(others.length + 1));
    const members = [randomKey(random, columns), assign(random, assigned)].filter((text) => text !== '');
    return `{${members.join(',')}}`;
  });
  return { kind: 'insert', rows };
}

function randomKey(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  return columns
    .filter(({ role }) => role !== 'plain')
    .map(({ name, values }) => `${JSON.stringify(name)}:${random.pick(values)}`)
    .join(',');
}

function assign(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  return columns
    .map(({ name, values }) => `${JSON.stringify(name)}:${random.chance(0.4) ? 'null' : random.pick(values)}`)
    .join(',');
}

function randomRead(random: SeededRandom, columns: readonly FilterColumn[], dialect: Dialect): PlannedRead {
  const names = columns.map(({ name }) => name);
  const writes = random.chance(0.2) ? 8 : 0;
  const sort = random.chance(0.3) ? randomSort(random, columns) : '{}';
  return {
    filter: randomFilter(random, columns, dialect),
    columns: random.chance(0.3) ? names : random.some(names, random.below(names.length + 1)),
    sort,
    ...(sort !== '{}' && !isSearch(sort) && random.chance(0.3) && { skip: random.below(5) }),
    limit: random.pick([1, 2, 3, 5, 8, 50, 1000]),
    isReversed: sort === '{}' && random.chance(0.1),
    writesBetween: Array.from({ length: writes }, () => randomWrite(random, columns)),
  };
}

function isSearch(sort: JsonText): boolean {
  return sort.includes('[');
}

/** A vector to search for; or the clustering columns from the first on, there or back; or any columns. */
function randomSort(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  const vectors = columns.filter(({ type }) => type.vector !== undefined);
  if (vectors.length > 0 && random.chance(0.6)) {
    const { name, type, values } = random.pick(vectors);
    return `{${JSON.stringify(name)}:${random.pick([...values, ...randomVectors(random, type, 2)])}}`;
  }
  const clustering = columns.filter(({ role }) => role === 'clustering');
  const sortable = columns.filter(({ type }) => type.container === undefined && type.vector === undefined);
  const isClustering = clustering.length > 0 && random.chance(0.5);
  const sorted = isClustering
    ? clustering.slice(0, 1 + random.below(clustering.length))
    : random.some(sortable, 1 + random.below(3));
  const members = sorted.map(({ name }) => `${JSON.stringify(name)}:${random.pick([1, -1])}`);
  return `{${members.join(',')}}`;
}
