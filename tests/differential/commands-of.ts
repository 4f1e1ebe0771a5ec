// Random scenarios as commands of the JSON Data API.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { columnTypeOfName } from '../../src/data-service/column-types/type-names.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { type PlannedRead, type Scenario, scenarioOf, type Write } from './scenario.js';

/** A command with a reply that is compared whole. */
export interface PlainCommand {
  readonly kind: 'plain';
  readonly body: JsonText;
}

/** A find, and how far the order of its rows is determined. */
export interface FindCommand {
  readonly kind: 'find';
  /** `filter`, `sort` and `projection`, as members. */
  readonly clauses: JsonText;
  /** Members of `options`. */
  readonly options: Readonly<Record<string, number | boolean>>;
  /** Rows at most; undefined for all. */
  readonly limit: number | undefined;
  /** `whole`: one order is possible. `similarity`: equally similar rows have none. `none`: there is no sort. */
  readonly order: 'whole' | 'similarity' | 'none';
}

/** What is sent to one table, one after another. */
export type Command = PlainCommand | FindCommand;

/** The name of a table, the command that creates it, and those that are sent to it. */
export interface CommandScenario {
  readonly table: string;
  readonly create: JsonText;
  readonly commands: readonly Command[];
}

/** The scenario of a seed. */
export function commandsOf(seed: number, dialect: Dialect = 'strict'): CommandScenario {
  const scenario = scenarioOf(seed, '_', dialect); // a cluster has no index on other columns
  const random = seededRandom(~seed);
  const table = `${dialect === 'strict' ? 't' : 'e'}${seed}`;
  const writing = (write: Write): Command => ({ kind: 'plain', body: writeBody(random, write, table) });
  return {
    table,
    create: createBody(scenario, table),
    commands: [
      ...scenario.writes.map(writing),
      ...scenario.reads.flatMap((read) => [
        findCommand(random, read, scenario),
        ...read.writesBetween.map(writing),
      ]),
    ],
  };
}

function createBody({ shape }: Scenario, name: string): JsonText {
  const columns = Object.entries(shape.columns).map(([column, type]) => {
    const definition = columnTypeOfName(type)?.definition ?? `{"type":"${type}"}`;
    return `"${column}":${definition}`;
  });
  const primaryKey = { partitionBy: shape.partitionKey, partitionSort: shape.clustering };
  const definition = `{"columns":{${columns.join(',')}},"primaryKey":${JSON.stringify(primaryKey)}}`;
  return `{"createTable":{"name":"${name}","definition":${definition}}}`;
}

function writeBody(random: SeededRandom, write: Write, table: string): JsonText {
  switch (write.kind) {
    case 'insert':
      return insertBody(random, write.rows);
    case 'change':
      return random.chance(0.1)
        ? `{"deleteOne":{"filter":${write.key}}}`
        : `{"updateOne":{"filter":${write.key},"update":${write.clause}}}`;
    case 'delete':
      return `{"deleteMany":{"filter":${write.filter}}}`;
    case 'createIndex':
      return indexBody('createIndex', table, write.column, write.fold);
    case 'createMemberIndex':
      return memberIndexBody(table, write);
    case 'createVectorIndex':
      return indexBody('createVectorIndex', table, write.column, { metric: write.metric });
  }
}

/** Some inserts have a row that is refused, in order or not. */
function insertBody(random: SeededRandom, rows: readonly JsonText[]): JsonText {
  const [first = '{}'] = rows;
  if (rows.length === 1 && random.chance(0.5)) return `{"insertOne":{"document":${first}}}`;
  const refused = random.pick([
    '{}',
    '{"partition_0":{"nothing":true}}',
    first.replace('{', '{"unknown":1,'),
  ]);
  const documents = random.chance(0.15) ? rows.toSpliced(random.below(rows.length + 1), 0, refused) : rows;
  const options = { ordered: random.chance(0.4), returnDocumentResponses: random.chance(0.4) };
  return `{"insertMany":{"documents":[${documents.join(',')}],"options":${JSON.stringify(options)}}}`;
}

function indexBody(command: string, table: string, column: string, options: object | undefined): JsonText {
  const definition = { column, ...(options === undefined ? {} : { options }) };
  return JSON.stringify({ [command]: { name: `${table}_${column}`, definition } });
}

function memberIndexBody(
  table: string,
  { column, part, fold }: Extract<Write, { kind: 'createMemberIndex' }>,
): JsonText {
  const indexed = part === 'keys' || part === 'values' ? { [column]: `$${part}` } : column;
  const definition = { column: indexed, ...(fold === undefined ? {} : { options: fold }) };
  return JSON.stringify({ createIndex: { name: `${table}_${column}_${part}`, definition } });
}

/** An order by some columns is completed by the key, so that one order is possible. */
function findCommand(random: SeededRandom, read: PlannedRead, { shape }: Scenario): FindCommand {
  const { filter, columns, skip, limit } = read;
  const isSearch = read.sort.includes('[');
  const isSorted = read.sort !== '{}';
  const sort = isSearch ? read.sort : completedSort(read.sort, filter, shape);
  const members = [
    `"filter":${filter}`,
    ...(isSorted ? [`"sort":${sort}`] : []),
    ...(columns.length === 0 ? [] : [`"projection":${projectionOf(random, columns)}`]),
  ];
  return {
    kind: 'find',
    clauses: members.join(','),
    options: { ...(isSearch ? { includeSimilarity: true } : {}), ...(skip === undefined ? {} : { skip }) },
    limit: limit < 1000 ? limit : undefined,
    order: isSearch ? 'similarity' : isSorted ? 'whole' : 'none',
  };
}

function projectionOf(random: SeededRandom, columns: readonly string[]): JsonText {
  const members = columns.map((column) => [column, 1] as const);
  return JSON.stringify(random.chance(0.2) ? columns : Object.fromEntries(members));
}

/**
 * Within one partition the clustering columns that are missing follow in the direction of the first, so that an order
 * along the key stays one; else all columns of the key follow.
 */
function completedSort(sort: JsonText, filter: JsonText, shape: Scenario['shape']): JsonText {
  const given: Readonly<Record<string, 1 | -1>> = JSON.parse(sort);
  const { partitionKey = [], clustering = {} } = shape;
  const [[first = '', direction = 1] = []] = Object.entries(given);
  const along = direction * (clustering[first] ?? 1);
  const isInPartition = partitionKey.every((column) => isNamed(JSON.parse(filter), column));
  const key = [
    ...(isInPartition ? [] : partitionKey.map((column) => [column, 1] as const)),
    ...Object.entries(clustering).map(([column, own]) => [column, own * along] as const),
  ];
  const missing = key.filter(([column]) => given[column] === undefined);
  return JSON.stringify({ ...given, ...Object.fromEntries(missing) });
}

/** Whether a filter requires one value of a column. */
function isNamed(filter: unknown, column: string): boolean {
  if (typeof filter !== 'object' || filter === null) return false;
  return Object.entries(filter).some(([name, operand]) => {
    if (name === '$and') return Array.isArray(operand) && operand.some((each) => isNamed(each, column));
    return name === column && typeof operand === 'object' && operand !== null && '$eq' in operand;
  });
}
