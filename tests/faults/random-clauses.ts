// Random parts of commands, mostly valid: literals, rows, keys, filters, projections, sorts, changes.
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { filterOperators } from '../../src/data-service/query/filter-operators.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import type { SeededRandom } from '../seeded-random.js';
import { type FuzzColumn, type FuzzTable, fuzzTypeNamed, fuzzTypes, literalsOf } from './fuzz-tables.js';

/** A table with keys that rows have again and again, so that commands meet rows. */
export interface KeyedTable extends FuzzTable {
  readonly keys: readonly JsonObject[];
}

/** Columns that alterTable adds and drops: a table may have them or not. */
export const passingColumns: readonly FuzzColumn[] = [
  { name: 'passing int', type: 'int' },
  { name: 'passing text', type: 'text' },
  { name: 'passing set', type: 'set<int>' },
];

const keysPerTable = 12;

/** The table with keys drawn for it. */
export function withKeys(random: SeededRandom, table: FuzzTable): KeyedTable {
  return {
    ...table,
    keys: Array.from({ length: keysPerTable }, () => newKey(random, table, fittingLiteral)),
  };
}

/** Reads JSON that is known to be well-formed, keeping what texts of numbers say. */
export function json(text: string): JsonValue {
  return parseJson(text, { maxDepth: 2_000, maxNumberLength: 400_000 });
}

/** An object with names that a literal can hold. */
export function object(members: Readonly<Record<string, JsonValue>>): JsonObject {
  return new Map(Object.entries(members));
}

/** A number of JSON. */
export function number(value: number): JsonValue {
  return new JsonNumber(`${value}`);
}

/** A literal of the column's type, now and then one that does not fit. */
export function randomLiteral(random: SeededRandom, { type }: Pick<FuzzColumn, 'type'>): JsonValue {
  if (!random.oneIn(60)) return fittingLiteral(random, { type });
  return json(random.pick(typeNamed(random, type).examples.rejects));
}

/** A literal of the column's type. Numbers of 200,000 digits are rare: they take their time. */
function fittingLiteral(random: SeededRandom, { type }: Pick<FuzzColumn, 'type'>): JsonValue {
  const found = typeNamed(random, type);
  return json(random.pick(random.oneIn(2_000) ? literalsOf(found) : quickLiterals(found)));
}

function typeNamed(random: SeededRandom, name: string): ColumnType {
  return fuzzTypeNamed(name) ?? random.pick(fuzzTypes);
}

const quickByType = new Map<ColumnType, readonly JsonText[]>();

function quickLiterals(type: ColumnType): readonly JsonText[] {
  let quick = quickByType.get(type);
  if (quick === undefined) {
    quick = literalsOf(type).filter((literal) => !/e[-+]?\d{4}/i.test(literal));
    quickByType.set(type, quick);
  }
  return quick;
}

/** A row as insertOne takes it; without its key, what `$set` takes. */
export function randomRow(random: SeededRandom, table: KeyedTable, withoutKey = false): JsonObject {
  const columns = table.columns.filter((column) =>
    isKey(table, column) ? withoutKey && random.oneIn(100) : random.oneIn(3),
  );
  const values = [...columns, ...passing(random)].map(
    (column) => [column.name, random.oneIn(15) ? null : randomLiteral(random, column)] as const,
  );
  return new Map([...(withoutKey ? [] : randomKey(random, table)), ...values]);
}

/** A filter by key: mostly the whole of it. */
export function keyFilter(random: SeededRandom, table: KeyedTable): JsonObject {
  const isWhole = !random.oneIn(8);
  const members = [...randomKey(random, table)].map(
    ([name, value]) => [name, random.oneIn(10) ? object({ $eq: value }) : value] as const,
  );
  return new Map(isWhole ? members : members.filter(() => !random.oneIn(6)));
}

/** Everything, or partitions and a slice of their rows: what deleteMany takes. */
export function sliceFilter(random: SeededRandom, table: KeyedTable): JsonObject {
  if (random.oneIn(12)) return new Map();
  const key = random.pick(table.keys);
  const members = new Map<string, JsonValue>();
  for (const name of table.partitionBy) {
    const value = key.get(name) ?? null;
    members.set(name, random.oneIn(4) ? object({ $in: [value, ...valuesOf(random, table, name)] }) : value);
  }
  for (const name of Object.keys(table.partitionSort)) {
    if (random.oneIn(3)) break;
    const value = key.get(name) ?? null;
    const isRange = random.oneIn(3);
    members.set(name, isRange ? object({ [random.pick(ranges)]: value }) : value);
    if (isRange) break;
  }
  return members;
}

function valuesOf(random: SeededRandom, table: KeyedTable, name: string): readonly JsonValue[] {
  return random.some(table.keys, random.below(3)).map((key) => key.get(name) ?? null);
}

function randomKey(random: SeededRandom, table: KeyedTable): JsonObject {
  return random.oneIn(25) ? newKey(random, table) : random.pick(table.keys);
}

function newKey(random: SeededRandom, table: FuzzTable, literal = randomLiteral): JsonObject {
  const columns = table.columns.filter((column) => isKey(table, column));
  return new Map(columns.map((column) => [column.name, literal(random, column)]));
}

function isKey(table: FuzzTable, { name }: FuzzColumn): boolean {
  return table.partitionBy.includes(name) || Object.hasOwn(table.partitionSort, name);
}

function passing(random: SeededRandom): readonly FuzzColumn[] {
  return random.oneIn(12) ? random.some(passingColumns, 1) : [];
}

/** Some columns outside the key, as `$unset` takes them. */
export function namesToUnset(random: SeededRandom, table: FuzzTable): JsonObject {
  const columns = table.columns.filter((column) => random.oneIn(4) && !isKey(table, column));
  return new Map(columns.map(({ name }) => [name, '']));
}

/** For some of the lists, sets and maps: their members, made into an operand of `$push` or `$pullAll`. */
export function randomMembers(
  random: SeededRandom,
  table: FuzzTable,
  operand: (members: readonly JsonValue[]) => JsonValue,
): JsonObject {
  const columns = table.columns.filter((column) => isContainer(column) && random.oneIn(2));
  return new Map(
    columns.map((column) => {
      const literal = randomLiteral(random, column);
      if (isJsonArray(literal)) return [column.name, operand(literal)];
      return [column.name, operand(isJsonObject(literal) ? [...literal] : [literal])];
    }),
  );
}

/** Elements as they are, of entries the keys. */
export function namesOf(members: readonly JsonValue[]): JsonValue {
  return members.map((member) => (isJsonArray(member) ? (member[0] ?? null) : member));
}

const ranges = ['$gt', '$gte', '$lt', '$lte'] as const;
const operators = Object.values(filterOperators);
const otherOperators = ['$exists', '$all', '$size', '$match', '$regex', '$', '$$', '$EQ', '$not'] as const;

/** A filter of find: a key, or a tree of comparisons. */
export function randomFilter(random: SeededRandom, table: KeyedTable, depth = 0): JsonObject {
  if (random.oneIn(3)) return keyFilter(random, table);
  const members = Array.from({ length: 1 + random.below(3) }, (): readonly [string, JsonValue] => {
    if (depth < 4 && random.oneIn(3)) {
      const operator = random.pick(['$and', '$or', '$not'] as const);
      if (operator === '$not') return [operator, randomFilter(random, table, depth + 1)];
      const count = random.oneIn(10) ? 0 : 1 + random.below(3);
      return [operator, Array.from({ length: count }, () => randomFilter(random, table, depth + 1))];
    }
    const column = random.pick([...filterable(random, table, table.isExtended), ...passing(random)]);
    if (table.isExtended && !random.oneIn(20)) {
      if (isContainer(column)) return [column.name, memberComparison(random, column)];
      if (column.type === 'text' && random.oneIn(8)) return [column.name, object({ $match: 'a b' })];
    }
    return [column.name, random.oneIn(3) ? randomLiteral(random, column) : randomComparison(random, column)];
  });
  return new Map(members);
}

/** Lists, sets and maps take no filter in the strict dialect, and no sort; user-defined types take neither. */
function filterable(
  random: SeededRandom,
  { columns }: FuzzTable,
  takesMembers = false,
): readonly FuzzColumn[] {
  if (random.oneIn(15)) return columns;
  return columns.filter((column) => (isContainer(column) ? takesMembers : !column.type.startsWith('user{')));
}

function isContainer({ type }: FuzzColumn): boolean {
  return type.includes('<');
}

/** Some members of a literal of the column, compared as elements or entries, keys or values. */
function memberComparison(random: SeededRandom, column: FuzzColumn): JsonValue {
  const literal = randomLiteral(random, column);
  const members = isJsonObject(literal) ? [...literal] : isJsonArray(literal) ? literal : [literal];
  const operator = random.pick(['$in', '$nin', '$all'] as const);
  const part = column.type.startsWith('map<') ? random.pick(['', '$keys', '$values'] as const) : '';
  if (part === '') return object({ [operator]: members });
  const place = part === '$keys' ? 0 : 1;
  const own = members.map((member) => (isJsonArray(member) ? (member[place] ?? null) : member));
  return object({ [part]: object({ [operator]: own }) });
}

function randomComparison(random: SeededRandom, column: FuzzColumn): JsonValue {
  const known = random.pick(operators);
  const operator = random.oneIn(20) ? random.pick(otherOperators) : known.name;
  const operand =
    operator === known.name && known.operand === 'list'
      ? Array.from({ length: random.below(random.oneIn(10) ? 103 : 4) }, () => randomLiteral(random, column))
      : randomLiteral(random, column);
  return object({ [operator]: operand });
}

/** Flags of one kind, seldom mixed ones or none at all. */
export function randomProjection(random: SeededRandom, table: FuzzTable): JsonObject {
  const isOdd = random.oneIn(8);
  const flags: readonly JsonValue[] = [number(1), number(0), true, false, number(-1), '', null];
  const flag = random.pick(isOdd ? flags : flags.slice(0, 4));
  const columns = table.columns.filter(() => random.oneIn(4));
  return new Map(columns.map(({ name }) => [name, isOdd && random.oneIn(2) ? random.pick(flags) : flag]));
}

/** Clustering columns from the first on, there or back, or any columns. */
export function randomSort(random: SeededRandom, table: FuzzTable): JsonObject {
  const clustering = Object.entries(table.partitionSort);
  if (clustering.length > 0 && random.oneIn(2)) {
    const factor = random.pick([1, -1]);
    const sorted = clustering.slice(0, 1 + random.below(clustering.length));
    return new Map(sorted.map(([name, direction]) => [name, number(direction * factor)]));
  }
  const columns = random.some(filterable(random, table), 1 + random.below(3));
  const directions: readonly JsonValue[] = [number(1), number(-1), number(random.oneIn(20) ? 2 : 1)];
  return new Map(columns.map(({ name }) => [name, random.pick(directions)]));
}
