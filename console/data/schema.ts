// Keyspaces, tables and collections, as the listing commands describe them.
import { describedType } from '../../src/descriptions/type-description.js';
import type { TypeDescription } from '../../src/descriptions/value-input.js';
import { isList, isObject, type Json, type JsonObject, memberAt, plainText } from '../json/exact-json.js';
import { RequestFailure } from '../net/send-request.js';
import { serverFacts } from '../net/server-facts.js';
import { type Command, sendCommand, type Target } from './command.js';

/** A column of a table. */
export interface Column {
  readonly name: string;
  /** The type as people write it: `int`, `list<text>`, `vector<3>`. */
  readonly typeText: string;
  /** What its type can do, and how its values are typed. */
  readonly described: TypeDescription;
  readonly hasService: boolean;
  /** Its part in the primary key. */
  readonly key: 'partition' | 'clustering' | undefined;
}

/** A table or a collection. */
export interface Item {
  readonly kind: 'table' | 'collection';
  readonly name: string;
  /** `definition` of a table, `options` of a collection. */
  readonly definition: JsonObject;
}

/** An index of a table. */
export interface Index {
  readonly name: string;
  readonly column: string;
  /** `regular`, `vector`, `text`. */
  readonly type: string;
  readonly options: Json | undefined;
}

export const listKeyspaces: Command = { target: {}, name: 'findKeyspaces', body: {} };

/** Lists the tables of a keyspace. */
export function listTables(keyspace: string): Command {
  return { target: { keyspace }, name: 'listTables', body: { options: { explain: true } } };
}

/** Lists the indexes of a table. */
export function listIndexes(target: Target): Command {
  return { target, name: 'listIndexes', body: { options: { explain: true } } };
}

/** The names of all keyspaces. */
export async function loadKeyspaces(signal: AbortSignal): Promise<readonly string[]> {
  const { status } = await sendCommand(listKeyspaces, signal);
  return listAt(status, 'keyspaces').map(plainText);
}

/** The tables and collections of a keyspace, by name. */
export async function loadItems(keyspace: string, signal: AbortSignal): Promise<readonly Item[]> {
  // Both are awaited at the same time: a failure of one must not leave the other without a handler.
  const [tables, collections] = await Promise.all([
    sendCommand(listTables(keyspace), signal),
    serverFacts.peek()?.hasCollections === false ? [] : loadCollections(keyspace, signal),
  ]);
  const found = [
    ...listAt(tables.status, 'tables').map((item) => toItem(item, 'table', 'definition')),
    ...collections,
  ];
  return found.sort((left, right) => left.name.localeCompare(right.name, undefined, { numeric: true }));
}

async function loadCollections(keyspace: string, signal: AbortSignal): Promise<readonly Item[]> {
  const options = { explain: true };
  try {
    const { status } = await sendCommand(
      { target: { keyspace }, name: 'findCollections', body: { options } },
      signal,
    );
    return listAt(status, 'collections').map((item) => toItem(item, 'collection', 'options'));
  } catch (error) {
    // A server without collections does not know the command.
    if (error instanceof RequestFailure && /UNKNOWN|UNSUPPORTED/.test(error.kind)) return [];
    throw error;
  }
}

/** The indexes of a table. */
export async function loadIndexes(target: Target, signal: AbortSignal): Promise<readonly Index[]> {
  const { status } = await sendCommand(listIndexes(target), signal);
  return listAt(status, 'indexes').map((item) => ({
    name: plainText(memberAt(item, 'name')),
    column: plainText(memberAt(item, 'definition', 'column')),
    type: plainText(memberAt(item, 'indexType')) || 'regular',
    options: memberAt(item, 'definition', 'options'),
  }));
}

/** The columns of a table: those of the key first, in its order. */
export function columnsOf(definition: JsonObject): readonly Column[] {
  const columns = memberAt(definition, 'columns');
  const { partition, clustering } = keyOf(definition);
  const keys = [...partition, ...clustering];
  const all = Object.entries(isObject(columns) ? columns : {}).map(([name, column]): Column => {
    const key = partition.includes(name) ? 'partition' : clustering.includes(name) ? 'clustering' : undefined;
    const described = describedType(
      plainText(typeof column === 'string' ? column : memberAt(column, 'type')),
    );
    const hasService = memberAt(column, 'service') !== undefined;
    return { name, described, typeText: typeTextOf(column), hasService, key };
  });
  const place = ({ name }: Column) => (keys.includes(name) ? keys.indexOf(name) : keys.length);
  return all.sort((left, right) => place(left) - place(right));
}

/** The names of the columns of the primary key. */
export function keyOf(definition: JsonObject): {
  readonly partition: readonly string[];
  readonly clustering: readonly string[];
} {
  const key = memberAt(definition, 'primaryKey');
  if (typeof key === 'string') return { partition: [key], clustering: [] };
  const sort = memberAt(key, 'partitionSort');
  return {
    partition: listAt(key, 'partitionBy').map(plainText),
    clustering: isObject(sort) ? Object.keys(sort) : [],
  };
}

/** The type of a column in one line. */
function typeTextOf(column: Json | undefined): string {
  if (!isObject(column)) return plainText(column);
  const type = plainText(column['type']);
  if (describedType(type).uses.length === 0)
    return plainText(memberAt(column, 'apiSupport', 'cqlDefinition'));
  if (column['udtName'] !== undefined) return plainText(column['udtName']);
  const inner = [column['keyType'], column['valueType'], column['dimension']].flatMap((part) =>
    part === undefined ? [] : [typeTextOf(part)],
  );
  return inner.length === 0 ? type : `${type}<${inner.join(', ')}>`;
}

function toItem(item: Json, kind: Item['kind'], member: string): Item {
  const definition = memberAt(item, member);
  return {
    kind,
    name: plainText(memberAt(item, 'name')),
    definition: isObject(definition) ? definition : {},
  };
}

function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const list = memberAt(value, ...path);
  return isList(list) ? list : [];
}
