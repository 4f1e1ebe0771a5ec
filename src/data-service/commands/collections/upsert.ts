// Changes a document, or inserts one if none matches and the command asks for it.
import { type JsonText, stringifyJson } from '../../../foundation/json/json-value.js';
import {
  type FilteredChange,
  type ReplaceChange,
  type UpdateChange,
  upsertedDocument,
} from '../../documents/change-document.js';
import type { DocumentColumns } from '../../documents/document-columns.js';
import type { IdSource } from '../../documents/new-document-id.js';
import type { Engine } from '../../engine/engine.js';
import { apiError } from '../../errors/api-error.js';
import { documentRules } from '../../schema/document-rules.js';
import type { Reply } from '../reply.js';
import { type ChangedDocument, changeFirst, documentWrites } from './change-documents.js';
import type { DocumentRead } from './document-read.js';
import { newIdFor } from './new-id.js';

/** An insert can fail because another command inserted the same id; then that document is looked for. */
const mostAttempts = 10;

/** What a command did to one document. */
export type ChangeResult =
  | ({ readonly kind: 'found' } & ChangedDocument)
  | { readonly kind: 'none' }
  | { readonly kind: 'inserted'; readonly id: JsonText; readonly document: DocumentColumns };

/** A change of the first document that matches. */
export interface OneChange {
  readonly read: DocumentRead;
  readonly change: UpdateChange | ReplaceChange;
  readonly wants: FilteredChange['wants'];
  /** Whether a document is inserted if none matches. */
  readonly upsert: boolean;
  readonly ids: IdSource;
  readonly command: object;
}

/** Rejects with an ApiError, or an EngineError. */
export async function changeOrInsert(one: OneChange, engine: Engine): Promise<ChangeResult> {
  const { read, change, wants, upsert, ids, command } = one;
  const { collection } = read;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const found = await changeFirst(read, change, wants, engine, command);
    if (found !== undefined) return { kind: 'found', ...found };
    if (!upsert) return { kind: 'none' };
    const rules = documentRules(collection);
    const newId = () => newIdFor(collection, ids);
    const { id, columns } = upsertedDocument(change, read.filter.json, rules, newId);
    const documents = [{ key: id.key, ...columns }];
    const [state] = await documentWrites(engine).insert({ collection, documents, isOrdered: true });
    if (state === 'stored') return { kind: 'inserted', id: stringifyJson(id.json), document: columns };
    // The document with this id does not match the filter, or another command has just inserted it.
    if (attempt > 0 && !namesOnly(read, id.key)) return { kind: 'none' };
  }
  const { keyspace, name: table } = collection;
  throw apiError('database', 'FAILED_CONCURRENT_OPERATIONS', { keyspace, table });
}

/** Whether every document with this id matches, so that one that exists was missed only because of a race. */
function namesOnly({ filter, order }: DocumentRead, key: Uint8Array): boolean {
  // A search does not find documents without a vector, or without its words.
  const isSearch = order.kind !== 'none' && order.kind !== 'paths';
  const isOfIds = filter.filter.kind === 'comparison' && filter.onlyKey !== undefined;
  return !isSearch && isOfIds && Buffer.compare(filter.onlyKey, key) === 0;
}

/** The members of `status` for a change of one document. */
export function changeStatus(result: ChangeResult): NonNullable<Reply['status']> {
  const isFound = result.kind === 'found';
  const counts = [
    ['matchedCount', isFound ? '1' : '0'],
    ['modifiedCount', isFound && result.state === 'changed' ? '1' : '0'],
  ] as const;
  return result.kind === 'inserted' ? [['upsertedId', result.id], ...counts] : counts;
}
