// Functions of ours inside SQLite, the same on every connection to a data file: indexes are built with them.
import type { SqlFunctions } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { double } from '../../../column-types/floats.js';
import { text } from '../../../column-types/text.js';
import { foldText, type TextFold } from '../../../column-types/text-fold.js';
import { vectorOf } from '../../../column-types/vector.js';
import { cosine, dotProduct, squaredDistance, type VectorSearch } from '../../../query/vector-search.js';
import { isZeroVector } from '../../../schema/vector-index.js';
import type { SqlFragment } from './sql-fragment.js';
import { sqlColumn } from './sql-names.js';

const bits = { ascii: 1, caseInsensitive: 2, normalize: 4 } as const;

/**
 * Scores are those of `scorerOf`, as the column type double stores them: their order in SQLite
 * is that of the numbers. Null for null.
 */
const vectorFunctions: SqlFunctions = {
  dot_product_score: (stored, query) => scored(stored, query, dotProduct),
  euclidean_score: (stored, query) =>
    scored(stored, query, (vector, other) => -squaredDistance(vector, other)),
  cosine_score: (stored, query, queryNorm) =>
    scored(stored, query, (vector, other) => cosine(vector, other, Number(queryNorm))),
  is_zero_vector: (stored) => (stored !== null && isZeroVector(storedFloats(stored)) ? 1 : 0),
};

/** Those over vectors, and `fold(text, options)`: the stored text as an index sees it; null for null. */
export const sqlFunctions: SqlFunctions = {
  ...vectorFunctions,
  fold: (stored, options) => {
    if (typeof stored !== 'string') return null;
    const given = Number(options);
    const fold: TextFold = {
      ascii: (given & bits.ascii) !== 0,
      caseSensitive: (given & bits.caseInsensitive) === 0,
      normalize: (given & bits.normalize) !== 0,
    };
    return text.sql.encode(foldText(String(text.sql.decode(stored)), fold));
  },
};

/** `fold(c3, 2)`: the SQL expression for a folded column. */
export function foldExpression(column: string, { ascii, caseSensitive, normalize }: TextFold): string {
  const options =
    (ascii ? bits.ascii : 0) + (caseSensitive ? 0 : bits.caseInsensitive) + (normalize ? bits.normalize : 0);
  return `fold(${column}, ${options})`;
}

/** The expression for the score of a row in a search. */
export function scoreExpression({ column, query, metric }: VectorSearch): SqlFragment {
  const bytes = column.type.sql.encode(query);
  if (metric === 'cosine') {
    const norm = Math.sqrt(dotProduct(query, query));
    return { sql: `cosine_score(${sqlColumn(column)}, ?, ?)`, values: [bytes, norm] };
  }
  return { sql: `${metric}_score(${sqlColumn(column)}, ?)`, values: [bytes] };
}

function scored(
  stored: SqlValue,
  query: SqlValue,
  score: (vector: Float32Array, query: Float32Array) => number,
): SqlValue {
  return stored === null ? null : double.sql.encode(score(storedFloats(stored), storedFloats(query)));
}

/** The floats of a stored vector. */
export function storedFloats(stored: SqlValue | undefined): Float32Array {
  if (!(stored instanceof Uint8Array)) throw new TypeError('a vector is stored as bytes');
  return vectorOf(stored.length / Float32Array.BYTES_PER_ELEMENT).sql.decode(stored);
}
