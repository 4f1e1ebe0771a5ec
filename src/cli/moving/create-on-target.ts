// Creates the tables of an import on its target and asks for their indexes, before the first row is sent.
import { type JsonText, stringifyJson } from '../../foundation/json/json-value.js';
import { type DataPort, errorText, pathOf } from '../data-port.js';
import { DataPortProblem } from '../port-problems.js';
import { hasRows, listIndexes } from '../tables/read-tables.js';
import {
  creatableDefinition,
  type IndexDefinition,
  indexCommand,
  indexDifference,
} from '../tables/table-definition.js';
import { createCollectionCommand } from './collection-definition.js';
import type { PlannedTable } from './plan-import.js';

/** Where tables are created. */
export interface Target {
  readonly port: DataPort;
  readonly keyspace: string;
}

/** What the target can hold of the tables of an import. */
export interface HeldTables {
  /** The tables that the target has now, with those of their indexes that it did not refuse. */
  readonly held: readonly PlannedTable[];
  /** A sentence for each table and each index that it refused, with its error. */
  readonly refused: readonly string[];
}

/** An index of a large table may take long. */
const indexTimeoutMs = 3_600_000;

/**
 * Creates the tables that do not exist; `noteCreated` gets each of them. The indexes of a table without rows are
 * created together and dropped again, because a server can refuse one for its type, its options, its column or the
 * number of indexes. In a table with rows that would take long: `createIndexes` finds out what is refused there.
 * @throws DataPortProblem if the server fails; Interrupted
 */
export async function createOnTarget(
  target: Target,
  planned: readonly PlannedTable[],
  noteCreated: (plan: PlannedTable) => void,
): Promise<HeldTables> {
  const held: PlannedTable[] = [];
  const refused: string[] = [];
  for (const plan of planned) {
    const { kind, name } = plan.table;
    if (!plan.exists) {
      const refusal = await refusalOf(target.port, pathOf(target.keyspace), createCommand(plan));
      if (refusal !== undefined) {
        refused.push(`the target cannot hold the ${kind} ${name}: ${refusal}`);
        continue;
      }
      noteCreated(plan);
    }
    const indexes = await askForIndexes(target, plan);
    held.push({ ...plan, indexes: indexes.held });
    refused.push(...indexes.refused);
  }
  return { held, refused };
}

/** Creates the indexes of a table that are not there. Returns a sentence for each that the target refuses. */
export async function createIndexes(target: Target, plan: PlannedTable): Promise<readonly string[]> {
  if (plan.indexes.length === 0) return [];
  const { missing, refused } = await compareIndexes(target, plan);
  const problems = [...refused];
  for (const index of missing) {
    const problem = await createIndex(target, plan, index);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

interface HeldIndexes {
  readonly held: readonly IndexDefinition[];
  readonly refused: readonly string[];
}

async function askForIndexes(target: Target, plan: PlannedTable): Promise<HeldIndexes> {
  const { port, keyspace } = target;
  const { table, exists, indexes } = plan;
  if (indexes.length === 0) return { held: [], refused: [] };
  const { present, missing, refused } = exists
    ? await compareIndexes(target, plan)
    : { present: [], missing: indexes, refused: [] };
  if (exists && (await hasRows(port, keyspace, table.name)))
    return { held: [...present, ...missing], refused };
  const problems = [...refused];
  const created: IndexDefinition[] = [];
  for (const index of missing) {
    const problem = await createIndex(target, plan, index);
    if (problem === undefined) created.push(index);
    else problems.push(problem);
  }
  for (const { name } of created)
    await port.run(
      pathOf(keyspace),
      `{"dropIndex":{"name":${JSON.stringify(name)},"options":{"ifExists":true}}}`,
    );
  return { held: [...present, ...created], refused: problems };
}

/** The indexes of a plan that the target has, those that it does not have, and a sentence for each that differs. */
async function compareIndexes(
  { port, keyspace }: Target,
  { table, indexes }: PlannedTable,
): Promise<{
  readonly present: readonly IndexDefinition[];
  readonly missing: readonly IndexDefinition[];
  readonly refused: readonly string[];
}> {
  const existing = await listIndexes(port, keyspace, table.name);
  const present: IndexDefinition[] = [];
  const missing: IndexDefinition[] = [];
  const refused: string[] = [];
  for (const index of indexes) {
    const other = existing.find(({ name }) => name === index.name);
    const difference = other === undefined ? undefined : indexDifference(index, other);
    if (other === undefined) missing.push(index);
    else if (difference === undefined) present.push(index);
    else refused.push(`${keyspace}.${table.name}: ${difference}`);
  }
  return { present, missing, refused };
}

/** Creates an index, or returns a sentence with the error by which the target refuses it. */
async function createIndex(
  { port, keyspace }: Target,
  { table }: PlannedTable,
  index: IndexDefinition,
): Promise<string | undefined> {
  const { name, definition, indexType } = index;
  const body: JsonText =
    `{"name":${JSON.stringify(name)},"definition":${stringifyJson(definition)},` +
    '"options":{"ifNotExists":true}}';
  const command = `{"${indexCommand(index) ?? ''}":${body}}`;
  const refusal = await refusalOf(port, pathOf(keyspace, table.name), command, indexTimeoutMs);
  return refusal === undefined
    ? undefined
    : `the target cannot hold the index ${name} (${indexType}) of the table ${table.name}: ${refusal}`;
}

/** The error by which the server refuses a command; a failure of the server is thrown. */
async function refusalOf(
  port: DataPort,
  path: string,
  command: JsonText,
  timeoutMs?: number,
): Promise<string | undefined> {
  const { errors } = await port.ask(path, command, timeoutMs);
  const [error] = errors;
  if (error === undefined) return undefined;
  if (error.isOfServer) throw new DataPortProblem(errorText(error));
  return errorText(error);
}

function createCommand({ table, columns }: PlannedTable): JsonText {
  if (table.kind === 'collection') return createCollectionCommand(table);
  const definition = creatableDefinition(table, new Set(columns.keys()));
  const name = JSON.stringify(table.name);
  return `{"createTable":{"name":${name},"definition":${definition},"options":{"ifNotExists":true}}}`;
}
