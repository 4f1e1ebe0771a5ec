// SQL functions over stored vectors.
import type { SqlFunctions } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { double } from '../../../column-types/floats.js';
import { cosine, dotProduct, squaredDistance, type VectorSearch } from '../../../query/vector-search.js';
import { isZeroVector } from '../../../schema/vector-index.js';
import type { SqlFragment } from './sql-fragment.js';
import { sqlColumn } from './sql-names.js';
import { storedFloats } from './stored-floats.js';

/**
 * For every connection. Scores are those of `scorerOf`, as the column type double stores them: their order in SQLite
 * is that of the numbers. Null for null.
 */
export const vectorFunctions: SqlFunctions = {
  dot_product_score: (stored, query) => scored(stored, query, dotProduct),
  euclidean_score: (stored, query) =>
    scored(stored, query, (vector, other) => -squaredDistance(vector, other)),
  cosine_score: (stored, query, queryNorm) =>
    scored(stored, query, (vector, other) => cosine(vector, other, Number(queryNorm))),
  is_zero_vector: (stored) => (stored !== null && isZeroVector(storedFloats(stored)) ? 1 : 0),
};

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
