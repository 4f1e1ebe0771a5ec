// Where the next page of documents begins, as the text of a position.
import type { EntryKey } from '../../../documents/entries.js';
import { OutdatedPosition, type Position } from '../../../query/row-order.js';

/** The last document of a page. */
export interface PagePlace {
  /** Which condition's entries are read in their order; -1: documents are in the order of their numbers. */
  readonly seek: number;
  readonly number: number;
  readonly key?: EntryKey;
}

/** The text of a place. */
export function packPlace({ seek, number, key }: PagePlace): Position {
  if (key === undefined) return JSON.stringify(['documents', number]);
  if (key instanceof Uint8Array)
    return JSON.stringify(['documents', number, seek, 'bytes', Buffer.from(key).toString('base64')]);
  // Numbers that JSON does not have are written as texts.
  return JSON.stringify(['documents', number, seek, typeof key, String(key)]);
}

/**
 * The place of a text.
 * @throws OutdatedPosition for a text of another kind
 */
export function unpackPlace(position: Position): PagePlace {
  const [kind, number, seek = -1, type, key] = parsed(position);
  if (kind !== 'documents' || typeof number !== 'number' || typeof seek !== 'number')
    throw new OutdatedPosition();
  if (type === undefined) return { seek: -1, number };
  if (typeof key !== 'string') throw new OutdatedPosition();
  if (type === 'bytes') return { seek, number, key: Buffer.from(key, 'base64') };
  return { seek, number, key: type === 'string' ? key : Number(key) };
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
