// Random filters as clients write them: keys, slices, and trees of every operator with "and", "or" and "not".
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { type Dialect, inDialect } from '../../src/data-service/column-types/dialect.js';
import { filterOperators } from '../../src/data-service/query/filter-operators.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import type { SeededRandom } from '../seeded-random.js';

/** A column with the values that its rows may have. */
export interface FilterColumn {
  readonly name: string;
  readonly role: 'partition' | 'clustering' | 'plain';
  readonly type: ColumnType;
  /** JSON literals. */
  readonly values: readonly JsonText[];
  /** Lists, sets and maps only. */
  readonly parts?: ContainerParts;
}

/** What is added to a container and taken away from it, as JSON. */
export interface ContainerParts {
  /** Elements, or objects with one entry. */
  readonly members: readonly JsonText[];
  /** Entries as pairs of key and value; elements are written in one form only. */
  readonly pairs: readonly JsonText[];
  /** Elements, or keys. */
  readonly names: readonly JsonText[];
  /** The values of entries. */
  readonly values: readonly JsonText[];
}

const ranges = ['$gt', '$gte', '$lt', '$lte'];

/** Any filter; half of them begin with the key. Columns that take no filters in the dialect are left alone. */
export function randomFilter(
  random: SeededRandom,
  allColumns: readonly FilterColumn[],
  dialect: Dialect,
): JsonText {
  const columns = allColumns.filter(({ type }) => inDialect(type, dialect).traits.filterable);
  const dice = random.below(10);
  if (dice === 0) return random.oneIn(3) ? filterAtLimits(random, columns) : '{}';
  if (dice < 3) return conjunction(random, wholeKey(random, columns));
  if (dice < 5) return randomSlice(random, columns);
  if (dice < 7) return conjunction(random, [randomSlice(random, columns), randomTree(random, columns, 2)]);
  return randomTree(random, columns, 4);
}

/** Everything, or partitions and a slice of their clustering columns: what deletes take. */
export function randomSlice(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  if (random.chance(0.1)) return '{}';
  const parts = columns.filter(({ role }) => role === 'partition').map((column) => named(random, column));
  for (const column of columns.filter(({ role }) => role === 'clustering')) {
    if (random.chance(0.3)) break;
    if (random.chance(0.4) && column.type.traits.range) {
      parts.push(range(random, column));
      break;
    }
    parts.push(named(random, column));
  }
  return conjunction(random, parts);
}

function wholeKey(random: SeededRandom, columns: readonly FilterColumn[]): readonly JsonText[] {
  return columns
    .filter(({ role }) => role !== 'plain')
    .map((column) => comparison(column, '$eq', random.pick(column.values)));
}

function randomTree(random: SeededRandom, columns: readonly FilterColumn[], depth: number): JsonText {
  const dice = random.below(depth === 0 ? 5 : 12);
  if (dice < 5) return leaf(random, columns);
  if (dice === 5) return '{}';
  if (dice === 6) return range(random, random.pick(columns));
  if (dice < 8) return `{"$not":${randomTree(random, columns, depth - 1)}}`;
  const branches = Array.from({ length: 1 + random.below(3) }, () => randomTree(random, columns, depth - 1));
  return `{"${dice < 10 ? '$and' : '$or'}":[${branches.join(',')}]}`;
}

/** A number that has many digits when written without its exponent; one command may not have many of them. */
const longNumber = /e\+?\d{4}/i;

/** A filter with the most comparisons, and the longest lists, that it may have. */
function filterAtLimits(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  const some = random.some(columns, 1 + random.below(3));
  const comparisons = Array.from({ length: 64 }, () => {
    const column = random.pick(some);
    if (column.parts !== undefined) return memberLeaf(random, column, column.parts);
    const values = Array.from({ length: 100 }, () => value(random, column)).filter(
      (written) => !longNumber.test(written),
    );
    return comparison(column, random.pick(['$in', '$in', '$in', '$nin']), `[${values.join(',')}]`);
  });
  const half = comparisons.splice(0, 32);
  const [outer, inner] = [random.pick(['$and', '$or']), random.pick(['$and', '$or'])];
  return `{"${outer}":[{"${inner}":[${half.join(',')}]},${comparisons.join(',')}]}`;
}

function leaf(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  const column = random.pick(columns);
  if (column.parts !== undefined) return memberLeaf(random, column, column.parts);
  const operators = Object.values(filterOperators).filter(
    ({ isRange }) => !isRange || column.type.traits.range,
  );
  const { name, operand } = random.pick(operators);
  return comparison(column, name, operand === 'list' ? list(random, column, 4) : value(random, column));
}

/** `$eq`, or `$in`. */
function named(random: SeededRandom, column: FilterColumn): JsonText {
  return random.chance(0.8)
    ? comparison(column, '$eq', random.pick(column.values))
    : comparison(column, '$in', list(random, column, 3));
}

/** One bound or two. */
function range(random: SeededRandom, column: FilterColumn): JsonText {
  if (column.parts !== undefined) return memberLeaf(random, column, column.parts);
  if (!column.type.traits.range) return comparison(column, '$ne', value(random, column));
  const low = `"${random.pick(['$gt', '$gte'])}":${value(random, column)}`;
  const high = `"${random.pick(['$lt', '$lte'])}":${value(random, column)}`;
  return random.chance(0.5)
    ? comparison(column, random.pick(ranges), value(random, column))
    : `{${JSON.stringify(column.name)}:{${low},${high}}}`;
}

/** Elements or entries, keys, or values. */
function memberLeaf(
  random: SeededRandom,
  column: FilterColumn,
  { names, pairs, values }: ContainerParts,
): JsonText {
  const isMap = pairs.length > 0;
  const [marker, operands] = random.pick(
    isMap
      ? ([['', pairs] as const, ['$keys', names], ['$values', values]] as const)
      : ([['', names]] as const),
  );
  const operator = random.pick(['$in', '$in', '$nin', '$all'] as const);
  const count = operator === '$all' ? 1 + random.below(3) : random.below(4);
  const list = `{"${operator}":[${Array.from({ length: count }, () => random.pick(operands)).join(',')}]}`;
  return `{${JSON.stringify(column.name)}:${marker === '' ? list : `{"${marker}":${list}}`}}`;
}

function list(random: SeededRandom, column: FilterColumn, most: number): JsonText {
  return `[${Array.from({ length: random.below(most + 1) }, () => value(random, column)).join(',')}]`;
}

/** Mostly a value that rows have. */
function value(random: SeededRandom, { values, type }: FilterColumn): JsonText {
  return random.chance(0.8) ? random.pick(values) : random.pick(type.examples.accepts);
}

function comparison({ name }: FilterColumn, operator: string, operand: JsonText): JsonText {
  return `{${JSON.stringify(name)}:{"${operator}":${operand}}}`;
}

/** In random order: the order of comparisons must not matter. */
function conjunction(random: SeededRandom, parts: readonly JsonText[]): JsonText {
  return parts.length === 0 ? '{}' : `{"$and":[${random.some(parts, parts.length).join(',')}]}`;
}
