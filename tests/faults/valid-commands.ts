// The grammar of commands: each command of the registry with what may stand in it, mostly valid.
import type { Command, Target } from '../../src/data-service/commands/command.js';
import { commands, documentCommands } from '../../src/data-service/commands/registry.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/foundation/json/json-value.js';
import { commandExamples } from '../../tools/command-examples.js';
import type { SeededRandom } from '../seeded-random.js';
import { definitionText, type FuzzTable, fuzzTypes } from './fuzz-tables.js';
import {
  json,
  type KeyedTable,
  keyFilter,
  namesOf,
  namesToUnset,
  number,
  object,
  passingColumns,
  randomFilter,
  randomMembers,
  randomProjection,
  randomRow,
  randomSort,
  sliceFilter,
  withKeys,
} from './random-clauses.js';

/** A command and where it is sent. */
export interface AddressedCommand {
  /** Below `/v1`. */
  readonly path: string;
  readonly name: string;
  readonly payload: JsonObject;
  readonly body: JsonValue;
  /** The table that is named in the path or, by createTable and dropTable, in the payload. */
  readonly table: KeyedTable;
}

/** A find whose reply was not its last page. */
export interface OpenPage {
  readonly payload: JsonObject;
  readonly table: KeyedTable;
  readonly state: string;
}

/** What commands are about. */
export interface CommandScope {
  readonly keyspace: string;
  readonly tables: readonly KeyedTable[];
  /** Filled by whoever sees replies; commands go on with them. */
  readonly openPages: OpenPage[];
}

/** A scope whose tables have keys drawn for them. */
export function makeScope(
  random: SeededRandom,
  keyspace: string,
  tables: readonly FuzzTable[],
): CommandScope {
  return { keyspace, tables: tables.map((table) => withKeys(random, table)), openPages: [] };
}

/** Keyspaces, tables and indexes that come and go; none of them holds what is compared. */
const passingNames = ['passing_a', 'passing_b'] as const;
const indexNames = ['index_a', 'index_b', 'index_c', 'index_d', 'index_e'] as const;

/** Some come more often: they change rows. */
const weights: Readonly<Record<string, number>> = {
  insertOne: 6,
  insertMany: 5,
  find: 7,
  findOne: 4,
  updateOne: 7,
  deleteOne: 3,
  deleteMany: 2,
};

const byTarget = {
  database: commandsOf('database'),
  keyspace: commandsOf('keyspace'),
  table: commandsOf('table'),
} as const;
/** Most of what can go wrong is in tables. */
const targets: readonly Target[] = ['database', 'keyspace', ...Array<Target>(10).fill('table')];

/** Any command of the registry, on any level. */
export function randomCommand(random: SeededRandom, scope: CommandScope): AddressedCommand {
  const table = random.pick(scope.tables);
  const target = random.pick(targets);
  const own = random.pick(byTarget[target]);
  const name = random.oneIn(300) ? random.pick([...documentCommands, 'noCommand', '']) : own;
  const path = random.oneIn(300) ? `/${scope.keyspace}` : pathOf(target, scope, table);
  if (name === 'find' && scope.openPages.length > 0 && random.oneIn(4))
    return nextPage(random, random.pick(scope.openPages), scope);
  return addressed(path, name, payloadOf(random, own, table), table);
}

function nextPage(
  random: SeededRandom,
  { payload, table, state }: OpenPage,
  scope: CommandScope,
): AddressedCommand {
  const given = payload.get('options') ?? null;
  const options = new Map([...(isJsonObject(given) ? given : []), ['pageState', state]]);
  const changed = random.oneIn(30) && { filter: randomFilter(random, table) };
  const next = new Map([...payload, ['options', options], ...Object.entries(changed || {})]);
  return addressed(pathOf('table', scope, table), 'find', next, table);
}

function addressed(path: string, name: string, payload: JsonObject, table: KeyedTable): AddressedCommand {
  return { path, name, payload, body: new Map([[name, payload]]), table };
}

function pathOf(target: Target, { keyspace }: CommandScope, { name }: FuzzTable): string {
  if (target === 'database') return '';
  return target === 'keyspace' ? `/${keyspace}` : `/${keyspace}/${name}`;
}

function commandsOf(target: Target): readonly Command['name'][] {
  return commands
    .filter((command) => command.target === target)
    .flatMap(({ name }) => Array.from({ length: weights[name] ?? 1 }, () => name));
}

type MakePayload = (random: SeededRandom, table: KeyedTable) => JsonObject;

/** A command without an entry here is sent as its example shows it. */
function payloadOf(random: SeededRandom, name: string, table: KeyedTable): JsonObject {
  const make = makers[name];
  if (make !== undefined) return make(random, table);
  const example = commandExamples.find(({ command }) => command === name);
  const body = json(example?.request ?? '{}');
  const payload = isJsonObject(body) ? (body.get(name) ?? null) : null;
  return isJsonObject(payload) ? payload : new Map();
}

const named: MakePayload = (random) => object({ name: random.pick(passingNames) });
const nothing: MakePayload = () => object({});
const explained: MakePayload = (random) => object({ options: object({ explain: random.oneIn(2) }) });

const makers: Readonly<Record<string, MakePayload>> = {
  createKeyspace: named,
  dropKeyspace: named,
  findKeyspaces: nothing,
  createNamespace: named,
  dropNamespace: named,
  findNamespaces: nothing,
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
  listTables: explained,
  createIndex: randomIndex,
  dropIndex: (random) =>
    object({ name: random.pick(indexNames), options: object({ ifExists: !random.oneIn(3) }) }),
  listIndexes: explained,
  alterTable: randomAlteration,
  insertOne: (random, table) => object({ document: randomRow(random, table) }),
  insertMany: (random, table) =>
    object({
      documents: Array.from({ length: 1 + random.below(4) }, () => randomRow(random, table)),
      options: object({ ordered: random.oneIn(2), returnDocumentResponses: random.oneIn(2) }),
    }),
  find: randomFind,
  findOne: (random, table) =>
    object({
      filter: randomFilter(random, table),
      ...(random.oneIn(4) && { sort: randomSort(random, table) }),
      ...(random.oneIn(4) && { projection: randomProjection(random, table) }),
    }),
  updateOne: randomUpdate,
  deleteOne: (random, table) => object({ filter: keyFilter(random, table) }),
  deleteMany: (random, table) =>
    object({ filter: random.oneIn(10) ? randomFilter(random, table) : sliceFilter(random, table) }),
};

function randomFind(random: SeededRandom, table: KeyedTable): JsonObject {
  const isSorted = random.oneIn(4);
  return object({
    filter: random.oneIn(4) ? new Map() : randomFilter(random, table),
    ...(random.oneIn(3) && { projection: randomProjection(random, table) }),
    ...(isSorted && { sort: randomSort(random, table) }),
    options: object({
      ...(random.oneIn(3) && { limit: number(random.below(5)) }),
      ...(random.oneIn(isSorted ? 3 : 30) && { skip: number(random.below(4)) }),
      ...(random.oneIn(20) && { pageState: random.pick(['', 'AAAA', 'no state', '\ud800']) }),
      ...(random.oneIn(20) && { includeSimilarity: true }),
    }),
  });
}

function randomUpdate(random: SeededRandom, table: KeyedTable): JsonObject {
  const isOdd = random.oneIn(20);
  const set = random.oneIn(6) ? new Map() : randomRow(random, table, true);
  // A column stands in one of the operators.
  const left = { ...table, columns: table.columns.filter((column) => !set.has(column.name)) };
  const isPush = random.oneIn(2);
  const eachOf = (members: readonly JsonValue[]) => object({ $each: members });
  const unset = random.oneIn(4) ? namesToUnset(random, isOdd ? table : left) : new Map();
  const members = random.oneIn(2) ? randomMembers(random, left, isPush ? eachOf : namesOf) : new Map();
  const update: Readonly<Record<string, JsonObject>> = {
    $set: set,
    $unset: unset,
    [isPush ? '$push' : '$pullAll']: isOdd ? randomRow(random, table, true) : members,
  };
  const kept = Object.entries(update).filter(([, operand]) => operand.size > 0 || random.oneIn(50));
  return object({ filter: keyFilter(random, table), update: new Map(kept) });
}

function randomIndex(random: SeededRandom, table: KeyedTable): JsonObject {
  const column = random.pick([...table.columns, ...passingColumns]);
  const type = fuzzTypes.find(({ name }) => name === column.type);
  const hasFold = type?.traits.text === true ? random.oneIn(2) : random.oneIn(20);
  const fold = object({
    ascii: random.oneIn(2),
    caseSensitive: random.oneIn(2),
    normalize: random.oneIn(2),
  });
  return object({
    name: random.pick(indexNames),
    definition: object({ column: column.name, ...(hasFold && { options: fold }) }),
    ...(random.oneIn(3) && { options: object({ ifNotExists: random.oneIn(2) }) }),
  });
}

function randomAlteration(random: SeededRandom, table: KeyedTable): JsonObject {
  const columns = random.some(passingColumns, 1 + random.below(2));
  if (random.oneIn(2)) {
    const added = columns.map(({ name, type }): readonly [string, JsonValue] => {
      const shown = fuzzTypes.find((known) => known.name === type)?.definition ?? JSON.stringify(type);
      return [name, json(random.oneIn(20) ? '"double"' : shown)];
    });
    return object({ operation: object({ add: object({ columns: new Map(added) }) }) });
  }
  const dropped = random.oneIn(20) ? random.some(table.columns, 1) : columns;
  return object({ operation: object({ drop: object({ columns: dropped.map(({ name }) => name) }) }) });
}
