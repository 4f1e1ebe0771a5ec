// What the commands that read documents have in common: clauses, plans for the engine, documents as text.
import { getOrMake } from '../../../foundation/get-or-make.js';
import {
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../../foundation/json/json-value.js';
import { float } from '../../column-types/floats.js';
import { fromColumns } from '../../documents/document-columns.js';
import {
  type DocumentProjection,
  parseDocumentProjection,
  project,
} from '../../documents/document-projection.js';
import { compareSortValues, type SortKey, sortValues } from '../../documents/document-sort.js';
import { parseDocumentSort } from '../../documents/parse-document-sort.js';
import type { Engine } from '../../engine/engine.js';
import { apiError } from '../../errors/api-error.js';
import {
  finishRead,
  type ReadPage,
  type ReadPlan,
  type ReadResult,
  type RowValues,
} from '../../query/read.js';
import { maxSortedRows, rowsPage, searchPage, sortedPage } from '../../query/read-request.js';
import { maxReplyLength } from '../../query/row-text.js';
import { similarityColumn, type VectorSearch } from '../../query/vector-search.js';
import { tokensToFind, type WordSearch } from '../../query/word-search.js';
import { type Collection, collectionColumns } from '../../schema/collection.js';
import type { Column } from '../../schema/table.js';
import { whyUnsearchable } from '../../schema/vector-limits.js';
import { type TextToEmbed, textToEmbed } from '../embed-texts.js';
import { type CollectionFilter, lexicalIndex, parseCollectionFilter } from './collection-filter.js';

/** How documents are ordered. */
export type DocumentOrder =
  | { readonly kind: 'none' }
  | { readonly kind: 'paths'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'vector'; readonly search: VectorSearch }
  | { readonly kind: 'vectorize'; readonly column: Column; readonly text: string }
  | { readonly kind: 'lexical'; readonly search: WordSearch };

/** The clauses of a read, resolved for a collection. */
export interface DocumentRead {
  readonly collection: Collection;
  readonly filter: CollectionFilter;
  readonly projection: DocumentProjection;
  readonly order: DocumentOrder;
}

/** The clauses as they were sent. */
export interface DocumentClauses {
  readonly filter: JsonObject | undefined;
  readonly projection?: JsonValue | undefined;
  readonly sort?: JsonValue | undefined;
}

/**
 * Parses the clauses: filter, then sort, then projection.
 * @throws ApiError for the first problem
 */
export function parseDocumentRead(clauses: DocumentClauses, collection: Collection): DocumentRead {
  return {
    collection,
    filter: parseCollectionFilter(clauses.filter, collection),
    order: parseOrder(clauses.sort, collection),
    projection: parseDocumentProjection(clauses.projection),
  };
}

function parseOrder(json: JsonValue | undefined, collection: Collection): DocumentOrder {
  const { collection: settings, keyspace, name: table } = collection;
  const { vector, indexing, lexical } = settings;
  const { vector: column } = collectionColumns(collection);
  const sort = parseDocumentSort(json, {
    indexing,
    lexical: lexical === undefined ? 'disabled' : 'enabled',
    keyspace,
    table,
    vector: vector && { ...vector, hasService: vector.service !== undefined, ...column?.vectorLimits },
  });
  switch (sort.kind) {
    case 'none':
    case 'paths':
      return sort;
    case 'vector':
      return {
        kind: 'vector',
        search: {
          kind: 'vector',
          column: vectorColumn(column),
          query: sort.vector,
          metric: vector?.metric ?? 'cosine',
        },
      };
    case 'vectorize':
      return { kind: 'vectorize', column: vectorColumn(column), text: sort.text };
    case 'lexical':
      return { kind: 'lexical', search: wordSearch(sort.text, collection) };
  }
}

function vectorColumn(column: Column | undefined): Column {
  if (column === undefined)
    throw new TypeError('a sort by vector was not refused for a collection without vectors');
  return column;
}

function wordSearch(text: string, collection: Collection): WordSearch {
  const index = lexicalIndex(collection);
  if (index === undefined)
    throw new TypeError('a sort by words was not refused for a collection without them');
  const invalid = (problem: string) =>
    apiError('sort', 'SORT_CLAUSE_VALUE_INVALID', { path: '$lexical', problem });
  return { kind: 'words', column: index.column, index, tokens: tokensToFind(text, index.analyzer, invalid) };
}

/** The text of a sort that must be embedded. */
export function textsOfRead({ order }: DocumentRead): readonly TextToEmbed[] {
  return order.kind === 'vectorize' ? [textToEmbed(order.column, order.text, 'query')] : [];
}

/** The read with the vector of its text. @throws ApiError SORT_CLAUSE_VALUE_INVALID for a vector without direction */
export function readWithVector(read: DocumentRead, query: Float32Array | undefined): DocumentRead {
  const { order, collection } = read;
  if (order.kind !== 'vectorize' || query === undefined) return read;
  const metric = collection.collection.vector?.metric ?? 'cosine';
  const problem = whyUnsearchable(order.column, query, metric);
  if (problem !== undefined)
    throw apiError('sort', 'SORT_CLAUSE_VALUE_INVALID', { path: '$vectorize', problem });
  const search: VectorSearch = { kind: 'vector', column: order.column, query, metric };
  return { ...read, order: { kind: 'vector', search } };
}

/** Which documents are read, and what of them. */
export interface DocumentWindow {
  readonly limit: number;
  /** Skipped after a sort by paths. */
  readonly skip?: number;
  readonly after?: ReadPage['after'];
  /** `single` if it is absent. */
  readonly kind?: ReadPage['kind'];
  /** Whether only the keys of documents are needed. */
  readonly onlyKeys?: boolean;
  readonly command: object;
}

/** Documents of a read, as rows of these columns. */
export interface FoundDocuments {
  readonly rows: readonly RowValues[];
  readonly columns: readonly Column[];
  readonly next: ReadResult['next'];
}

/** Reads documents. Rejects with an ApiError, or an EngineError. */
export async function readDocumentRows(
  read: DocumentRead,
  window: DocumentWindow,
  engine: Engine,
): Promise<FoundDocuments> {
  const plan = planOf(read, window);
  if (read.order.kind === 'lexical' && read.order.search.tokens.length === 0)
    return { rows: [], columns: plan.columns, next: null };
  const result = await finishRead(plan, await engine.readRows(plan));
  if (result.isCut) throw tooMany(plan.page.limit);
  if (read.order.kind !== 'paths') return { rows: result.rows, columns: plan.columns, next: result.next };
  if (result.next !== null) throw tooMany(maxSortedRows);
  const rows = sorted(result.rows, plan.columns, read.collection, read.order.keys);
  const { skip = 0, limit } = window;
  return { rows: rows.slice(skip, skip + limit), columns: plan.columns, next: null };
}

function tooMany(limit: number): Error {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit, isSearch: false });
}

function planOf({ collection, filter, order, projection }: DocumentRead, window: DocumentWindow): ReadPlan {
  const { onlyKeys = false, command } = window;
  const columns = columnsFor(collection, projection, order, onlyKeys);
  return {
    table: collection,
    filter: filter.filter,
    columns: order.kind === 'vector' ? [...columns, similarityColumn] : columns,
    order: null,
    page: pageOf(order, window),
    form: 'values',
    search: order.kind === 'vector' || order.kind === 'lexical' ? order.search : null,
    command,
  };
}

function pageOf(order: DocumentOrder, { after = null, limit, kind = 'single' }: DocumentWindow): ReadPage {
  switch (order.kind) {
    case 'vectorize':
      throw new TypeError('the text of a sort has no vector yet');
    case 'vector':
    case 'lexical':
      return searchPage(limit);
    case 'paths':
      return sortedPage;
    case 'none':
      return rowsPage(after, limit, kind);
  }
}

/** Lists of columns of a collection, always the same objects: texts of statements are kept for lists. */
interface ColumnLists {
  readonly key: readonly Column[];
  readonly sortedKey: readonly Column[];
  readonly document: readonly Column[];
  readonly whole: readonly Column[];
}

const columnLists = new WeakMap<Collection, ColumnLists>();

function columnListsOf(collection: Collection): ColumnLists {
  const { key, document, reserved, vector, lexical } = collectionColumns(collection);
  return {
    key: [key],
    sortedKey: [document, reserved, key],
    document: [document],
    whole: [document, reserved, vector, lexical].filter((column) => column !== undefined),
  };
}

function columnsFor(
  collection: Collection,
  { needsReserved }: DocumentProjection,
  order: DocumentOrder,
  onlyKeys: boolean,
): readonly Column[] {
  const { key, sortedKey, document, whole } = getOrMake(columnLists, collection, columnListsOf);
  const isSorted = order.kind === 'paths';
  const isByReserved = isSorted && order.keys.some(({ path }) => path[0]?.startsWith('$'));
  if (onlyKeys) return isSorted ? sortedKey : key;
  return needsReserved || isByReserved ? whole : document;
}

function sorted(
  rows: readonly RowValues[],
  columns: readonly Column[],
  collection: Collection,
  keys: readonly SortKey[],
): readonly RowValues[] {
  const compare = compareSortValues(keys);
  return rows
    .map((row) => ({ row, values: sortValues(wholeDocumentOf(row, columns, collection), keys) }))
    .sort((left, right) => compare(left.values, right.values))
    .map(({ row }) => row);
}

/** The whole document of a row, as far as the row has its columns. */
export function wholeDocumentOf(
  row: RowValues,
  columns: readonly Column[],
  collection: Collection,
): JsonObject {
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  // Undefined for a column that was not read.
  const columnValue = (column: Column | undefined) => {
    const at = column === undefined ? -1 : columns.indexOf(column);
    return at < 0 ? undefined : (row[at] ?? null);
  };
  // Rows have the values of their columns.
  return fromColumns({
    text: columnValue(document) as string,
    reserved: (columnValue(reserved) ?? null) as string | null,
    vector: columnValue(vector) as Float32Array | null | undefined,
    lexical: (columnValue(lexical) ?? null) as string | null,
  });
}

/** The documents as JSON, separated by commas. @throws ApiError REPLY_SIZE_LIMIT_VIOLATION */
export function documentsText(
  found: FoundDocuments,
  { collection, projection }: DocumentRead,
  includeSimilarity = false,
): JsonText {
  const { rows, columns } = found;
  const texts = rows.map((row) => {
    const text = projectedText(row, columns, projection, collection);
    return includeSimilarity ? withSimilarity(text, row[columns.indexOf(similarityColumn)]) : text;
  });
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (length > maxReplyLength) {
    const advice = 'Exclude large fields with a projection, or request fewer documents with "limit".';
    throw apiError('request', 'REPLY_SIZE_LIMIT_VIOLATION', { limit: maxReplyLength, advice });
  }
  return texts.join(',');
}

function projectedText(
  row: RowValues,
  columns: readonly Column[],
  projection: DocumentProjection,
  collection: Collection,
): JsonText {
  const { document } = collectionColumns(collection);
  // A stored text never has the reserved members.
  if (projection.isPlain) return row[columns.indexOf(document)] as JsonText;
  return stringifyJson(project(projection, wholeDocumentOf(row, columns, collection)));
}

function withSimilarity(text: JsonText, similarity: unknown): JsonText {
  const member = `"$similarity":${float.serialize(similarity as number)}`; // of a search
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

/** The members of `status` for the vector of a sort, if it is wanted. */
export function sortVectorStatus(
  { order }: DocumentRead,
  isWanted: boolean,
): readonly (readonly [string, JsonText])[] {
  if (!isWanted || order.kind === 'lexical') return [];
  if (order.kind !== 'vector') return [['sortVector', 'null']];
  const { column, query } = order.search;
  return [['sortVector', column.type.serialize(query)]];
}
