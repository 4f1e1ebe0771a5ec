// Vectors of texts that documents have already: a text that a change does not alter is not embedded again.
import type { Engine } from '../../engine/engine.js';
import { collectionColumns } from '../../schema/collection.js';
import { type DocumentRead, readDocumentRows, wholeDocumentOf } from './document-read.js';

const none: ReadonlyMap<string, Float32Array> = new Map();

/**
 * The vectors of those texts that one of the first `limit` documents of a read has as its `$vectorize`, by text. A read
 * that searches by a text has the vector of that text. Never rejects: a problem of the read is one of the command, too.
 */
export async function storedVectors(
  read: DocumentRead,
  texts: readonly string[],
  { limit, command }: { readonly limit: number; readonly command: object },
  engine: Engine,
): Promise<ReadonlyMap<string, Float32Array>> {
  const { collection, projection } = read;
  const { vector } = collectionColumns(collection);
  if (vector === undefined || texts.length === 0) return none;
  try {
    const whole = { ...read, projection: { ...projection, needsReserved: true } };
    const { rows, columns } = await readDocumentRows(whole, { limit, command }, engine);
    const place = columns.indexOf(vector);
    const found = new Map<string, Float32Array>();
    for (const row of rows) {
      const text = wholeDocumentOf(row, columns, collection).get('$vectorize');
      const stored = row[place];
      if (typeof text === 'string' && texts.includes(text) && stored instanceof Float32Array)
        found.set(text, stored);
    }
    return found;
  } catch {
    return none;
  }
}
