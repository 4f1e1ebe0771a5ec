// Finds what is in a data file and not in its schema: triggers, indexes, tables and views of other programs.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import {
  type DatabaseObject,
  objectsIn,
  objectsOf,
  unknownObjects,
} from '../../../../foundation/sqlite/unknown-objects.js';
import type { Table } from '../../../schema/table.js';
import { openForReading } from '../file/open-for-reading.js';
import { loadNextTableId, loadSchema, schemaStatements, schemaVersion } from '../file/schema-store.js';
import { entriesId, sqlTable } from '../file/sql-names.js';
import { dataOfIndex } from '../statements/index-statements.js';
import { createRowsStatements } from '../statements/table-statements.js';

const createPattern = /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (?:IF NOT EXISTS )?(\w+)(?:.*? ON (\w+))?/;

/** Sentences about each of them, and about what is missing. @throws DatabaseFailure, TypeError for a damaged schema */
export function unknownInDataFile(database: Database): readonly string[] {
  const { keyspaces } = loadSchema(database, 'extended');
  const tables = [...keyspaces.values()].flatMap((keyspace) => [...keyspace.tables.values()]);
  const expected = [...objectsOf(schemaStatements), ...tables.flatMap(objectsOfTable)];
  const titles = new Map(tables.map((table) => [sqlTable(table), `${table.keyspace}.${table.name}`]));
  const found = withoutLeftovers(objectsIn(database), tables, loadNextTableId(database));
  return unknownObjects(found, expected, (name) => titles.get(name) ?? null);
}

/**
 * What a data file has that this release must not open as it is: sentences for users. It is that of a stopped server or
 * of a backup.
 * @throws DatabaseFailure, TypeError for a damaged schema
 */
export function refusedInDataFile(path: string): readonly string[] {
  const database = openForReading(path, 1024 * 1024);
  try {
    const version = Number(database.statement('PRAGMA user_version').get()?.['user_version']);
    // The start of a server migrates an earlier version, and looks again.
    return version === schemaVersion ? unknownInDataFile(database) : [];
  } finally {
    database.close();
  }
}

function objectsOfTable(table: Table): readonly DatabaseObject[] {
  const ofIndexes = table.indexes.flatMap((index) => dataOfIndex(table, index));
  return [...createRowsStatements(table), ...ofIndexes].flatMap(({ sql }) => {
    const [, type, name, on] = createPattern.exec(sql) ?? [];
    if (type === undefined || name === undefined) return [];
    const kind = type.toLowerCase();
    return [{ type: kind, name, table: kind === 'table' ? name : (on ?? ''), sql }];
  });
}

/** Without tables of dropped tables and indexes, which are removed in the background, and their indexes. */
function withoutLeftovers(
  objects: readonly DatabaseObject[],
  tables: readonly Table[],
  nextId: number,
): readonly DatabaseObject[] {
  const ids = new Set(tables.map(({ id }) => id));
  const entries = new Set(tables.map(entriesId));
  const indexes = new Set(tables.flatMap(({ id, indexes }) => indexes.map((index) => `${id}_${index.id}`)));
  const isLeftover = (name: string) => {
    const [, letter = '', id = '', index] = /^([a-z])(\d+)(?:_(\d+))?$/.exec(name) ?? [];
    if (letter === '' || Number(id) >= nextId) return false;
    if (index !== undefined) return 'mprsvx'.includes(letter) && !indexes.has(`${id}_${index}`);
    if ('tg'.includes(letter)) return !ids.has(Number(id));
    return 'den'.includes(letter) && !entries.has(Number(id));
  };
  return objects.filter(({ type, table }) => type === 'trigger' || !isLeftover(table));
}
