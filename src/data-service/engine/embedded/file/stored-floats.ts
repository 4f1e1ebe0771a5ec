// Vectors as they lie in the file.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { vectorOf } from '../../../column-types/vector.js';

/** The floats of a stored vector. */
export function storedFloats(stored: SqlValue | undefined): Float32Array {
  if (!(stored instanceof Uint8Array)) throw new TypeError('a vector is stored as bytes');
  return vectorOf(stored.length / Float32Array.BYTES_PER_ELEMENT).sql.decode(stored);
}
