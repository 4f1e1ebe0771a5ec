// The collections of the public Data API server in a keyspace of a cluster, with the options that are known of them.
import { isPublicCollection, publicOptions } from '../../../foundation/cassandra/public-collection.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { cellText } from '../../operations-port.js';
import { DataPortProblem } from '../../port-problems.js';
import { objectAt, textAt } from '../../tables/table-definition.js';
import type { MovedTable } from '../moved-table.js';
import { quotedText, type ReadNativeRows } from './native-rows.js';

/** A collection of the public server. */
export interface PublicCollection extends MovedTable {
  /** The id of its table, which another table of this name does not have. */
  readonly tableId: string;
}

/** The tables of a page, and the columns that are read of one, at most: those of the layout are fewer. */
const pageRows = 1000;
/** The column of vectors, which collections with the option `vector` have. */
const vectorColumn = 'query_vector_value';

/**
 * The collections in the order of their names. `names`: these only, all of which must exist.
 * @throws DataPortProblem, Interrupted
 */
export async function readPublicCollections(
  read: ReadNativeRows,
  keyspace: string,
  names: readonly string[] | undefined,
): Promise<readonly PublicCollection[]> {
  const collections: PublicCollection[] = [];
  for (let after = ''; ; ) {
    const page = await read(
      'SELECT table_name, id, comment FROM system_schema.tables ' +
        `WHERE keyspace_name = ${quotedText(keyspace)} AND table_name > ${quotedText(after)} LIMIT ${pageRows}`,
    );
    for (const row of page) {
      const [name = '', tableId = '', comment = ''] = row.map(cellOrNone);
      after = name;
      const columns = await readColumns(read, keyspace, name);
      if (!isPublicCollection({ comment }, columns)) continue;
      const vector = columns.find((column) => column.name === vectorColumn)?.type;
      const metric = vector === undefined ? undefined : await readMetric(read, keyspace, name);
      const definition = knownOptions(publicOptions(comment), vector, metric);
      collections.push({ ...namedCollection(name), definition, tableId });
    }
    if (page.length < pageRows) break;
  }
  return chosen(collections, keyspace, names);
}

function namedCollection(name: string) {
  return {
    kind: 'collection',
    name,
    indexes: [],
    leftOut: [],
    isWhollyLeftOut: false,
    keepsOptions: true,
  } as const;
}

function chosen(
  collections: readonly PublicCollection[],
  keyspace: string,
  names: readonly string[] | undefined,
): readonly PublicCollection[] {
  const missing = names?.find((name) => !collections.some((collection) => collection.name === name));
  if (missing === undefined) return collections.filter(({ name }) => names?.includes(name) ?? true);
  const present = collections.map(({ name }) => name).join(', ');
  throw new DataPortProblem(
    `${keyspace}.${missing} is not a collection of the public server; ` +
      (present === '' ? `there are none in ${keyspace}` : `those of ${keyspace} are: ${present}`),
  );
}

async function readColumns(read: ReadNativeRows, keyspace: string, table: string) {
  const rows = await read(
    'SELECT column_name, kind, type FROM system_schema.columns ' +
      `WHERE keyspace_name = ${quotedText(keyspace)} AND table_name = ${quotedText(table)} LIMIT ${pageRows}`,
  );
  return rows.map((row) => {
    const [name = '', kind = '', type = ''] = row.map(cellOrNone);
    return { name, kind, type };
  });
}

/** The metric of the index on the vectors, which early versions write nowhere else. */
async function readMetric(
  read: ReadNativeRows,
  keyspace: string,
  table: string,
): Promise<string | undefined> {
  const rows = await read(
    'SELECT options FROM system_schema.indexes ' +
      `WHERE keyspace_name = ${quotedText(keyspace)} AND table_name = ${quotedText(table)} LIMIT ${pageRows}`,
  );
  const options = rows.map(([found = null]) => (isJsonObject(found) ? found : new Map<string, JsonValue>()));
  const ofVectors = options.find((found) => textAt(found, 'target').includes(vectorColumn));
  const metric = ofVectors === undefined ? '' : textAt(ofVectors, 'similarity_function');
  return metric === '' ? undefined : metric;
}

/**
 * The options for createCollection. What the comment does not have is known from the table or, because it is a
 * collection of an early version, is off. `vector`: the type of the column of vectors, undefined if there is none.
 */
function knownOptions(
  stored: JsonObject,
  vector: string | undefined,
  metric: string | undefined,
): JsonObject {
  const options = new Map(withoutNulls(stored));
  if (textAt(objectAt(options, 'defaultId'), 'type') === '') options.delete('defaultId');
  const dimension = /^vector<float, ?(\d+)>$/.exec(vector ?? '')?.[1];
  const ofTable = new Map<string, JsonValue>([
    ...(dimension === undefined ? [] : [['dimension', new JsonNumber(dimension)] as const]),
    ...(metric === undefined ? [] : [['metric', metric] as const]),
  ]);
  const known = new Map([...ofTable, ...objectAt(options, 'vector')]);
  if (known.size > 0)
    options.set('vector', new Map([...known].map(([name, value]) => [name, inLowerCase(name, value)])));
  for (const name of ['lexical', 'rerank'])
    if (!options.has(name)) options.set(name, new Map([['enabled', false]]));
  return options;
}

/** Cassandra accepts names of metrics in both cases, and createCollection in lower case. */
function inLowerCase(name: string, value: JsonValue): JsonValue {
  return name === 'metric' && typeof value === 'string' ? value.toLowerCase() : value;
}

/** The public server writes null for what was not given. */
function withoutNulls(object: JsonObject): JsonObject {
  const members = [...object].filter(([, value]) => value !== null);
  return new Map(members.map(([name, value]) => [name, isJsonObject(value) ? withoutNulls(value) : value]));
}

/** The text of a cell; empty for one without a value. */
function cellOrNone(cell: JsonValue): string {
  return cell === null || isJsonArray(cell) ? '' : cellText(cell);
}
