// Writes of documents, which are rows of a table with fixed columns. `changedDocument` is the meaning of a change.
import { changedDocument } from '../../src/data-service/documents/change-document.js';
import type { DocumentColumns } from '../../src/data-service/documents/document-columns.js';
import type { DocumentWrites } from '../../src/data-service/engine/engine.js';
import { ApiError } from '../../src/data-service/errors/api-error.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../src/data-service/query/document-write.js';
import { type Collection, collectionColumns } from '../../src/data-service/schema/collection.js';
import { documentRules } from '../../src/data-service/schema/document-rules.js';
import type { MemoryStorage } from './memory-storage.js';
import { type OrderedRows, type StoredRow, storedValue, storeValue } from './ordered-rows.js';

/** The writes of documents, each in a `call`, as those of rows. */
export function documentWritesOf(
  storage: MemoryStorage,
  call: <Result>(work: () => Result) => Promise<Result>,
): DocumentWrites {
  const rowsOf = (collection: Collection) => storage.rowsOf(collection).rows;
  return {
    insert: (plan) => call(() => insert(rowsOf(plan.collection), plan)),
    change: (plan) => call(() => change(rowsOf(plan.collection), plan)),
    deleteAll: (collection) => call(() => rowsOf(collection).remove(() => true)),
  };
}

function insert(
  rows: OrderedRows,
  { collection, documents, isOrdered }: DocumentInsertPlan,
): readonly DocumentInsertState[] {
  let hasEnded = false;
  return documents.map((document) => {
    if (hasEnded) return 'skipped';
    if (rows.find([document.key]) !== undefined) {
      hasEnded = isOrdered;
      return 'exists';
    }
    const row = rows.findOrAdd([document.key]);
    row.isInserted = true;
    storeDocument(row, document, collection);
    return 'stored';
  });
}

function change(rows: OrderedRows, plan: DocumentChangePlan): DocumentChangeOutcome {
  const { collection, keys } = plan;
  const states: DocumentChangeOutcome['states'][number][] = [];
  const images: DocumentColumns[] = [];
  try {
    for (const key of keys) {
      const row = rows.find([key]);
      const stored = row && documentOf(row, collection);
      const changed = changedDocument(stored, plan, documentRules(collection));
      if (changed.state === 'deleted') rows.remove((each) => each === row);
      if (changed.state === 'changed' && row !== undefined) storeDocument(row, changed.columns, collection);
      states.push(changed.state);
      if (changed.image !== undefined) images.push(changed.image);
    }
  } catch (error) {
    // An ApiError is about one document; the changes before it stay.
    if (!(error instanceof ApiError)) throw error;
    return { states, images, failure: error };
  }
  return { states, images };
}

function documentOf(row: StoredRow, collection: Collection): DocumentColumns {
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  // `storeDocument` stored these types.
  return {
    text: storedValue(row, document) as string,
    reserved: storedValue(row, reserved) as string | null,
    vector: vector === undefined ? null : (storedValue(row, vector) as Float32Array | null),
    lexical: lexical === undefined ? null : (storedValue(row, lexical) as string | null),
  };
}

function storeDocument(row: StoredRow, columns: DocumentColumns, collection: Collection): void {
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  storeValue(row, document, columns.text);
  storeValue(row, reserved, columns.reserved);
  if (vector !== undefined) storeValue(row, vector, columns.vector);
  if (lexical !== undefined) storeValue(row, lexical, columns.lexical);
}
