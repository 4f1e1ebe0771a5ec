// The grammar of commands: each command of the registry with what may stand in it, mostly valid.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Command, Target } from '../../src/data-service/commands/command.js';
import { commandsFor, documentCommands } from '../../src/data-service/commands/registry.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/foundation/json/json-value.js';
import { examplesOf } from '../../tools/command-examples.js';
import type { SeededRandom } from '../seeded-random.js';
import { definitionText, type FuzzColumn, type FuzzTable, fuzzTypeNamed } from './fuzz-tables.js';
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
  readonly target: Target;
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
  readonly dialect: Dialect;
  readonly keyspace: string;
  readonly tables: readonly KeyedTable[];
  /** Filled from replies; later commands use them. */
  readonly openPages: OpenPage[];
}

/** A scope whose tables have keys drawn for them. */
export function makeScope(
  random: SeededRandom,
  keyspace: string,
  tables: readonly FuzzTable[],
): CommandScope {
  const dialect = tables.some(({ isExtended }) => isExtended === true) ? 'extended' : 'strict';
  return { dialect, keyspace, tables: tables.map((table) => withKeys(random, table)), openPages: [] };
}

/** Keyspaces, tables and indexes that come and go; none of them holds what is compared. */
const passingNames = ['passing_a', 'passing_b'] as const;
const indexNames = ['index_a', 'index_b', 'index_c', 'index_d', 'index_e'] as const;

/** Names a command: those of other targets may share its name. */
export function keyOfCommand({ target, name }: Pick<AddressedCommand, 'target' | 'name'>): string {
  return `${target} ${name}`;
}

/** Some come more often: they change rows. By `keyOfCommand`. */
const weights: Readonly<Record<string, number>> = {
  'table insertOne': 6,
  'table insertMany': 5,
  'table find': 7,
  'table findOne': 4,
  'table updateOne': 7,
  'table deleteOne': 3,
  'table deleteMany': 2,
};

type FuzzTarget = 'database' | 'keyspace' | 'table';

const byTarget = { strict: commandsByTarget('strict'), extended: commandsByTarget('extended') } as const;
/** Most of what can go wrong is in tables. */
const targets: readonly FuzzTarget[] = ['database', 'keyspace', ...Array<FuzzTarget>(10).fill('table')];

/** Any command of the registry, on any level. */
export function randomCommand(random: SeededRandom, scope: CommandScope): AddressedCommand {
  const table = random.pick(scope.tables);
  const target = random.pick(targets);
  const own = random.pick(byTarget[scope.dialect][target]);
  const name = random.oneIn(300) ? random.pick([...documentCommands, 'noCommand', '']) : own.name;
  const path = random.oneIn(300) ? `/${scope.keyspace}` : pathOf(target, scope, table);
  if (target === 'table' && name === 'find' && scope.openPages.length > 0 && random.oneIn(4))
    return nextPage(random, random.pick(scope.openPages), scope);
  return addressed({ path, target, name }, payloadOf(random, own, table), table);
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
  const target = 'table';
  return addressed({ path: pathOf(target, scope, table), target, name: 'find' }, next, table);
}

function addressed(
  sent: Pick<AddressedCommand, 'path' | 'target' | 'name'>,
  payload: JsonObject,
  table: KeyedTable,
): AddressedCommand {
  return { ...sent, payload, body: new Map([[sent.name, payload]]), table };
}

function pathOf(target: Target, { keyspace }: CommandScope, { name }: FuzzTable): string {
  if (target === 'database') return '';
  return target === 'keyspace' ? `/${keyspace}` : `/${keyspace}/${name}`;
}

function commandsByTarget(dialect: Dialect): Readonly<Record<FuzzTarget, readonly Command[]>> {
  const [database, keyspace, table] = (['database', 'keyspace', 'table'] as const).map((target) =>
    commandsOf(target, dialect),
  );
  return { database: database ?? [], keyspace: keyspace ?? [], table: table ?? [] };
}

function commandsOf(target: FuzzTarget, dialect: Dialect): readonly Command[] {
  return [...commandsFor(target, { dialect, hasCollections: false }).values()].flatMap((command) =>
    Array.from({ length: weights[keyOfCommand(command)] ?? 1 }, () => command),
  );
}

type MakePayload = (random: SeededRandom, table: KeyedTable) => JsonObject;

/** A command without an entry here is sent as its example shows it. */
function payloadOf(random: SeededRandom, command: Command, table: KeyedTable): JsonObject {
  const make = makers[keyOfCommand(command)];
  if (make !== undefined) return make(random, table);
  const [example] = examplesOf(command);
  const body = json(example?.request ?? '{}');
  const payload = isJsonObject(body) ? (body.get(command.name) ?? null) : null;
  return isJsonObject(payload) ? payload : new Map();
}

const named: MakePayload = (random) => object({ name: random.pick(passingNames) });
const nothing: MakePayload = () => object({});
const explained: MakePayload = (random) => object({ options: object({ explain: random.oneIn(2) }) });

/** By `keyOfCommand`. */
const makers: Readonly<Record<string, MakePayload>> = {
  'database createKeyspace': named,
  'database dropKeyspace': named,
  'database findKeyspaces': nothing,
  'database createNamespace': named,
  'database dropNamespace': named,
  'database findNamespaces': nothing,
  'keyspace createTable': (random, table) =>
    object({
      name: random.pick([...passingNames, table.name]),
      definition: json(definitionText(table)),
      options: object({ ifNotExists: !random.oneIn(3) }),
    }),
  'keyspace dropTable': (random, table) =>
    object({
      name: random.oneIn(10) ? table.name : random.pick(passingNames),
      options: object({ ifExists: !random.oneIn(3) }),
    }),
  'keyspace listTables': explained,
  'keyspace createType': (random) =>
    object({
      name: random.pick(passingNames),
      definition: object({ fields: object({ a: 'int', b: random.pick(['text', 'uuid', 'no type']) }) }),
      options: object({ ifNotExists: !random.oneIn(3) }),
    }),
  'keyspace alterType': (random) =>
    object({
      name: random.pick(passingNames),
      ...(random.oneIn(2) && { rename: object({ fields: object({ [random.pick(['a', 'c'])]: 'c' }) }) }),
      ...(random.oneIn(2) && { add: object({ fields: object({ [random.pick(['a', 'd'])]: 'date' }) }) }),
    }),
  'keyspace dropType': (random) =>
    object({ name: random.pick(passingNames), options: object({ ifExists: !random.oneIn(3) }) }),
  'keyspace listTypes': explained,
  'table createTextIndex': (random, table) =>
    object({
      name: random.pick(indexNames),
      definition: object({
        column: random.pick(table.columns.filter(({ type }) => type === 'text' || random.oneIn(20))).name,
        options: object({ analyzer: random.pick(['standard', 'english', 'no analyzer']) }),
      }),
    }),
  'table createIndex': randomIndex,
  'keyspace dropIndex': (random) =>
    object({ name: random.pick(indexNames), options: object({ ifExists: !random.oneIn(3) }) }),
  'table listIndexes': explained,
  'table alterTable': randomAlteration,
  'table insertOne': (random, table) => object({ document: randomRow(random, table) }),
  'table insertMany': (random, table) =>
    object({
      documents: Array.from({ length: 1 + random.below(4) }, () => randomRow(random, table)),
      options: object({ ordered: random.oneIn(2), returnDocumentResponses: random.oneIn(2) }),
    }),
  'table find': randomFind,
  'table findOne': (random, table) =>
    object({
      filter: randomFilter(random, table),
      ...(random.oneIn(4) && { sort: randomSort(random, table) }),
      ...(random.oneIn(4) && { projection: randomProjection(random, table) }),
    }),
  'table updateOne': randomUpdate,
  'table deleteOne': (random, table) => object({ filter: keyFilter(random, table) }),
  'table deleteMany': (random, table) =>
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
  const type = fuzzTypeNamed(column.type);
  const hasFold = type?.traits.text === true ? random.oneIn(2) : random.oneIn(20);
  const fold = object({
    ascii: random.oneIn(2),
    caseSensitive: random.oneIn(2),
    normalize: random.oneIn(2),
  });
  return object({
    name: random.pick(indexNames),
    definition: object({ column: indexedColumn(random, table, column), ...(hasFold && { options: fold }) }),
    ...(random.oneIn(3) && { options: object({ ifNotExists: random.oneIn(2) }) }),
  });
}

/** In the extended dialect, half of the lists, sets and maps are named with a part. */
function indexedColumn(random: SeededRandom, table: KeyedTable, { name, type }: FuzzColumn): JsonValue {
  if (table.isExtended !== true || !type.includes('<') || random.oneIn(2)) return name;
  return object({ [name]: random.pick(['$keys', '$values', '$VALUES', '$entries'] as const) });
}

function randomAlteration(random: SeededRandom, table: KeyedTable): JsonObject {
  const columns = random.some(passingColumns, 1 + random.below(2));
  if (random.oneIn(2)) {
    const added = columns.map(({ name, type }): readonly [string, JsonValue] => {
      const shown = fuzzTypeNamed(type)?.definition ?? JSON.stringify(type);
      return [name, json(random.oneIn(20) ? '"double"' : shown)];
    });
    return object({ operation: object({ add: object({ columns: new Map(added) }) }) });
  }
  const dropped = random.oneIn(20) ? random.some(table.columns, 1) : columns;
  return object({ operation: object({ drop: object({ columns: dropped.map(({ name }) => name) }) }) });
}
