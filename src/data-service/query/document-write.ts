// Writes of documents: plans for an engine, and their outcomes.

import type { JsonObject } from '../../foundation/json/json-value.js';
import type { DocumentChangeState, FilteredChange } from '../documents/change-document.js';
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
  /** The whole documents, in the same order; absent where only their columns are known. */
  readonly contents?: readonly JsonObject[] | undefined;
  /** Whether the first document that is not stored ends the insert. */
  readonly isOrdered: boolean;
}

/** What happened to a document of an insert; `skipped`: an earlier one ended it. */
export type DocumentInsertState = 'stored' | 'exists' | 'skipped';

/** The outcome for a document of an insert: its state, or why it was not stored although others were. */
export type DocumentInsertOutcome = DocumentInsertState | ApiError;

/** Documents to change: those of the keys that match the filter when their turn comes. */
export interface DocumentChangePlan extends FilteredChange {
  readonly collection: Collection;
  readonly keys: readonly Uint8Array[];
}

/** The outcome of a change, for the keys in their order. The first document that cannot be changed ends it. */
export interface DocumentChangeOutcome {
  readonly states: readonly DocumentChangeState[];
  /** The documents that matched, in order, if the plan wants them. */
  readonly images: readonly DocumentColumns[];
  /** Why the document after those of `states` could not be changed. */
  readonly failure?: ApiError;
}
