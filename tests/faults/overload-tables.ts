// The tables that the attacks ask for, and how large they are.
import type { DataClient } from './data-client.js';

/** How large what the attacks store, ask for and send is. */
export interface OverloadSizes {
  /** Rows with a vector and a long text: those of 10 MB, and the more of 1 MB. */
  readonly longRows: number;
  readonly longRowBytes: number;
  readonly mediumRows: number;
  readonly mediumRowBytes: number;
  /** The largest row, the largest body. */
  readonly largestBytes: number;
  /** Rows of a page that is heavy as a whole. */
  readonly pageRows: number;
  readonly pageRowBytes: number;
  /** Rows with a text index. */
  readonly texts: number;
}

/** Those of the issue that this harness is for. */
export const fullSizes: OverloadSizes = {
  longRows: 520,
  longRowBytes: 10_000_000,
  mediumRows: 1000,
  mediumRowBytes: 1_000_000,
  largestBytes: 19_000_000,
  pageRows: 20,
  pageRowBytes: 1_100_000,
  texts: 200_000,
};

/** Large enough to end a server that counts nothing, small enough to be made in seconds. */
export const smallSizes: OverloadSizes = {
  longRows: 24,
  longRowBytes: 10_000_000,
  mediumRows: 200,
  mediumRowBytes: 500_000,
  largestBytes: 19_000_000,
  pageRows: 20,
  pageRowBytes: 1_100_000,
  texts: 5_000,
};

/** The keyspace of all tables. */
export const keyspace = '/default_keyspace';
/** Rows of the table `small`, with ids from 0. */
export const smallRows = 1000;
/** Rows of the table `twelve`, with ids from 0. */
export const twelveKilobyteRows = 64;
/** The dimension of every vector. */
export const vectorDimension = 4;

/** Documents of the collection `documents`, with ids from 0: not more than a sort takes. */
export const documentCount = 8_000;
const largestDocument = 3_900_000;

/** Every text of the table `texts` has them. */
export const frequentWords = Array.from({ length: 100 }, (_, at) => `w${at}`);

/** Columns of a table, and characters of their names. */
const mostColumns = 1500;
const longestName = 48;

type Definition = Readonly<Record<string, unknown>>;

/** A collection of documents. */
interface CollectionEntry {
  readonly options: object;
  readonly groups: (sizes: OverloadSizes) => Iterable<readonly object[]>;
}

interface TableEntry {
  readonly columns: Definition;
  readonly primaryKey: unknown;
  readonly hasVectors?: boolean;
  readonly hasTexts?: boolean;
  /** Rows to begin with, in groups of which each is one request. */
  readonly groups?: (sizes: OverloadSizes) => Iterable<readonly object[]>;
}

const searched: Omit<TableEntry, 'groups'> = {
  columns: { id: 'int', number: 'int', content: 'text', v: { type: 'vector', dimension: vectorDimension } },
  primaryKey: 'id',
  hasVectors: true,
};

const entries = {
  small: {
    columns: { id: 'int', content: 'text' },
    primaryKey: 'id',
    groups: () => groupsOf(smallRows, 100, (id) => ({ id, content: `row ${id}` })),
  },
  ledger: { columns: { id: 'int', version: 'int' }, primaryKey: 'id' },
  notes: {
    columns: { writer: 'text', number: 'int', content: 'text' },
    primaryKey: { partitionBy: ['writer'], partitionSort: { number: 1 } },
  },
  twelve: {
    columns: { id: 'int', content: 'text' },
    primaryKey: 'id',
    groups: () => groupsOf(twelveKilobyteRows, 16, (id) => ({ id, content: textOf(12_000) })),
  },
  largest: {
    columns: { id: 'int', content: 'text' },
    primaryKey: 'id',
    groups: ({ largestBytes }) => groupsOf(1, 1, (id) => ({ id, content: textOf(largestBytes) })),
  },
  long: {
    ...searched,
    groups: ({ longRows, longRowBytes }) => groupsOf(longRows, 1, (id) => searchedRow(id, longRowBytes)),
  },
  medium: {
    ...searched,
    groups: ({ mediumRows, mediumRowBytes }) =>
      groupsOf(mediumRows, 10, (id) => searchedRow(id, mediumRowBytes)),
  },
  pages: {
    columns: { id: 'int', content: 'text' },
    primaryKey: 'id',
    groups: ({ pageRows, pageRowBytes }) =>
      groupsOf(pageRows, 10, (id) => ({ id, content: textOf(pageRowBytes) })),
  },
  /** The widest table that there can be, with the longest names. */
  wide: {
    columns: {
      id: 'int',
      ...Object.fromEntries(
        Array.from({ length: mostColumns - 1 }, (_, at) => [`c${at}_`.padEnd(longestName, 'w'), 'int']),
      ),
    },
    primaryKey: 'id',
  },
  texts: {
    columns: { id: 'int', number: 'int', content: 'text' },
    primaryKey: 'id',
    hasTexts: true,
    groups: ({ texts }) =>
      groupsOf(texts, 100, (id) => ({ id, number: id, content: `${frequentWords.join(' ')} own${id}` })),
  },
  bodies: { columns: { id: 'text', content: 'text' }, primaryKey: 'id' },
  lists: { columns: { id: 'text', numbers: { type: 'list', valueType: 'int' } }, primaryKey: 'id' },
  pushed: { columns: { id: 'text', items: { type: 'list', valueType: 'text' } }, primaryKey: 'id' },
  documents: {
    options: {},
    groups: () =>
      groupsOf(documentCount, 100, (id) => ({
        _id: id,
        n: id % 100,
        name: `document ${id}`,
        tags: [id % 7, `tag ${id % 11}`],
        place: { city: `city ${id % 50}`, at: [id, -id] },
      })),
  },
  /** Each of them almost as large as a document can be. */
  largeDocuments: {
    options: { indexing: { deny: ['content'] } },
    groups: () => groupsOf(4, 1, (id) => ({ _id: id, n: 0, content: textOf(largestDocument) })),
  },
} satisfies Record<string, TableEntry | CollectionEntry>;

/** A table that an attack may ask for. */
export type OverloadTable = keyof typeof entries;

/** Makes a table and its first rows, one request after the other: this is not the attack. */
export async function makeTable(
  client: DataClient,
  name: OverloadTable,
  sizes: OverloadSizes,
): Promise<void> {
  const entry: TableEntry | CollectionEntry = entries[name];
  if ('options' in entry)
    await client.mustSend(keyspace, { createCollection: { name, options: entry.options } });
  else {
    const { columns, primaryKey } = entry;
    await client.mustSend(keyspace, { createTable: { name, definition: { columns, primaryKey } } });
  }
  if ('hasVectors' in entry && entry.hasVectors === true) {
    const definition = { column: 'v', options: { metric: 'cosine' } };
    await client.mustSend(`${keyspace}/${name}`, { createVectorIndex: { name: `${name}_by_v`, definition } });
  }
  if ('hasTexts' in entry && entry.hasTexts === true) {
    const createTextIndex = { name: `${name}_words`, definition: { column: 'content' } };
    await client.mustSend(`${keyspace}/${name}`, { createTextIndex });
  }
  for (const documents of entry.groups?.(sizes) ?? [])
    await client.mustSend(`${keyspace}/${name}`, { insertMany: { documents } });
}

function* groupsOf(
  count: number,
  groupSize: number,
  row: (id: number) => object,
): Iterable<readonly object[]> {
  for (let first = 0; first < count; first += groupSize)
    yield Array.from({ length: Math.min(groupSize, count - first) }, (_, at) => row(first + at));
}

function searchedRow(id: number, bytes: number): object {
  return { id, number: -id, content: textOf(bytes), v: [1, id % 7, id % 11, id % 13] };
}

function textOf(bytes: number): string {
  return 'x'.repeat(bytes);
}
