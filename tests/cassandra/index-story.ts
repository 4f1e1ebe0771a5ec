// A random table for a node, with what is done to it and asked of it, all as text: the story of a seed.
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import { canBeStatic, staticOf } from '../../src/data-service/column-types/static.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import type { TableShape } from '../conformance/engine-steps.js';
import { type FilterColumn, randomFilter } from '../differential/random-filter.js';
import {
  memberIndexes,
  randomColumns,
  randomIndexes,
  randomWrite,
  type Write,
} from '../differential/scenario.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

/** What a node does with the files of a table. */
export type Maintenance = 'flush' | 'compact';

/** Writes and changes of indexes, what the node then does with the files, and filters behind it. */
export interface Chapter {
  readonly writes: readonly Write[];
  /** The columns whose regular indexes are dropped behind the writes. */
  readonly dropped: readonly string[];
  readonly maintenance: Maintenance | 'none';
  readonly filters: readonly JsonText[];
}

/** A table and what happens to it. */
export interface Story {
  readonly shape: TableShape;
  readonly chapters: readonly Chapter[];
}

const chapterCount = 5;
const filtersOfChapter = 12;

/** The story of a seed: the same seed gives the same one. */
export function storyOf(seed: number): Story {
  const random = seededRandom(seed);
  const columns = [
    ...randomColumns(random, 'extended').map(withStorableKeys).filter(isPlain),
    ...staticColumns(random),
  ];
  const names = (role: FilterColumn['role']) => columns.filter((column) => column.role === role);
  const clustering = names('clustering').map(({ name }) => [name, random.chance(0.5) ? 1 : -1] as const);
  const own = clustering.length > 0 ? columns : columns.filter(({ type }) => type.static === undefined);
  const all = [...randomIndexes(random, own), ...memberIndexes(random, own)];
  const indexes = random.some(all, all.length).map((index) => withoutFold(index, own));
  const made: string[] = [];
  return {
    shape: {
      dialect: 'extended',
      columns: Object.fromEntries(own.map(({ name, type }) => [name, type.name])),
      partitionKey: names('partition').map(({ name }) => name),
      clustering: Object.fromEntries(clustering),
    },
    chapters: Array.from({ length: chapterCount }, () => randomChapter(random, own, indexes, made)),
  };
}

/** Takes the indexes that it makes from those that are left. `made`: the columns that have a regular one. */
function randomChapter(
  random: SeededRandom,
  columns: readonly FilterColumn[],
  indexes: Write[],
  made: string[],
): Chapter {
  const writes = Array.from({ length: random.below(6) }, () => randomWrite(random, columns));
  for (const index of indexes.splice(0, random.below(3)))
    writes.splice(random.below(writes.length + 1), 0, index);
  for (const write of writes) if (write.kind === 'createIndex') made.push(write.column);
  return {
    writes,
    dropped: random.chance(0.2) ? made.splice(0, 1) : [],
    maintenance: random.pick(['none', 'flush', 'flush', 'compact'] as const),
    filters: Array.from({ length: filtersOfChapter }, () => randomFilter(random, columns, 'extended')),
  };
}

/** Index names have no spaces, and a key no empty text, which a partition cannot have. */
function withStorableKeys(column: FilterColumn): FilterColumn {
  const named = { ...column, name: column.name.replace(' ', '_') };
  if (column.role !== 'partition') return named;
  const values = column.values.filter((value) => value !== '""' && value !== '{"$binary":""}');
  return { ...named, values: values.length === 0 ? column.type.examples.accepts.slice(-1) : values };
}

/** Indexes on columns of the key fold no texts. */
function withoutFold(index: Write, columns: readonly FilterColumn[]): Write {
  if (index.kind !== 'createIndex') return index;
  const isOfKey = columns.some(({ name, role }) => name === index.column && role !== 'plain');
  return isOfKey ? { kind: 'createIndex', column: index.column } : index;
}

/** Searches are approximate. */
function isPlain({ type }: FilterColumn): boolean {
  return type.vector === undefined;
}

function staticColumns(random: SeededRandom): readonly FilterColumn[] {
  const types = columnTypes.filter((type) => canBeStatic(type) && type.traits.creatable);
  return Array.from({ length: random.below(3) }, (_, at) => {
    const type = random.pick(types);
    const values = random.some(type.examples.accepts, 3);
    return { name: `static_${at}`, role: 'plain' as const, type: staticOf(type), values };
  });
}
