// Checks a data file without changing it: that of a stopped server, of a running one, or of a backup.
import { statSync } from 'node:fs';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { StorageFindings } from '../../../../foundation/sqlite/stored-database.js';
import { isCollection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import { entriesOf } from '../file/engine-state.js';
import { openForReading } from '../file/open-for-reading.js';
import { loadSchema, schemaVersion } from '../file/schema-store.js';
import { sqlMembers, sqlPostings, sqlTable } from '../file/sql-names.js';
import { wrongMembersText } from '../statements/member-statements.js';
import { textBuild } from '../statements/text-statements.js';
import { checkRows } from './check-rows.js';
import { type Checker, startChecker } from './checker.js';

const cacheSizeBytes = 4 * 1024 * 1024;

/**
 * Checks the structure of every table and index in the file, the values of all rows, and that indexes on members and
 * the index entries of documents have what the rows have. `onProgress` gets the share that is done, 0 to 1. Undefined
 * if it was stopped.
 * @throws DatabaseFailure or EngineError if the file cannot be read at all
 */
export async function checkDataFile(
  path: string,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<StorageFindings | undefined> {
  const database = openForReading(path, cacheSizeBytes);
  try {
    const version = Number(database.statement('PRAGMA user_version').get()?.['user_version']);
    if (version !== schemaVersion)
      return { tables: 0, collections: 0, rows: 0, problems: [`${path}: ${problemOfVersion(version)}`] };
    const cut = problemOfSize(database, path);
    const checker = await startChecker({ path }, signal);
    if (checker === undefined) return undefined;
    try {
      const found = await checkTables(database, checker, onProgress);
      return found && { ...found, problems: [...cut, ...found.problems] };
    } finally {
      await checker.close();
    }
  } finally {
    database.close();
  }
}

function problemOfVersion(version: number): string {
  const isLater = version > schemaVersion;
  return (
    `it was written by ${isLater ? 'a later' : 'an earlier'} release (version ${version}, this release has ` +
    `${schemaVersion}): ${isLater ? 'check it with that release' : 'start a server on it first, which migrates it'}`
  );
}

/** SQLite reads the missing end of a truncated page as zeros. */
function problemOfSize(database: Database, path: string): readonly string[] {
  const pageBytes = Number(database.statement('PRAGMA page_size').get()?.['page_size']);
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return hasLog || statSync(path).size % pageBytes === 0 ? [] : [`${path} lacks its end`];
}

async function checkTables(
  database: Database,
  checker: Checker,
  onProgress: (share: number) => void,
): Promise<StorageFindings | undefined> {
  const schema = loadSchema(database, 'extended');
  const tables = [...schema.keyspaces.values()].flatMap((keyspace) => [...keyspace.tables.values()]);
  const names = namesInFile(database);
  const problems: string[] = [];
  const structureShare = 0.5;
  for (const [at, name] of names.entries()) {
    onProgress((structureShare * at) / names.length);
    const structure = await checker.ask({ kind: 'structure', table: name });
    if (structure === undefined) return undefined;
    const number = name.split('_')[0]?.slice(1);
    const owner = tables.find(
      (table) => number === String(table.id) || number === String(entriesOf(table)?.id),
    );
    const title = owner === undefined ? 'the schema' : `${owner.keyspace}.${owner.name}`;
    problems.push(...structure.problems.map((problem) => `${title}: ${problem}`));
  }
  let rows = 0;
  for (const [at, table] of tables.entries()) {
    const last = lastRow(database, table);
    const checked = await checkTable(table, checker, (row) => {
      const share = (at + Math.min(1, row / Math.max(1, last))) / tables.length;
      onProgress(structureShare + (1 - structureShare) * share);
    });
    if (checked === undefined) return undefined;
    rows += checked.rows;
    problems.push(...checked.problems.map((problem) => `${table.keyspace}.${table.name}: ${problem}`));
  }
  const collections = tables.filter(({ collection }) => collection !== undefined).length;
  return { tables: tables.length - collections, collections, rows, problems };
}

async function checkTable(table: Table, checker: Checker, onStep: (lastRow: number) => void) {
  const checked = await checkRows(table, checker, onStep);
  if (checked === undefined) return undefined;
  const problems = [...checked.problems];
  for (const index of table.indexes) {
    if ((index.kind !== 'container' && index.kind !== 'text') || index.isBuilding === true) continue;
    const isText = index.kind === 'text';
    const wrong = await checker.ask(
      isText
        ? { kind: 'postings', postings: textBuild(table, index) }
        : { kind: 'none', query: wrongMembersText(table, index) },
    );
    if (wrong === undefined) return undefined;
    if (wrong.problems.length > 0) {
      const name = (isText ? sqlPostings : sqlMembers)(table, index);
      const where = isText ? `${name}: ${wrong.problems[0]}` : name;
      problems.push(`the index ${index.name} differs from the rows (${where}): run the action repair`);
    }
  }
  if (isCollection(table)) {
    const entries = await checker.ask({ kind: 'entries', id: table.id });
    if (entries === undefined) return undefined;
    problems.push(...(entries.damaged ?? []));
    if (entries.problems.length > 0)
      problems.push(
        `its index entries differ from the documents (${entries.problems[0]}): run the action repair`,
      );
  }
  return { rows: checked.rows, problems };
}

/** Tables of every kind in the file, which integrity_check takes by name. */
function namesInFile(database: Database): readonly string[] {
  const rows = database.statement("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
}

function lastRow(database: Database, table: Table): number {
  try {
    const row = database.statement(`SELECT max(row_id) AS last FROM ${sqlTable(table)}`).get();
    return Number(row?.['last'] ?? 0);
  } catch {
    return 0; // damage, which the check reports
  }
}
