// Where the next page of documents begins, as the text of a position.
import type { EntryKey } from '../../../documents/entries.js';
import { OutdatedPosition, type Position } from '../../../query/row-order.js';
import type { NumberSpan } from './entry-reads.js';

/** The last document of a page. */
export interface PagePlace {
  /** Which condition's entries are read in their order; -1: documents are in the order of their numbers. */
  readonly seek: number;
  readonly number: number;
  /**
   * Where a document was found along entries: the key of its entry, the span of numbers that was read, and the
   * id of the entries. When entries are built again, which changes it, their segments have other spans.
   */
  readonly entry?: { readonly key: EntryKey; readonly span: NumberSpan; readonly entriesId: number };
}

/** The text of a place. */
export function packPlace({ seek, number, entry }: PagePlace): Position {
  if (entry === undefined) return JSON.stringify(['documents', number]);
  const { key, span, entriesId } = entry;
  // Numbers that JSON does not have are written as texts.
  const packed =
    key instanceof Uint8Array ? ['bytes', Buffer.from(key).toString('base64')] : [typeof key, String(key)];
  return JSON.stringify(['documents', number, seek, entriesId, span.first, span.last, ...packed]);
}

/**
 * The place of a text.
 * @throws OutdatedPosition for a text of another kind, or one along entries with another id than the present ones
 */
export function unpackPlace(position: Position, presentId: number): PagePlace {
  const [kind, number, seek = -1, entriesId, first, last, type, key] = parsed(position);
  if (kind !== 'documents' || typeof number !== 'number' || typeof seek !== 'number')
    throw new OutdatedPosition();
  if (entriesId === undefined) return { seek: -1, number };
  if (
    entriesId !== presentId ||
    typeof key !== 'string' ||
    typeof first !== 'number' ||
    typeof last !== 'number'
  )
    throw new OutdatedPosition();
  return { seek, number, entry: { key: unpackKey(type, key), span: { first, last }, entriesId } };
}

function unpackKey(type: unknown, key: string): EntryKey {
  if (type === 'bytes') return Buffer.from(key, 'base64');
  return type === 'string' ? key : Number(key);
}

function parsed(position: Position): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(position);
    return Array.isArray(place) ? place : [];
  } catch (error) {
    if (error instanceof SyntaxError) throw new OutdatedPosition();
    throw error;
  }
}
