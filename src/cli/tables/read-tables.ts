// Reads definitions and rows of tables from a running server.
import {
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { type DataPort, errorText, pathOf } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';
import { listCollections } from './list-collections.js';
import {
  type IndexDefinition,
  objectAt,
  readIndex,
  type TableDefinition,
  textAt,
} from './table-definition.js';

/**
 * The tables of a keyspace with their indexes, and its collections, in the order of the server.
 * `names`: these only, all of which must exist.
 * @throws DataPortProblem, Interrupted
 */
export async function readDefinitions(
  port: DataPort,
  keyspace: string,
  names?: readonly string[],
): Promise<readonly TableDefinition[]> {
  const tables = await listTables(port, keyspace);
  const missing = names?.find((name) => !tables.some((table) => table.name === name));
  if (missing !== undefined) {
    const present = tables.map(({ name }) => name).join(', ');
    throw new DataPortProblem(
      `there is no table or collection ${keyspace}.${missing}; ` +
        (present === '' ? `there are none in ${keyspace}` : `those of ${keyspace} are: ${present}`),
    );
  }
  const definitions: TableDefinition[] = [];
  for (const table of tables) {
    if (names !== undefined && !names.includes(table.name)) continue;
    const indexes = table.kind === 'table' ? await listIndexes(port, keyspace, table.name) : [];
    definitions.push({ ...table, indexes });
  }
  return definitions;
}

/** The tables and collections of a keyspace without their indexes. @throws DataPortProblem, Interrupted */
export async function listTables(port: DataPort, keyspace: string): Promise<readonly TableDefinition[]> {
  const { status } = await port.run(pathOf(keyspace), '{"listTables":{"options":{"explain":true}}}');
  const tables = elementsOf(status.get('tables'))
    .filter(isJsonObject)
    .map((table) => ({
      kind: 'table' as const,
      name: textAt(table, 'name'),
      definition: objectAt(table, 'definition'),
      indexes: [],
    }));
  return [...tables, ...(await listCollections(port, keyspace))];
}

/** The indexes of a table. @throws DataPortProblem, Interrupted */
export async function listIndexes(
  port: DataPort,
  keyspace: string,
  table: string,
): Promise<readonly IndexDefinition[]> {
  const { status } = await port.run(pathOf(keyspace, table), '{"listIndexes":{"options":{"explain":true}}}');
  return elementsOf(status.get('indexes')).flatMap(readIndex);
}

/** The table or collection that is read. */
type MovedTable = Pick<TableDefinition, 'kind' | 'name'>;

/** Rows of a table. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** Where the next page begins; null after the last one. */
  readonly pageState: string | null;
}

/**
 * All rows of a table from a page state on. The next page is requested while the code that reads works on one, so at
 * most two pages are in memory. `columns`: these only; if there are none, the documents of a collection are empty.
 * @throws DataPortProblem, Interrupted
 */
export async function* readPages(
  port: DataPort,
  keyspace: string,
  table: MovedTable,
  from: string | null = null,
  columns?: readonly string[],
): AsyncGenerator<Page> {
  const ask = (pageState: string | null): Promise<Page> =>
    port
      .run(pathOf(keyspace, table.name), pageCommand(table, pageState, columns))
      .then(({ data }) => pageIn(data));
  let asked = ask(from);
  for (;;) {
    const page = await asked;
    if (page.pageState !== null) {
      asked = ask(page.pageState);
      asked.catch(() => {}); // thrown where it is awaited, unless the reader stops before
    }
    yield page;
    if (page.pageState === null) return;
  }
}

/** Whether a page state is one of this table, and not of one that was dropped. @throws DataPortProblem, Interrupted */
export async function isPageOf(
  port: DataPort,
  keyspace: string,
  table: MovedTable,
  pageState: string,
): Promise<boolean> {
  const { errors } = await port.ask(pathOf(keyspace, table.name), pageCommand(table, pageState));
  const [error] = errors;
  if (error !== undefined && error.code !== foreignPage) throw new DataPortProblem(errorText(error));
  return error === undefined;
}

/** The state of the second page of a table; undefined if it has one page. @throws DataPortProblem, Interrupted */
export async function secondPageOf(
  port: DataPort,
  keyspace: string,
  table: MovedTable,
): Promise<string | undefined> {
  const { data } = await port.run(pathOf(keyspace, table.name), pageCommand(table, null));
  return pageIn(data).pageState ?? undefined;
}

/** The error of a page state of another table. */
const foreignPage = 'COMMAND_FIELD_VALUE_INVALID';

/** Whether a table has a row. @throws DataPortProblem, Interrupted */
export async function hasRows(port: DataPort, keyspace: string, table: string): Promise<boolean> {
  const { data } = await port.run(pathOf(keyspace, table), '{"find":{"options":{"limit":1}}}');
  return pageIn(data).rows.length > 0;
}

/** Documents have members that only a projection of everything shows. */
function pageCommand(
  { kind }: MovedTable,
  pageState: string | null,
  columns: readonly string[] = kind === 'collection' ? ['*'] : [],
): JsonText {
  const isEmpty = kind === 'collection' && columns.length === 0;
  const projection = isEmpty ? '"*":false' : columns.map((name) => `${JSON.stringify(name)}:true`).join(',');
  const clauses = [
    ...(projection === '' ? [] : [`"projection":{${projection}}`]),
    ...(pageState === null ? [] : [`"options":{"pageState":${JSON.stringify(pageState)}}`]),
  ];
  return `{"find":{${clauses.join(',')}}}`;
}

function pageIn(data: JsonObject): Page {
  const pageState: JsonValue | undefined = data.get('nextPageState');
  const rows = elementsOf(data.get('documents')).filter(isJsonObject);
  return { rows, pageState: typeof pageState === 'string' ? pageState : null };
}
