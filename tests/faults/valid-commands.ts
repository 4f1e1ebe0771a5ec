// Random commands that are mostly valid: what malformed bodies are made from.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import type { SeededRandom } from '../seeded-random.js';
import { definitionText, type FuzzColumn, type FuzzTable, fuzzTables, fuzzTypes } from './fuzz-tables.js';

/** A command and where it is sent. */
export interface AddressedCommand {
  /** Below `/v1`. */
  readonly path: string;
  readonly body: JsonValue;
}

/** Keyspaces and tables that come and go; none of them holds what is compared. */
const passingNames = ['passing_a', 'passing_b'] as const;

/** One of the sixteen commands. */
export function randomCommand(random: SeededRandom): AddressedCommand {
  const table = random.pick(fuzzTables);
  const [path, makers] = random.pick([
    ['', databaseCommands] as const,
    ['/default_keyspace', keyspaceCommands] as const,
    // Most of what can go wrong is in these.
    ...Array.from({ length: 6 }, () => [`/default_keyspace/${table.name}`, tableCommands] as const),
  ]);
  const [name, makePayload] = random.pick([...Object.entries(makers)]);
  return { path, body: new Map([[name, makePayload(random, table)]]) };
}

/** Reads JSON that is known to be well-formed, keeping what texts of numbers say. */
export function json(text: string): JsonValue {
  return parseJson(text, { maxDepth: 2_000, maxNumberLength: 1_000 });
}

/** A literal of the column's type, now and then one that does not fit. */
export function randomLiteral(random: SeededRandom, { type }: Pick<FuzzColumn, 'type'>): JsonValue {
  const found = fuzzTypes.find(({ name }) => name === type) ?? random.pick(fuzzTypes);
  const { accepts, rejects } = found.examples;
  return json(random.oneIn(60) ? random.pick(rejects) : random.pick(accepts));
}

type MakePayload = (random: SeededRandom, table: FuzzTable) => JsonValue;
type Makers = Readonly<Record<string, MakePayload>>;

const named: MakePayload = (random) => object({ name: random.pick(passingNames) });
const nothing: MakePayload = () => object({});

const databaseCommands: Makers = {
  createKeyspace: named,
  dropKeyspace: named,
  findKeyspaces: nothing,
  createNamespace: named,
  dropNamespace: named,
  findNamespaces: nothing,
};

const keyspaceCommands: Makers = {
  createTable: (random, table) =>
    object({
      name: random.pick([...passingNames, table.name]),
      definition: json(definitionText(table)),
      options: object({ ifNotExists: !random.oneIn(3) }),
    }),
  dropTable: (random, table) =>
    object({
      name: random.oneIn(10) ? table.name : random.pick(passingNames),
      options: object({ ifExists: !random.oneIn(3) }),
    }),
  listTables: (random) => object({ options: object({ explain: random.oneIn(2) }) }),
};

const tableCommands: Makers = {
  insertOne: (random, table) => object({ document: randomRow(random, table) }),
  insertMany: (random, table) =>
    object({
      documents: Array.from({ length: 1 + random.below(4) }, () => randomRow(random, table)),
      options: object({ ordered: random.oneIn(2), returnDocumentResponses: random.oneIn(2) }),
    }),
  find: (random, table) =>
    object({
      filter: randomFilter(random, table, 0),
      ...(random.oneIn(3) && { projection: randomProjection(random, table) }),
      ...(random.oneIn(6) && { sort: randomProjection(random, table) }),
      options: object({
        ...(random.oneIn(3) && { limit: number(random.below(5)) }),
        ...(random.oneIn(8) && { pageState: random.pick(['', 'AAAA', 'no state', '\ud800']) }),
      }),
    }),
  findOne: (random, table) => object({ filter: randomFilter(random, table, 0) }),
  updateOne: (random, table) =>
    object({
      filter: keyFilter(random, table),
      update: object({
        ...(!random.oneIn(4) && { $set: randomRow(random, table, true) }),
        ...(random.oneIn(3) && { $unset: randomProjection(random, table) }),
        ...(random.oneIn(20) && { $push: randomRow(random, table, true) }),
        ...(random.oneIn(3) && {
          $push: randomMembers(random, table, (members) => object({ $each: members })),
        }),
        ...(random.oneIn(3) && { $pullAll: randomMembers(random, table, namesOf) }),
      }),
    }),
  deleteOne: (random, table) => object({ filter: keyFilter(random, table) }),
  deleteMany: (random, table) =>
    object({ filter: random.oneIn(3) ? randomFilter(random, table, 0) : keyFilter(random, table) }),
};

function randomRow(random: SeededRandom, table: FuzzTable, withoutKey = false): JsonValue {
  const isKey = ({ name }: FuzzColumn) =>
    table.partitionBy.includes(name) || Object.hasOwn(table.partitionSort, name);
  const columns = table.columns.filter((column) => {
    if (isKey(column)) return !withoutKey || random.oneIn(100);
    return random.oneIn(3);
  });
  return new Map(
    columns.map((column) => [column.name, random.oneIn(15) ? null : randomLiteral(random, column)]),
  );
}

/** For some of the lists, sets and maps: their members, made into an operand. */
function randomMembers(
  random: SeededRandom,
  table: FuzzTable,
  operand: (members: readonly JsonValue[]) => JsonValue,
): JsonValue {
  const columns = table.columns.filter(({ type }) => type.includes('<') && random.oneIn(2));
  return new Map(
    columns.map((column) => {
      const literal = randomLiteral(random, column);
      if (isJsonArray(literal)) return [column.name, operand(literal)];
      return [column.name, operand(isJsonObject(literal) ? [...literal] : [literal])];
    }),
  );
}

/** Elements as they are, of entries the keys. */
function namesOf(members: readonly JsonValue[]): JsonValue {
  return members.map((member) => (isJsonArray(member) ? (member[0] ?? null) : member));
}

function keyFilter(random: SeededRandom, table: FuzzTable): JsonValue {
  const names = [...table.partitionBy, ...Object.keys(table.partitionSort)];
  const isWhole = !random.oneIn(4);
  const columns = table.columns.filter(({ name }) => names.includes(name) && (isWhole || !random.oneIn(6)));
  return new Map(columns.map((column) => [column.name, randomLiteral(random, column)]));
}

const operators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'] as const;
const otherOperators = ['$exists', '$all', '$size', '$match', '$regex', '$', '$$', '$EQ', '$not'] as const;

function randomFilter(random: SeededRandom, table: FuzzTable, depth: number): JsonValue {
  if (random.oneIn(3)) return keyFilter(random, table);
  const members = Array.from({ length: 1 + random.below(3) }, (): readonly [string, JsonValue] => {
    if (depth < 4 && random.oneIn(3)) {
      const operator = random.pick(['$and', '$or', '$not'] as const);
      if (operator === '$not') return [operator, randomFilter(random, table, depth + 1)];
      const branches = Array.from({ length: random.below(4) }, () => randomFilter(random, table, depth + 1));
      return [operator, branches];
    }
    const column = random.pick(table.columns);
    return [column.name, random.oneIn(3) ? randomLiteral(random, column) : randomComparison(random, column)];
  });
  return new Map(members);
}

function randomComparison(random: SeededRandom, column: FuzzColumn): JsonValue {
  const operator = random.oneIn(10) ? random.pick(otherOperators) : random.pick(operators);
  const isList = operator === '$in' || operator === '$nin';
  const operand = isList
    ? Array.from({ length: random.below(random.oneIn(10) ? 103 : 4) }, () => randomLiteral(random, column))
    : randomLiteral(random, column);
  return object({ [operator]: operand });
}

function randomProjection(random: SeededRandom, table: FuzzTable): JsonValue {
  const flags: readonly JsonValue[] = [number(1), number(0), true, false, number(-1), '', null];
  const columns = table.columns.filter(() => random.oneIn(4));
  const flag = random.pick(flags);
  return new Map(columns.map(({ name }) => [name, random.oneIn(8) ? random.pick(flags) : flag]));
}

/** Members with names that a literal can hold. */
function object(members: Readonly<Record<string, JsonValue>>): JsonObject {
  return new Map(Object.entries(members));
}

function number(value: number): JsonValue {
  return new JsonNumber(`${value}`);
}
