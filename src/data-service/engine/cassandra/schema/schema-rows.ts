// The rows in which a cluster describes keyspaces, tables, columns and indexes.
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { findSchemaSource, readSchemaVersion } from '../../../../foundation/cassandra/schema-agreement.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { SettingsRow } from './settings-table.js';

/** A row of system_schema.keyspaces. */
export interface KeyspaceRow {
  readonly name: string;
  readonly replication: Readonly<Record<string, string>>;
}

/** A row of system_schema.tables. */
export interface TableRow {
  readonly keyspace: string;
  readonly name: string;
  /** A UUID as text: of version 1 in most tables, with the time of the creation. */
  readonly uuid: string;
  readonly comment: string;
  readonly extensions: Readonly<Record<string, Buffer>>;
  /** How its rows are stored: `compound`, except for tables with compact storage. */
  readonly flags: readonly string[];
  /** After how many seconds values expire that are written without a time of their own; 0: never. */
  readonly timeToLiveSeconds: number;
  /** Its stored settings as JSON; absent: none changed since it was made. */
  readonly stored?: string | undefined;
}

/** A row of system_schema.columns. */
export interface ColumnRow {
  readonly keyspace: string;
  readonly table: string;
  readonly name: string;
  readonly kind: 'partition_key' | 'clustering' | 'regular' | 'static';
  /** The place of a key column, from 0. */
  readonly position: number;
  readonly clusteringOrder: 'asc' | 'desc' | 'none';
  /** The type as CQL writes it: `frozen<list<int>>`. */
  readonly type: string;
}

/** A row of system_schema.dropped_columns. */
export interface DroppedColumnRow {
  readonly keyspace: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly kind: string;
}

/** A row of system_schema.indexes. */
export interface IndexRow {
  readonly keyspace: string;
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  /** They have `target`, and `class_name` if the index is a custom one. */
  readonly options: Readonly<Record<string, string>>;
  /** When it was made, in microseconds since 1970. */
  readonly madeMicros: number;
  /** Whether a node is still building it. */
  readonly isBuilding?: boolean;
  /** Whether nodes may have built it without some rows. */
  readonly isLacking?: boolean;
}

/** A row of system_schema.types. */
export interface TypeRow {
  readonly keyspace: string;
  readonly name: string;
  readonly fieldNames: readonly string[];
  /** The types as CQL writes them. */
  readonly fieldTypes: readonly string[];
}

/** All of them, of one keyspace or of all. */
export interface SchemaRows {
  readonly keyspaces: readonly KeyspaceRow[];
  readonly tables: readonly TableRow[];
  readonly columns: readonly ColumnRow[];
  readonly droppedColumns: readonly DroppedColumnRow[];
  readonly indexes: readonly IndexRow[];
  readonly types: readonly TypeRow[];
  /** The settings of tables that were changed since they were made. */
  readonly settings: readonly SettingsRow[];
  /** Why the settings of a keyspace are not known, by its name. */
  readonly problems: ReadonlyMap<string, string>;
}

/** What `system_schema` has of them. */
export type DefinitionRows = Omit<SchemaRows, 'settings' | 'problems'>;

/** Reads of a schema that changes meanwhile. */
const mostReads = 20;

/**
 * Reads the rows of a keyspace; with undefined those of all. They are the rows of one node at one time: a mixture of
 * two schemas would show tables that never were. `isOfMost`: whether they have every acknowledged change.
 * @throws CassandraFailure
 */
export async function readSchemaRows(
  session: Pick<CqlSession, 'nodes'>,
  keyspace: string | undefined,
): Promise<{ readonly rows: DefinitionRows; readonly isOfMost: boolean }> {
  const { node, isOfMost } = await findSchemaSource(() => session.nodes(), 'most');
  let before = await readSchemaVersion(node);
  for (let reads = 0; reads < mostReads; reads += 1) {
    const rows = await readRowsOf(node, keyspace);
    const after = await readSchemaVersion(node);
    if (after === before) return { rows, isOfMost };
    before = after;
  }
  throw new CassandraFailure('unavailable', `the schema changed during each of ${mostReads} reads of it`);
}

/**
 * What the schema has of the settings of a table at this moment; undefined if there is no such table.
 * @throws CassandraFailure
 */
export async function readPlace(
  session: Pick<CqlSession, 'nodes'>,
  { keyspace, name }: Pick<TableRow, 'keyspace' | 'name'>,
): Promise<Pick<TableRow, 'uuid' | 'comment' | 'extensions'> | undefined> {
  const node = await currentNode(session);
  const [row] = await readSystemTable(node, 'tables', 'id, comment, extensions', { keyspace, name });
  if (row === undefined) return undefined;
  const [uuid, comment, extensions] = row;
  return {
    uuid: String(uuid),
    comment: String(comment ?? ''),
    extensions: membersOf(extensions) as TableRow['extensions'],
  };
}

/** The names of the columns or indexes that a table has at this moment. @throws CassandraFailure */
export async function readNames(
  session: Pick<CqlSession, 'nodes'>,
  of: 'columns' | 'indexes',
  table: Pick<TableRow, 'keyspace' | 'name'>,
): Promise<ReadonlySet<string>> {
  const node = await currentNode(session);
  const rows = await readSystemTable(node, of, of === 'columns' ? 'column_name' : 'index_name', table);
  return new Set(rows.map(([each]) => String(each)));
}

/** The tables of the indexes of a keyspace at this moment, by the names of the indexes. @throws CassandraFailure */
export async function readIndexTables(
  session: Pick<CqlSession, 'nodes'>,
  keyspace: string,
): Promise<ReadonlyMap<string, string>> {
  const names = 'keyspace_name, table_name, index_name';
  const rows = await readSystemTable(await currentNode(session), 'indexes', names, { keyspace });
  return new Map(rows.map(([, table, name]) => [String(name), String(table)]));
}

/** The columns that a table has at this moment; none if there is no such table. @throws CassandraFailure */
export async function readColumns(
  session: Pick<CqlSession, 'nodes'>,
  table: Pick<TableRow, 'keyspace' | 'name'>,
): Promise<readonly Pick<ColumnRow, 'name' | 'type' | 'kind'>[]> {
  const rows = await readSystemTable(await currentNode(session), 'columns', 'column_name, type, kind', table);
  // The types of the columns of system_schema are these.
  return rows.map(
    ([name, type, kind]) => ({ name, type, kind }) as Pick<ColumnRow, 'name' | 'type' | 'kind'>,
  );
}

/** The times up to which values of dropped columns count as dropped, in ms since 1970, by the names of the columns. */
export async function readDropTimes(
  session: Pick<CqlSession, 'nodes'>,
  table: Pick<TableRow, 'keyspace' | 'name'>,
): Promise<ReadonlyMap<string, number>> {
  const node = await currentNode(session);
  const rows = await readSystemTable(node, 'dropped_columns', 'column_name, dropped_time', table);
  return new Map(rows.map(([name, time]) => [String(name), Number(time)]));
}

/** The names of the materialized views of a keyspace. @throws CassandraFailure */
export async function readViewNames(
  session: Pick<CqlSession, 'nodes'>,
  keyspace: string,
): Promise<ReadonlySet<string>> {
  const rows = await readSystemTable(await currentNode(session), 'views', 'view_name', { keyspace });
  return new Set(rows.map(([name]) => String(name)));
}

/**
 * The UUIDs under which the nodes that answer show a table: more than one where it was made twice.
 * @throws CassandraFailure where none answers
 */
export async function readTableUuids(
  session: Pick<CqlSession, 'nodes'>,
  table: Pick<TableRow, 'keyspace' | 'name'>,
): Promise<ReadonlySet<string>> {
  const nodes = await session.nodes();
  const asked = nodes.map((node) => readSystemTable(node, 'tables', 'id', table));
  const answers = await Promise.allSettled(asked); // a node that does not answer reads the schema when it is back
  const uuids = new Set(
    answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.map(([id]) => String(id)) : [],
    ),
  );
  // A node that did not answer may be the only one that has the table.
  const failed = answers.find(({ status }) => status === 'rejected');
  if (uuids.size === 0 && failed?.status === 'rejected') throw failed.reason;
  return uuids;
}

/**
 * The node that is asked for something as it is at this moment: the first one, which makes the changes, unless it has
 * another schema than most when the time is over.
 */
async function currentNode(session: Pick<CqlSession, 'nodes'>): Promise<CqlNode> {
  const { node } = await findSchemaSource(() => session.nodes(), 'all');
  return node;
}

async function readRowsOf(node: CqlNode, keyspace: string | undefined): Promise<DefinitionRows> {
  const [keyspaces, tables, columns, droppedColumns, indexes, types] = await Promise.all([
    readSystemTable(node, 'keyspaces', 'keyspace_name, replication', { keyspace }),
    readSystemTable(node, 'tables', columnsOfTables, { keyspace }),
    readSystemTable(node, 'columns', columnsOfColumns, { keyspace }),
    readSystemTable(node, 'dropped_columns', 'keyspace_name, table_name, column_name, type, kind', {
      keyspace,
    }),
    readSystemTable(node, 'indexes', columnsOfIndexes, { keyspace }),
    readSystemTable(node, 'types', 'keyspace_name, type_name, field_names, field_types', { keyspace }),
  ]);
  // The types of the columns of system_schema are these.
  return {
    keyspaces: keyspaces.map(
      ([name, replication]) => ({ name, replication: membersOf(replication) }) as KeyspaceRow,
    ),
    tables: tables.map(
      ([own, name, uuid, comment, extensions, flags, timeToLive]) =>
        ({
          keyspace: own,
          name,
          uuid: String(uuid),
          comment: String(comment ?? ''),
          extensions: membersOf(extensions),
          flags: Array.isArray(flags) ? flags : ['compound'],
          timeToLiveSeconds: Number(timeToLive ?? 0),
        }) as TableRow,
    ),
    columns: columns.map(
      ([own, table, name, kind, position, clusteringOrder, type]) =>
        ({ keyspace: own, table, name, kind, position, clusteringOrder, type }) as ColumnRow,
    ),
    droppedColumns: droppedColumns.map(
      ([own, table, name, type, kind]) => ({ keyspace: own, table, name, type, kind }) as DroppedColumnRow,
    ),
    indexes: indexes.map(
      ([own, table, name, kind, options, madeMicros]) =>
        ({
          keyspace: own,
          table,
          name,
          kind,
          options: membersOf(options),
          madeMicros: Number(madeMicros),
        }) as IndexRow,
    ),
    types: types.map(
      ([own, name, fieldNames, fieldTypes]) => ({ keyspace: own, name, fieldNames, fieldTypes }) as TypeRow,
    ),
  };
}

function membersOf(map: unknown): object {
  return map instanceof Map ? Object.fromEntries(map) : {};
}

const columnsOfTables = 'keyspace_name, table_name, id, comment, extensions, flags, default_time_to_live';
/** The kind is written once, when the index is made. */
const columnsOfIndexes = 'keyspace_name, table_name, index_name, kind, options, writetime(kind)';
const columnsOfColumns = 'keyspace_name, table_name, column_name, kind, position, clustering_order, type';

/**
 * Reads a table of system_schema, which every node has with all of its rows. `keyspace`, `name`: the keyspace or the
 * table that the rows describe; without them, all rows are read.
 */
function readSystemTable(
  node: CqlNode,
  table: string,
  columns: string,
  { keyspace, name }: { readonly keyspace?: string | undefined; readonly name?: string },
): Promise<readonly (readonly unknown[])[]> {
  const key = [
    ...(keyspace === undefined ? [] : [['keyspace_name', keyspace] as const]),
    ...(name === undefined ? [] : [['table_name', name] as const]),
  ];
  const where = key.length === 0 ? '' : ` WHERE ${key.map(([column]) => `${column} = ?`).join(' AND ')}`;
  return readAllRows(node, {
    cql: `SELECT ${columns} FROM system_schema.${table}${where}`,
    values: key.map(([, value]) => Buffer.from(value)),
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
  });
}
