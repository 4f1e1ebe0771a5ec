// The meaning of changes of documents, for every engine: what becomes of a stored document, and which document an
// upsert inserts if none is found.
import { type JsonObject, type JsonValue, stringifyJson } from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import { type DocumentColumns, fromColumns, toColumns } from './document-columns.js';
import type { DocumentFilter } from './document-filter.js';
import { type DocumentId, parseDocumentId } from './document-id.js';
import { applyUpdate, type DocumentUpdate } from './document-update.js';
import { matchesDocument } from './match-filter.js';
import { type DocumentRules, readDocument } from './read-document.js';
import { documentFromFilter } from './upsert-document.js';
import { isSameJson } from './values.js';

/** Changes members of a document. */
export interface UpdateChange {
  readonly kind: 'update';
  readonly update: DocumentUpdate;
  /** One instant for all documents of a command, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Replaces the content of a document, which keeps its `_id`. */
export interface ReplaceChange {
  readonly kind: 'replace';
  /** The new content, without `_id`. */
  readonly replacement: JsonObject;
  /**
   * The `_id` that the document must have, in the form of replies; undefined if the replacement names none. A UUID as a
   * string is another `_id` than `{"$uuid": …}`, although both have one key.
   */
  readonly id: JsonValue | undefined;
}

/** The change of a document, which happens at once. */
export type DocumentChange = { readonly kind: 'delete' } | UpdateChange | ReplaceChange;

/** A change for the documents that match a filter when their turn comes. */
export interface FilteredChange {
  readonly filter: DocumentFilter;
  readonly change: DocumentChange;
  /** Which image of the documents the outcome contains. */
  readonly wants: 'none' | 'before' | 'after';
}

/** What a change makes of one document. `before` and `after` are whole documents; `columns` are those to store. */
export type ChangedDocument =
  | { readonly state: 'gone' | 'unmatched'; readonly image?: undefined }
  | { readonly state: 'unchanged'; readonly image: DocumentColumns | undefined }
  | { readonly state: 'deleted'; readonly image: DocumentColumns | undefined; readonly before: JsonObject }
  | {
      readonly state: 'changed';
      readonly image: DocumentColumns | undefined;
      readonly before: JsonObject;
      readonly after: JsonObject;
      readonly columns: DocumentColumns;
    };

/** What happened to one document: `gone` means that it is not stored any more. */
export type DocumentChangeState = ChangedDocument['state'];

/**
 * The reference meaning of a change of one document: what the engine reports (`state`), what it returns (`image`, if
 * one is wanted) and what it stores. `stored` is undefined if there is no such document.
 * @throws ApiError scope DOCUMENT or UPDATE: this document cannot be changed in this way
 */
export function changedDocument(
  stored: DocumentColumns | undefined,
  { filter, change, wants }: FilteredChange,
  rules: DocumentRules,
): ChangedDocument {
  if (stored === undefined) return { state: 'gone' };
  const before = fromColumns(stored);
  if (!matchesDocument(filter, before, rules.analyzer)) return { state: 'unmatched' };
  const imageBefore = wants === 'before' ? stored : undefined;
  if (change.kind === 'delete') return { state: 'deleted', image: imageBefore, before };
  const next = change.kind === 'update' ? updated(change, before) : replaced(change, before);
  const read = next && readDocument(next, rules);
  // Some operators count as a change whatever they do: comparing would cost as much as writing.
  if (read === undefined || (change.kind === 'replace' && isSameJson(read.document, before)))
    return { state: 'unchanged', image: wants === 'after' ? stored : imageBefore };
  const { document: after, vector } = read;
  const columns = toColumns(after, vector);
  return { state: 'changed', image: wants === 'after' ? columns : imageBefore, before, after, columns };
}

/** The document after an update; undefined if the update changes nothing. */
function updated({ update, nowMs }: UpdateChange, before: JsonObject): JsonObject | undefined {
  const { document, isChanged } = applyUpdate(update, before, { now: nowMs, isUpsert: false });
  return isChanged ? document : undefined;
}

/** The document after a replacement. @throws ApiError DOCUMENT_REPLACE_DIFFERENT_DOCID */
function replaced({ replacement, id }: ReplaceChange, before: JsonObject): JsonObject {
  const own = before.get('_id') ?? null;
  refuseOtherId(id, own);
  return withId(own, replacement);
}

/** @throws ApiError DOCUMENT_REPLACE_DIFFERENT_DOCID if the replacement has another id than the document */
function refuseOtherId(id: JsonValue | undefined, own: JsonValue): void {
  if (id === undefined) return;
  const replaceId = stringifyJson(id);
  const matchedId = stringifyJson(parseDocumentId(own).json);
  if (replaceId !== matchedId)
    throw apiError('document', 'DOCUMENT_REPLACE_DIFFERENT_DOCID', { replaceId, matchedId });
}

function withId(id: JsonValue, content: JsonObject): JsonObject {
  return new Map([['_id', id], ...content]);
}

/** A document to insert. */
export interface UpsertedDocument {
  readonly id: DocumentId;
  readonly columns: DocumentColumns;
}

/**
 * The document that an upsert inserts if no document matches: the equalities of the filter, which is given as it was
 * sent, with the update applied to them, or with the replacement in their place. `newId` makes an `_id` if neither has
 * one.
 * @throws ApiError scope DOCUMENT or UPDATE
 */
export function upsertedDocument(
  change: UpdateChange | ReplaceChange,
  filter: JsonObject | undefined,
  rules: DocumentRules,
  newId: () => JsonValue,
): UpsertedDocument {
  const required = documentFromFilter(filter);
  const given =
    change.kind === 'replace'
      ? replacing(change, required.get('_id'))
      : applyUpdate(change.update, required, { now: change.nowMs, isUpsert: true }).document;
  const whole = given.has('_id') ? given : withId(newId(), given);
  const { id, document, vector } = readDocument(whole, rules);
  if (id === undefined) throw new TypeError('a document to insert has an id');
  return { id, columns: toColumns(document, vector) };
}

/** The replacement with the id of the filter, or with its own. @throws ApiError if they differ */
function replacing({ replacement, id }: ReplaceChange, required: JsonValue | undefined): JsonObject {
  if (required === undefined) return id === undefined ? replacement : withId(id, replacement);
  refuseOtherId(id, required);
  return withId(required, replacement);
}
