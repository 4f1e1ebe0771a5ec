// Finds a document and changes it: what updateOne, deleteOne and the findOneAnd commands have in common. The engine
// compares a document with the filter again when it changes it. If another command was faster, the next one that was
// found is tried, so that each command of many that want the same documents reads them once.

import type { DocumentChange, DocumentChangeState, FilteredChange } from '../../documents/change-document.js';
import type { DocumentColumns } from '../../documents/document-columns.js';
import type { DocumentWrites, Engine } from '../../engine/engine.js';
import { apiError } from '../../errors/api-error.js';
import { collectionColumns } from '../../schema/collection.js';
import { type DocumentRead, type DocumentWindow, readDocumentRows } from './document-read.js';

/** How often documents are looked for. */
const mostReads = 50;
/** So many documents of a read are tried after a lost race. */
const candidates = 50;
/** Advances with each choice of a candidate, so that commands at the same time choose different ones. */
const choices = { made: 0 };

/** A document that was found, and what happened to it. */
export interface ChangedDocument {
  readonly state: Exclude<DocumentChangeState, 'gone' | 'unmatched'>;
  /** If it is wanted. */
  readonly image: DocumentColumns | undefined;
}

/** The part of an engine that writes documents. */
export function documentWrites(engine: Engine): DocumentWrites {
  if (engine.documents === undefined) throw new TypeError('the engine has no collections');
  return engine.documents;
}

/**
 * Changes the first document of a read; undefined if none matches. Rejects with an ApiError: also
 * FAILED_CONCURRENT_OPERATIONS if each document that was found was changed by others before.
 */
export async function changeFirst(
  read: DocumentRead,
  change: DocumentChange,
  wants: FilteredChange['wants'],
  engine: Engine,
  command: object,
): Promise<ChangedDocument | undefined> {
  const { collection, filter, order } = read;
  const isKnown = filter.onlyKey !== undefined && order.kind === 'none';
  for (let reads = 0; reads < mostReads; reads += 1) {
    const limit = reads > 0 || order.kind === 'paths' ? candidates : 1;
    const keys = isKnown ? [filter.onlyKey] : (await keysPage(read, { limit, command }, engine)).keys;
    for (const key of order.kind === 'none' ? fromNextChoice(keys) : keys) {
      const plan = { collection, keys: [key], filter: filter.documentFilter, change, wants };
      const { states, images, failure } = await documentWrites(engine).change(plan);
      if (failure !== undefined) throw failure;
      const [state] = states;
      if (state !== undefined && state !== 'gone' && state !== 'unmatched')
        return { state, image: images[0] };
    }
    if (isKnown || (keys.length === 0 && (reads > 0 || !canMiss(read, engine)))) return undefined;
  }
  const { keyspace, name: table } = collection;
  throw apiError('database', 'FAILED_CONCURRENT_OPERATIONS', { keyspace, table });
}

/** Whether an empty read must be repeated: a second one misses only a document that other commands change again. */
function canMiss({ collection, filter }: DocumentRead, engine: Engine): boolean {
  return documentWrites(engine).canMiss?.(collection, filter.documentFilter) ?? false;
}

/** The keys in their order, from another one on for each command. */
function fromNextChoice(keys: readonly Uint8Array[]): readonly Uint8Array[] {
  if (keys.length < 2) return keys;
  choices.made += 1;
  const first = choices.made % keys.length;
  return [...keys.slice(first), ...keys.slice(0, first)];
}

/** The keys of the documents of a read, and the position of the next page. */
export async function keysPage(
  read: DocumentRead,
  window: Omit<DocumentWindow, 'onlyKeys'>,
  engine: Engine,
): Promise<{ readonly keys: readonly Uint8Array[]; readonly next: string | null }> {
  const { rows, columns, next } = await readDocumentRows(read, { ...window, onlyKeys: true }, engine);
  const place = columns.indexOf(collectionColumns(read.collection).key);
  return { keys: rows.map((row) => row[place] as Uint8Array), next }; // ids have keys of bytes
}
