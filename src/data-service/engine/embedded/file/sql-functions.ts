// SQL functions of the engine, the same on every connection to a data file, because indexes use them.
import { deserialize, serialize } from 'node:v8';
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { double } from '../../../column-types/floats.js';
import { text } from '../../../column-types/text.js';
import { foldText, type TextFold } from '../../../column-types/text-fold.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { isZeroVector, vectorOf } from '../../../column-types/vector.js';
import { type Comparison, comparedForm } from '../../../query/filter.js';
import { filterOperatorNamed, matchOperator } from '../../../query/filter-operators.js';
import { cosine, dotProduct, squaredDistance, type VectorSearch } from '../../../query/vector-search.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { documentFunctions } from './document-functions.js';
import { entryFunctions } from './entry-keys.js';
import { memberFunctions } from './member-functions.js';
import type { SqlFragment } from './sql-fragment.js';
import { sqlColumn } from './sql-names.js';
import { textFunctions } from './text-functions.js';

const bits = { ascii: 1, caseInsensitive: 2, normalize: 4 } as const;

/**
 * Scores are those of `scorerOf`, stored like values of the type double, so that SQLite orders them like numbers. Null
 * for null.
 */
const vectorFunctions: SqlFunctions = {
  dot_product_score: (stored, query) => scored(stored, query, dotProduct),
  euclidean_score: (stored, query) =>
    scored(stored, query, (vector, other) => -squaredDistance(vector, other)),
  cosine_score: (stored, query, queryNorm) =>
    scored(stored, query, (vector, other) => cosine(vector, other, Number(queryNorm))),
  is_zero_vector: (stored) => (stored !== null && isZeroVector(storedFloats(stored)) ? 1 : 0),
};

/**
 * The functions for vectors, members, text indexes and entries of documents, and two others. `fold(text, options)`: a
 * stored text in the form of an index, null for null. `matches(stored, comparison)`: see `matchesCondition`.
 */
export const sqlFunctions: SqlFunctions = {
  ...vectorFunctions,
  ...memberFunctions,
  ...textFunctions,
  ...documentFunctions,
  ...entryFunctions,
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
  matches: (stored, packed) => (getOrMake(matchers, String(packed), unpackMatcher)(stored) ? 1 : 0),
};

/** Whether a stored value matches; integers come as their digits. */
type Matcher = (stored: SqlValue) => boolean;

/** The matchers of recent statements: a statement calls its matcher for each row. */
const matchers = new GenerationCache<Matcher>(100);

/** `matches(c3, ?)`: a condition that calls the operator's own `matches`; `stored` is the SQL of the column. */
export function matchesCondition(
  stored: string,
  { column, operator, operands, analyzer }: Comparison,
): SqlFragment {
  const { sql, name: type } = column.type;
  const packed = serialize([
    operator.name,
    type,
    operands.map((operand) => sql.encode(operand)),
    analyzer?.definition,
  ]);
  // The driver passes integers to functions as numbers, which are not exact beyond 2^53.
  const exact = sql.columnType === 'INTEGER' ? `CAST(${stored} AS TEXT)` : stored;
  return { sql: `matches(${exact}, ?)`, values: [packed.toString('base64')] };
}

function unpackMatcher(packed: string): Matcher {
  const [operatorName, typeName, encoded, definition]: PackedComparison = deserialize(
    Buffer.from(packed, 'base64'),
  );
  const analyzer = definition === undefined ? {} : { analyzer: analyzerOf(definition) };
  const operator = definition === undefined ? filterOperatorNamed(operatorName) : matchOperator;
  const type = columnTypeOfName(typeName);
  if (operator === undefined || type === undefined)
    throw new TypeError(`${operatorName} on ${typeName} is not known here`);
  const { sql } = type;
  const operands = encoded.map((operand) => sql.decode(operand));
  const decode = (stored: Exclude<SqlValue, null>) =>
    sql.decode(sql.columnType === 'INTEGER' ? BigInt(String(stored)) : stored);
  return (stored) =>
    operator.matches(type, stored === null ? null : comparedForm(analyzer, decode(stored)), operands);
}

type PackedComparison = readonly [
  operator: string,
  type: string,
  operands: readonly Exclude<SqlValue, null>[],
  /** For `$match`, whose operands are tokens. */
  analyzer: string | undefined,
];

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
