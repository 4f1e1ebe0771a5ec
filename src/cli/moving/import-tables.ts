// Creates the tables of an export on a server, inserts their rows, creates their indexes, and compares all rows.
import { type JsonText, stringifyJson } from '../../foundation/json/json-value.js';
import { type DataPort, DataPortProblem } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { canonicalRows } from './canonical-row.js';
import { createCollectionCommand, documentLine } from './collection-definition.js';
import {
  type ExportedTable,
  ExportProblem,
  type Manifest,
  readManifest,
  rowsPath,
} from './export-directory.js';
import {
  type ImportIdentity,
  type ImportProgress,
  type InsertedRows,
  noneInserted,
  readImportProgress,
  removeImportProgress,
  writeImportProgress,
} from './import-progress.js';
import { importRows, refusalReporter } from './import-rows.js';
import { type PlannedTable, planImport } from './plan-import.js';
import { hasRows, listIndexes, listTables, readPages } from './read-tables.js';
import { areSameRows, noRows, RowChecksum } from './row-checksum.js';
import { readLines } from './row-file.js';
import type { MoveReport } from './run-move.js';
import { creatableDefinition, indexCommand, indexDifference, keyColumns } from './table-definition.js';

/** What to import. */
export interface ImportRequest {
  readonly directory: string;
  /** Undefined for the keyspace of the export. */
  readonly toKeyspace: string | undefined;
  /** Undefined for all tables. */
  readonly tables: readonly string[] | undefined;
  readonly progressPath: string;
  readonly verifies: boolean;
  readonly allowsUnsupported: boolean;
  readonly report: MoveReport;
}

/** What an import did not do. */
export interface ImportOutcome {
  /** Sentences about what the API cannot move. */
  readonly leftOut: readonly string[];
  /** How many rows the target refused, and how many tables have other rows than the export. */
  readonly refused: number;
  readonly different: number;
}

/** An index of a large table may take long. */
const indexTimeoutMs = 3_600_000;

/**
 * Imports tables. After a kill at any time, the same call continues. Rows are inserted before the indexes are created:
 * an index is made faster from all rows at a time than changed by each of them, most of all a vector index.
 * @throws ExportProblem, RowFileProblem, DataPortProblem, Interrupted, UnknownColumn, FileNotWritten
 */
export async function importTables(port: DataPort, request: ImportRequest): Promise<ImportOutcome> {
  const { directory, progressPath, allowsUnsupported } = request;
  const found = readManifest(directory);
  if (found === undefined) throw new ExportProblem(`${directory} has no manifest.json: it is not an export`);
  const { manifest, hash } = found;
  if (!manifest.isComplete)
    throw new ExportProblem(`the export in ${directory} is not complete: run colonnade export again`);
  const tables = chosenTables(manifest, request.tables);
  const keyspace = request.toKeyspace ?? manifest.keyspace;
  const identity = { hash, target: `${port.url} ${keyspace}` };
  const progress = readImportProgress(progressPath, identity);
  const present = (await hasKeyspace(port, keyspace)) ? await listTables(port, keyspace) : undefined;
  const planned = planImport(tables, present ?? [], allowsUnsupported);
  await forgetLostRows(port, keyspace, planned, progress, request);
  for (const { table } of planned) await checkFile(directory, manifest, table, progress);

  if (present === undefined) await port.run('', `{"createKeyspace":{"name":"${keyspace}"}}`);
  for (const plan of planned) if (!plan.exists) await createTable(port, keyspace, plan);
  const run = { port, keyspace, manifest, identity, progress, request };
  let different = 0;
  for (const plan of planned) if (!(await importTable(run, plan))) different += 1;
  removeImportProgress(progressPath);
  const leftOut = [...tables.flatMap((table) => table.leftOut), ...planned.flatMap((plan) => plan.leftOut)];
  return { leftOut, refused: refusedIn(progress), different };
}

/** Rows that were inserted into a table that is gone now are inserted again. */
async function forgetLostRows(
  port: DataPort,
  keyspace: string,
  planned: readonly PlannedTable[],
  progress: ImportProgress,
  { report }: ImportRequest,
): Promise<void> {
  for (const { table, exists } of planned) {
    const { name } = table;
    const inserted = progress.get(name);
    if (inserted === undefined || inserted.totals.rows === 0) continue;
    if (exists && (await hasRows(port, keyspace, name))) continue;
    progress.delete(name);
    report.line(`${name}: the rows that were inserted are gone from ${keyspace}.${name}; it starts again`);
  }
}

/** An import that runs. */
interface Run {
  readonly port: DataPort;
  readonly keyspace: string;
  readonly manifest: Manifest;
  readonly identity: ImportIdentity;
  readonly progress: ImportProgress;
  readonly request: ImportRequest;
}

/** Returns whether the target has the rows that were inserted. */
async function importTable(run: Run, plan: PlannedTable): Promise<boolean> {
  const { port, keyspace, request } = run;
  const { name } = plan.table;
  const inserted = await insertRows(run, plan);
  await createIndexes(port, keyspace, plan);
  const { rows, checksum } = inserted.totals;
  const { refused } = inserted;
  const totals = { name, kind: plan.table.kind, rows, checksum, refused };
  if (!request.verifies) {
    request.report.finished({ ...totals, verified: false });
    return true;
  }
  const target = await targetTotals(run, plan);
  if (areSameRows(target, inserted.totals)) {
    request.report.finished({ ...totals, verified: true });
    return true;
  }
  request.report.warn(
    `${name}: the rows of ${keyspace}.${name} differ from the export: ` +
      `${target.rows} rows with checksum ${target.checksum}, inserted were ${rows} with ${checksum}`,
  );
  return false;
}

async function insertRows(run: Run, plan: PlannedTable): Promise<InsertedRows> {
  const { port, keyspace, manifest, identity, progress, request } = run;
  const { table, columns, hasFewerColumns } = plan;
  const { directory, progressPath, report } = request;
  const done = progress.get(table.name) ?? noneInserted;
  if (done.lines === table.totals?.rows) return done;
  return importRows(readLines(rowsPath(directory, table), manifest.isCompressed, done.lines), {
    port,
    kind: table.kind,
    path: `/${keyspace}/${table.name}`,
    keyColumns: keyColumns(table),
    columns: hasFewerColumns ? new Set(columns.keys()) : undefined,
    done,
    save: (inserted) => {
      progress.set(table.name, inserted);
      writeImportProgress(progressPath, identity, progress);
      report.progress(`${table.name}: rows`, inserted.lines / Math.max(1, table.totals?.rows ?? 1));
    },
    refuse: refusalReporter(report, table.file, refusedIn(progress)),
  });
}

function refusedIn(progress: ImportProgress): number {
  return [...progress.values()].reduce((sum, { refused }) => sum + refused, 0);
}

function chosenTables({ tables }: Manifest, names: readonly string[] | undefined): readonly ExportedTable[] {
  const missing = names?.find((name) => !tables.some((table) => table.name === name));
  if (missing === undefined) return tables.filter(({ name }) => names?.includes(name) ?? true);
  const present = tables.map(({ name }) => name).join(', ');
  throw new ExportProblem(`the export has no table ${missing}; its tables are: ${present}`);
}

/** Whether the server has a keyspace. @throws DataPortProblem, Interrupted */
export async function hasKeyspace(port: DataPort, keyspace: string): Promise<boolean> {
  const { status } = await port.run('', '{"findKeyspaces":{}}');
  return elementsOf(status.get('keyspaces')).includes(keyspace);
}

/** Reads a file whose rows are not all inserted, so that nothing of a damaged file is inserted. */
async function checkFile(
  directory: string,
  { isCompressed }: Manifest,
  table: ExportedTable,
  progress: ImportProgress,
): Promise<void> {
  const totals = table.totals ?? noRows;
  if (progress.get(table.name)?.lines === totals.rows) return;
  const checksum = new RowChecksum();
  const path = rowsPath(directory, table);
  for await (const { text } of readLines(path, isCompressed)) checksum.add(text);
  const found = checksum.totals();
  if (areSameRows(found, totals)) return;
  throw new ExportProblem(
    `${path} is damaged: it has ${found.rows} rows with checksum ${found.checksum}, ` +
      `the manifest names ${totals.rows} with ${totals.checksum}`,
  );
}

async function createTable(
  port: DataPort,
  keyspace: string,
  { table, columns }: PlannedTable,
): Promise<void> {
  if (table.kind === 'collection') {
    await port.run(`/${keyspace}`, createCollectionCommand(table));
    return;
  }
  const definition = creatableDefinition(table, new Set(columns.keys()));
  await port.run(
    `/${keyspace}`,
    `{"createTable":{"name":"${table.name}","definition":${definition},"options":{"ifNotExists":true}}}`,
  );
}

async function createIndexes(port: DataPort, keyspace: string, plan: PlannedTable): Promise<void> {
  const { table, indexes } = plan;
  if (indexes.length === 0) return;
  const present = await listIndexes(port, keyspace, table.name);
  for (const index of indexes) {
    const other = present.find(({ name }) => name === index.name);
    if (other !== undefined) {
      const difference = indexDifference(index, other);
      if (difference === undefined) continue;
      throw new DataPortProblem(`${keyspace}.${table.name}: ${difference}`);
    }
    const body: JsonText =
      `{"name":"${index.name}","definition":${stringifyJson(index.definition)},` +
      '"options":{"ifNotExists":true}}';
    await port.run(`/${keyspace}/${table.name}`, `{"${indexCommand(index) ?? ''}":${body}}`, indexTimeoutMs);
  }
}

async function targetTotals({ port, keyspace, request }: Run, { table, columns }: PlannedTable) {
  const writeRow = table.kind === 'collection' ? documentLine : canonicalRows(columns);
  const checksum = new RowChecksum();
  for await (const { rows } of readPages(port, keyspace, table)) {
    for (const row of rows) checksum.add(writeRow(row));
    const share = checksum.totals().rows / Math.max(1, table.totals?.rows ?? 1);
    request.report.progress(`${table.name}: comparison`, share);
  }
  return checksum.totals();
}
