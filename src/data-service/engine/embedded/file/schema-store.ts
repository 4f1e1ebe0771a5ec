// The schema in the SQLite file: its tables, their migrations, and reading them.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import { isJsonObject, type JsonText } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import type { Database, SqlRow } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { PartName, UserTypeDefinition } from '../../../column-types/column-type.js';
import { type Dialect, inDialect } from '../../../column-types/dialect.js';
import type { TextFold } from '../../../column-types/text-fold.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { unpackSettings } from '../../../schema/collection.js';
import type { EmbeddingService } from '../../../schema/embedding-service.js';
import { inOrderOfNames, type Keyspace, type Schema } from '../../../schema/keyspace.js';
import {
  type ColumnDefinition,
  type DroppedColumn,
  makeColumn,
  makeTable,
  type Table,
  type TableIndex,
  type VectorIndex,
} from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { type EntriesPlace, stateOfSlot } from './engine-state.js';

/** Step n migrates a file from version n to n + 1. Released steps never change. */
const migrations: readonly string[] = [
  `CREATE TABLE keyspaces (name TEXT PRIMARY KEY, replication TEXT NOT NULL) STRICT;
   CREATE TABLE tables (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, keyspace TEXT NOT NULL, name TEXT NOT NULL,
     UNIQUE (keyspace, name)) STRICT;
   CREATE TABLE columns (table_id INTEGER NOT NULL, id INTEGER NOT NULL, position INTEGER NOT NULL,
     name TEXT NOT NULL, type TEXT NOT NULL, partition_position INTEGER, clustering_position INTEGER,
     clustering_direction INTEGER, dropped INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (table_id, id)) STRICT;
   CREATE TABLE indexes (table_id INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL,
     column_id INTEGER NOT NULL, fold TEXT, PRIMARY KEY (table_id, id)) STRICT;
   CREATE TABLE next_ids (kind TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT;
   INSERT INTO next_ids VALUES ('table', 1);
   INSERT INTO keyspaces VALUES ('default_keyspace', '{"class":"SimpleStrategy","replication_factor":1}');`,
  'ALTER TABLE indexes ADD COLUMN vector TEXT;',
  'ALTER TABLE columns ADD COLUMN service TEXT;',
  // `dropped`: 1 while rows may have values, 2 when none has. `slot`: null if another column has the slot.
  'ALTER TABLE columns ADD COLUMN slot INTEGER; UPDATE columns SET slot = id;',
  // `type` is the name of the type, which contains its definition.
  `CREATE TABLE user_types (keyspace TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
     PRIMARY KEY (keyspace, name)) STRICT;`,
  // The part of the members of lists, sets and maps that an index contains; null for other indexes.
  'ALTER TABLE indexes ADD COLUMN part TEXT;',
  'ALTER TABLE indexes ADD COLUMN analyzer TEXT;',
  // While a container index is being built: the last row that it has, and the last one that existed; otherwise null.
  'ALTER TABLE indexes ADD COLUMN built INTEGER; ALTER TABLE indexes ADD COLUMN last INTEGER;',
  // The settings of a collection; null for other tables.
  'ALTER TABLE tables ADD COLUMN collection TEXT;',
  // Text indexes have segments: see `renewTextIndexes`.
  `UPDATE indexes SET analyzer = json_set(analyzer, '$.isBuilding', json('true'), '$.isOutdated', json('true'))
     WHERE analyzer IS NOT NULL;`,
  // The id that a table had first, if it has another one since all its rows were deleted.
  'ALTER TABLE tables ADD COLUMN first_id INTEGER;',
  // The id of the entries of documents, if it is not that of the table. While they are being built: the last document
  // that has them, and the last one that existed; otherwise null.
  `ALTER TABLE tables ADD COLUMN entries_id INTEGER; ALTER TABLE tables ADD COLUMN built INTEGER;
   ALTER TABLE tables ADD COLUMN last INTEGER;`,
  // Pages have checksums beside the file, see `SummedLog`: an earlier release would not keep them.
  '',
];

/** The statements that create the schema tables. */
export const schemaStatements: readonly string[] = migrations;

/** The version of a file that this release writes, and the newest that it can open. */
export const schemaVersion = migrations.length;

/** The versions of a file before and after its migration; both the same if there was none, `from` 0 for a new file. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates a file to the present version; a new file gets `default_keyspace`.
 * @throws Error for a file that a later release wrote
 */
export function migrateSchema(database: Database): Migrated {
  const version = Number(database.statement('PRAGMA user_version').get()?.['user_version']);
  if (version > schemaVersion) {
    throw new Error(
      `the data was written by a later release of Colonnade (file version ${version}, known up to ${schemaVersion}): ` +
        'start that release, or give another --data-dir',
    );
  }
  for (const [step, sql] of migrations.entries()) {
    if (step < version) continue;
    database.transaction(() => database.exec(`${sql}; PRAGMA user_version = ${step + 1}`));
  }
  return { from: version, to: schemaVersion };
}

/** Reads the whole schema, with the types of columns as a dialect supports them. */
export function loadSchema(database: Database, dialect: Dialect): Schema {
  const tables = database.statement('SELECT * FROM tables ORDER BY coalesce(first_id, id)').all();
  const columns = byTable(database.statement('SELECT * FROM columns ORDER BY table_id, position').all());
  const indexes = byTable(database.statement('SELECT * FROM indexes ORDER BY table_id, id').all());
  const loaded = tables.map((row) => {
    const table = loadTable(row, columns.get(row['id']) ?? [], dialect);
    return {
      ...table,
      indexes: (indexes.get(row['id']) ?? []).map((index) => loadIndex(index, table, dialect)),
    };
  });
  const keyspaces = database.statement('SELECT name, replication FROM keyspaces ORDER BY rowid').all();
  const userTypes = database.statement('SELECT type FROM user_types').all().map(loadUserType);
  return {
    keyspaces: new Map(keyspaces.map((row) => [String(row['name']), loadKeyspace(row, loaded, userTypes)])),
  };
}

/** The version of every table, by its id. */
export function loadTableVersions(database: Database): Map<number, number> {
  const rows = database.statement('SELECT id, version FROM tables').all();
  return new Map(rows.map((row) => [Number(row['id']), Number(row['version'])]));
}

function byTable(rows: readonly SqlRow[]): ReadonlyMap<SqlValue | undefined, readonly SqlRow[]> {
  const grouped = new Map<SqlValue | undefined, SqlRow[]>();
  for (const row of rows) getOrMake(grouped, row['table_id'], () => []).push(row);
  return grouped;
}

/** The id of the next new table. */
export function loadNextTableId(database: Database): number {
  return Number(database.statement("SELECT id FROM next_ids WHERE kind = 'table'").get()?.['id']);
}

function loadUserType(row: SqlRow): UserTypeDefinition {
  const definition = columnTypeOfName(String(row['type']))?.userType;
  if (definition === undefined) throw new TypeError(`a stored user-defined type is ${row['type']}`);
  return definition;
}

function loadKeyspace(
  row: SqlRow,
  tables: readonly Table[],
  userTypes: readonly UserTypeDefinition[],
): Keyspace {
  const name = String(row['name']);
  const replication = parseJson(String(row['replication']), { maxDepth: 100, maxNumberLength: 100 });
  if (!isJsonObject(replication))
    throw new TypeError(`the replication of the keyspace ${name} is not an object`);
  const own = tables.filter((table) => table.keyspace === name);
  return {
    name,
    replication,
    tables: new Map(own.map((table) => [table.name, table])),
    userTypes: inOrderOfNames(userTypes.filter(({ keyspace }) => keyspace === name)),
  };
}

function loadTable(row: SqlRow, rows: readonly SqlRow[], dialect: Dialect): Table {
  const columns = rows.filter((column) => column['dropped'] === 0);
  const keyColumns = (position: string) =>
    columns
      .filter((column) => column[position] !== null)
      .sort((left, right) => Number(left[position]) - Number(right[position]));
  const clustering = keyColumns('clustering_position').map((column) => ({
    name: columnName(column),
    direction: column['clustering_direction'] === -1 ? (-1 as const) : (1 as const),
  }));
  return makeTable(
    {
      id: Number(row['id']),
      ...(row['first_id'] === null ? {} : { firstId: Number(row['first_id']) }),
      version: Number(row['version']),
      keyspace: String(row['keyspace']),
      ...(row['entries_id'] === null ? {} : { engineState: entriesPlace(row) }),
    },
    {
      name: String(row['name']),
      columns: columns.map((column) => loadColumn(column, dialect)),
      partitionKey: keyColumns('partition_position').map(columnName),
      clustering,
      ...(row['collection'] === null ? {} : { collection: unpackSettings(String(row['collection'])) }),
    },
    columns.map((column) => {
      const id = Number(column['id']);
      return { id, engineState: stateOfSlot(id, Number(column['slot'])) };
    }),
    rows.filter((column) => column['dropped'] !== 0).map((column) => loadDroppedColumn(column, dialect)),
  );
}

function loadDroppedColumn(row: SqlRow, dialect: Dialect): DroppedColumn {
  const slot = row['slot'] === null ? null : Number(row['slot']);
  const id = Number(row['id']);
  const column = makeColumn(id, loadColumn(row, dialect), stateOfSlot(id, slot));
  return { ...column, isEmpty: row['dropped'] === 2 };
}

function entriesPlace(row: SqlRow): EntriesPlace {
  return { id: Number(row['entries_id']), isBuilding: row['last'] !== null };
}

function loadIndex(row: SqlRow, table: Table, dialect: Dialect): TableIndex {
  const column = table.columns.find(({ id }) => id === row['column_id']);
  if (column === undefined) throw new TypeError(`the index ${row['name']} is on an unknown column`);
  const isExtended = row['analyzer'] !== null || row['part'] !== null;
  const identity = {
    id: Number(row['id']),
    name: String(row['name']),
    column,
    ...(isExtended && dialect === 'strict' && table.collection === undefined ? { isUnsupported: true } : {}),
  };
  // `table-statements.ts` wrote all of them.
  if (row['vector'] !== null) {
    const { metric, sourceModel } = JSON.parse(String(row['vector'])) as VectorIndexOptions;
    return { kind: 'vector', ...identity, metric, sourceModel };
  }
  if (row['analyzer'] !== null) {
    const { definition, isBuilding } = JSON.parse(String(row['analyzer'])) as StoredAnalyzer;
    const index = { kind: 'text' as const, ...identity, analyzer: analyzerOf(definition) };
    return isBuilding ? { ...index, isBuilding } : index;
  }
  const fold = row['fold'] === null ? null : (JSON.parse(String(row['fold'])) as TextFold);
  if (row['part'] !== null) {
    const index = { kind: 'container' as const, ...identity, part: row['part'] as PartName, fold };
    return row['last'] === null ? index : { ...index, isBuilding: true };
  }
  return { kind: 'regular', ...identity, fold };
}

type VectorIndexOptions = Pick<VectorIndex, 'metric' | 'sourceModel'>;

/** The analyzer of a text index as it is stored, in JSON. */
export interface StoredAnalyzer {
  readonly definition: JsonText;
  readonly isBuilding: boolean;
}

/** The service of a column as it is stored, in JSON. */
export interface StoredEmbeddingService {
  readonly service: EmbeddingService;
  readonly isEnabled: boolean;
}

function loadColumn(row: SqlRow, dialect: Dialect): ColumnDefinition {
  const column = { name: columnName(row), type: loadType(String(row['type']), dialect) };
  if (row['service'] === null) return column;
  // `table-statements.ts` wrote it.
  const { service, isEnabled } = JSON.parse(String(row['service'])) as StoredEmbeddingService;
  return { ...column, service: { ...service, isEnabled } };
}

/** Stored as JSON text. */
function columnName(row: SqlRow): string {
  return String(JSON.parse(String(row['name'])));
}

function loadType(name: string, dialect: Dialect) {
  const type = columnTypeOfName(name);
  if (type === undefined) throw new TypeError(`a stored table has a column of the unknown type ${name}`);
  return inDialect(type, dialect);
}
