// What the cases of the engine suite do with collections, in a line each: documents and clauses are written as JSON.
import assert from 'node:assert/strict';
import type { ChangedDocument } from '../../src/data-service/commands/collections/change-documents.js';
import {
  type DocumentRead,
  type DocumentWindow,
  parseDocumentRead,
  readDocumentRows,
  wholeDocumentOf,
} from '../../src/data-service/commands/collections/document-read.js';
import type { DocumentChange, FilteredChange } from '../../src/data-service/documents/change-document.js';
import {
  type DocumentColumns,
  fromColumns,
  toColumns,
} from '../../src/data-service/documents/document-columns.js';
import { parseDocumentId } from '../../src/data-service/documents/document-id.js';
import { parseUpdate } from '../../src/data-service/documents/document-update.js';
import { readDocument } from '../../src/data-service/documents/read-document.js';
import type { DocumentWrites, Engine } from '../../src/data-service/engine/engine.js';
import type {
  DocumentChangeOutcome,
  DocumentInsertOutcome,
  StoredDocument,
} from '../../src/data-service/query/document-write.js';
import { type Collection, collectionTable, isCollection } from '../../src/data-service/schema/collection.js';
import type { CollectionSettings } from '../../src/data-service/schema/collection-settings.js';
import { documentRules } from '../../src/data-service/schema/document-rules.js';
import { type JsonText, type JsonValue, stringifyJson } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { askAsCommandsDo, keyspace, makeKeyspace, objectOf } from './engine-steps.js';
import { presentTable } from './index-steps.js';

let lastCollection = 0;

/** Vectors of three numbers, and words. */
export const searchable: CollectionSettings = {
  vector: { dimension: 3, metric: 'euclidean', sourceModel: 'other' },
  lexical: { analyzer: '"standard"' },
};

/** Documents may have a large `body`, because it is not indexed. */
export const withBodies: CollectionSettings = {
  indexing: { kind: 'deny', paths: [['body']], hasAll: false },
};

/** Makes a collection with a name of its own. */
export async function createCollection(
  engine: Engine,
  settings: CollectionSettings = {},
): Promise<Collection> {
  await makeKeyspace(engine);
  lastCollection += 1;
  const definition = collectionTable(`collection_${lastCollection}`, settings);
  await engine.changeSchema({ kind: 'createTable', keyspace, definition });
  return presentCollection(engine, definition);
}

/** The collection as the schema has it now. */
export async function presentCollection(
  engine: Engine,
  { name }: Pick<Collection, 'name'>,
): Promise<Collection> {
  const collection = await presentTable(engine, { name });
  assert.ok(isCollection(collection), `${name} is a collection`);
  return collection;
}

/** The writes of documents of an engine that has collections. */
export function writesOf({ documents }: Engine): DocumentWrites {
  assert.ok(documents, 'the engine has collections');
  return documents;
}

/** A document in the form in which it is stored. */
export function storedDocument(collection: Collection, text: JsonText): StoredDocument {
  const { id, document, vector } = readDocument(objectOf(text), documentRules(collection));
  assert.ok(id, 'the document has an id');
  return { key: id.key, ...toColumns(document, vector) };
}

/** Inserts documents in one plan and gives their outcomes. */
export function tryInsert(
  engine: Engine,
  collection: Collection,
  documents: readonly JsonText[],
  isOrdered: boolean,
): Promise<readonly DocumentInsertOutcome[]> {
  const stored = documents.map((text) => storedDocument(collection, text));
  return writesOf(engine).insert({ collection, documents: stored, isOrdered });
}

/** Inserts documents in one plan; all of them must be stored. */
export async function insertDocuments(
  engine: Engine,
  collection: Collection,
  ...documents: readonly JsonText[]
): Promise<void> {
  const states = await tryInsert(engine, collection, documents, true);
  assert.deepEqual(
    states,
    documents.map(() => 'stored'),
  );
}

/** A read of whole documents by a filter and a sort. */
export function readOf(collection: Collection, filter: JsonText, sort?: JsonText): DocumentRead {
  const clauses = { filter: objectOf(filter), sort: sort && objectOf(sort), projection: objectOf('{"*":1}') };
  return parseDocumentRead(clauses, collection);
}

/** Documents of a read, and the position behind them. */
export interface FoundPage {
  readonly documents: readonly JsonText[];
  readonly next: string | null;
}

/** Reads whole documents as commands do, in the order of the engine or of the sort. */
export async function findPage(
  engine: Engine,
  read: DocumentRead,
  window: Partial<DocumentWindow> = {},
): Promise<FoundPage> {
  const whole = { limit: 100_000, command: {}, ...window };
  const found = await askAsCommandsDo(engine, () => readDocumentRows(read, whole, engine));
  const documents = found.rows.map((row) =>
    stringifyJson(wholeDocumentOf(row, found.columns, read.collection)),
  );
  return { documents, next: found.next };
}

/** The documents of a filter, sorted by their texts: an engine gives them in any order. */
export async function documentsOf(
  engine: Engine,
  collection: Collection,
  filter: JsonText = '{}',
): Promise<readonly JsonText[]> {
  const { documents } = await findPage(engine, readOf(collection, filter));
  return documents.toSorted();
}

/** The ids of documents in their order, as one text. */
export function idsOf(documents: readonly JsonText[]): string {
  return documents.map((document) => stringifyJson(objectOf(document).get('_id') ?? null)).join(' ');
}

/** The documents of all pages of a read, each of at most `limit` documents. */
export async function pagesOf(
  engine: Engine,
  read: DocumentRead,
  window: Partial<DocumentWindow> & { readonly limit: number },
  betweenPages: () => Promise<void> = async () => {},
): Promise<readonly FoundPage[]> {
  const pages: FoundPage[] = [];
  let after: string | null = null;
  do {
    if (pages.length > 0) await betweenPages();
    const page: FoundPage = await findPage(engine, read, { kind: 'paged', ...window, after });
    assert.ok(page.documents.length <= window.limit, 'a page has no more documents than wanted');
    assert.ok(!pages.some(({ next }) => next !== null && next === page.next), 'no page is repeated');
    pages.push(page);
    after = page.next;
  } while (after !== null);
  return pages;
}

export function keyOfId(id: JsonText): Uint8Array {
  return parseDocumentId(jsonOf(id)).key;
}

function jsonOf(text: JsonText): JsonValue {
  return parseJson(text, { maxDepth: 100, maxNumberLength: 1_000 });
}

/** An update as a change. */
export function updateOf(update: JsonText): Extract<DocumentChange, { kind: 'update' }> {
  return { kind: 'update', update: parseUpdate(objectOf(update)), nowMs: 1_000 };
}

/** A replacement as a change; its `_id` is the one that the document must have. */
export function replaceBy(replacement: JsonText): Extract<DocumentChange, { kind: 'replace' }> {
  const given = objectOf(replacement);
  const content = new Map([...given].filter(([name]) => name !== '_id'));
  return { kind: 'replace', replacement: content, id: given.get('_id') };
}

/** A change for documents of a filter. */
export function filteredChange(
  collection: Collection,
  filter: JsonText,
  change: DocumentChange,
  wants: FilteredChange['wants'] = 'none',
): FilteredChange {
  return { filter: readOf(collection, filter).filter.documentFilter, change, wants };
}

/** Changes the documents with these ids that match. */
export function changeDocuments(
  engine: Engine,
  collection: Collection,
  ids: readonly JsonText[],
  change: FilteredChange,
): Promise<DocumentChangeOutcome> {
  return writesOf(engine).change({ collection, keys: ids.map(keyOfId), ...change });
}

/** The states of an outcome, its images as whole documents, and the code of its failure. */
export function outcomeText({ states, images, failure }: DocumentChangeOutcome): string {
  const shown = images.map(wholeText).join(' ');
  return [states.join(' '), shown, failure?.code]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
}

/** A stored document as JSON. */
export function wholeText(columns: DocumentColumns): JsonText {
  return stringifyJson(fromColumns(columns));
}

/** The image of a document that a command changed. */
export function imageText(changed: Pick<ChangedDocument, 'image'> | undefined): JsonText | undefined {
  return changed?.image && wholeText(changed.image);
}
