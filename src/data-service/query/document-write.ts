// Writes of documents: plans for an engine, and their outcomes. Plain data except the collection, so that other threads
// can run them.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { DocumentColumns } from '../documents/document-columns.js';
import type { ApiError } from '../errors/api-error.js';
import type { Collection } from '../schema/collection.js';

/** A document with the key of its id. */
export interface StoredDocument extends DocumentColumns {
  readonly key: Uint8Array;
}

/** Documents to insert; an id that exists is refused. */
export interface DocumentInsertPlan {
  readonly collection: Collection;
  /** Valid, see `read-document.ts`. */
  readonly documents: readonly StoredDocument[];
  /** Whether the first document that is not stored ends the insert. */
  readonly isOrdered: boolean;
}

/** What happened to a document of an insert; `skipped`: an earlier one ended it. */
export type DocumentInsertState = 'stored' | 'exists' | 'skipped';

/** The outcome for a document of an insert: its state, or why it was not stored although others were. */
export type DocumentInsertOutcome = DocumentInsertState | ApiError;

/** A change of documents; the whole change of one document happens at once. */
export type DocumentChange =
  | { readonly kind: 'delete' }
  /** A packed update, see `document-update.ts`. */
  | { readonly kind: 'update'; readonly update: JsonText; readonly nowMs: number }
  /**
   * The new content, without `_id`, and the id that the document must have if the replacement has one: in the form of
   * replies, because a UUID as a string is another `_id` than `{"$uuid": …}`, although both have one key.
   */
  | { readonly kind: 'replace'; readonly replacement: JsonText; readonly id: JsonText | null };

/** Documents to change: those of the keys that match the filter when their turn comes. */
export interface DocumentChangePlan {
  readonly collection: Collection;
  readonly keys: readonly Uint8Array[];
  /** A packed filter, see `document-filter.ts`; null: every document matches. */
  readonly filter: string | null;
  readonly change: DocumentChange;
  /** Which images of the documents the outcome contains. */
  readonly wants: 'none' | 'before' | 'after';
}

/** What happened to one document. */
export type DocumentChangeState = 'gone' | 'unmatched' | 'unchanged' | 'changed' | 'deleted';

/** The outcome of a change, for the keys in their order. The first document that cannot be changed ends it. */
export interface DocumentChangeOutcome {
  readonly states: readonly DocumentChangeState[];
  /** Of the documents that matched, in order, if the plan wants them. */
  readonly images: readonly DocumentColumns[];
  /** Why the document after those of `states` could not be changed. */
  readonly failure?: ApiError;
}
