// Creates tables of a source on a server, inserts their rows, creates their indexes, and compares all rows.
import { type JsonText, stringifyJson } from '../../foundation/json/json-value.js';
import { type DataPort, DataPortProblem, Interrupted, pathOf } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { hasRows, listIndexes, listTables, readPages } from '../tables/read-tables.js';
import {
  creatableDefinition,
  indexCommand,
  indexDifference,
  keyColumns,
} from '../tables/table-definition.js';
import { createCollectionCommand } from './collection-definition.js';
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
import { lineWriter } from './line-writer.js';
import type { MoveReport } from './move-report.js';
import { type PlannedTable, planImport } from './plan-import.js';
import { removeEmpty } from './remove-empty.js';
import { areSameRows, RowChecksum } from './row-checksum.js';
import type { RowSource } from './row-source.js';

export interface ImportRequest {
  readonly source: RowSource;
  /** Undefined for the keyspace of the source. */
  readonly toKeyspace: string | undefined;
  readonly progressPath: string;
  readonly verifies: boolean;
  readonly allowsUnsupported: boolean;
  /** A port to the same server that sends nothing again; see `removeEmpty`. */
  readonly portOnce: DataPort;
  readonly report: MoveReport;
}

/** What an import did not do. */
export interface ImportOutcome {
  /** Sentences about what the API cannot move. */
  readonly leftOut: readonly string[];
  /** How many rows the target refused, and how many tables have other rows than the source. */
  readonly refused: number;
  readonly different: number;
}

/** An index of a large table may take long. */
const indexTimeoutMs = 3_600_000;

/**
 * Imports the tables of a source. After a kill at any time, the same call continues. Rows are inserted before the
 * indexes are created: an index is made faster from all rows at a time than changed by each of them, most of all a
 * vector index. If it fails, the tables that it created and that got no row are removed.
 * @throws ExportProblem, RowFileProblem, DataPortProblem, Interrupted, UnknownColumn, FileNotWritten
 */
export async function importTables(port: DataPort, request: ImportRequest): Promise<ImportOutcome> {
  const { source, progressPath, allowsUnsupported } = request;
  const { tables, title } = source;
  const keyspace = request.toKeyspace ?? source.keyspace;
  const identity = { hash: source.hash, target: `${port.url} ${keyspace}` };
  const progress = readImportProgress(progressPath, identity);
  if (tables.length === 0)
    request.report.line(`${title} has no tables or collections: there is nothing to import`);
  const present = (await hasKeyspace(port, keyspace)) ? await listTables(port, keyspace) : undefined;
  const planned = planImport(tables, present ?? [], { allowsUnsupported, source: title });
  await forgetLostRows(port, keyspace, planned, progress, request);
  for (const { table } of planned) {
    const done = progress.get(table.name);
    if (done === undefined || !source.isDone(table, done)) await source.check(table);
  }

  if (present === undefined) await port.run('', `{"createKeyspace":{"name":${JSON.stringify(keyspace)}}}`);
  const unfinished = new Set<PlannedTable>();
  let different = 0;
  try {
    for (const plan of planned) {
      if (plan.exists) continue;
      await createTable(port, keyspace, plan);
      unfinished.add(plan);
    }
    const run = { port, keyspace, identity, progress, request };
    for (const plan of planned) {
      if (!(await importTable(run, plan))) different += 1;
      unfinished.delete(plan);
    }
  } catch (error) {
    const created = [...unfinished].map(({ table }) => table);
    if (!(error instanceof Interrupted))
      await removeEmpty({ ...request, port: request.portOnce, keyspace }, created);
    throw error;
  }
  removeImportProgress(progressPath);
  const leftOut = [...tables.flatMap((table) => table.leftOut), ...planned.flatMap((plan) => plan.leftOut)];
  return { leftOut, refused: refusedIn(progress), different };
}

/** Rows are inserted again if the table with them is gone now, or if the source cannot continue after them. */
async function forgetLostRows(
  port: DataPort,
  keyspace: string,
  planned: readonly PlannedTable[],
  progress: ImportProgress,
  { source, report }: ImportRequest,
): Promise<void> {
  for (const { table, exists } of planned) {
    const { name } = table;
    const inserted = progress.get(name);
    if (inserted === undefined) continue;
    if (!(await source.isContinuable(table, inserted))) {
      progress.delete(name);
      continue;
    }
    if (exists && (inserted.totals.rows === 0 || (await hasRows(port, keyspace, name)))) continue;
    progress.delete(name);
    if (inserted.totals.rows === 0) continue;
    report.line(`${name}: the rows that were inserted are gone from ${keyspace}.${name}; it starts again`);
  }
}

/** An import that runs. */
interface Run {
  readonly port: DataPort;
  readonly keyspace: string;
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
  const target = await targetTotals(run, plan, rows);
  if (areSameRows(target, inserted.totals)) {
    request.report.finished({ ...totals, verified: true });
    return true;
  }
  request.report.warn(
    `${name}: the rows of ${keyspace}.${name} differ from ${request.source.title}: ` +
      `${target.rows} rows with checksum ${target.checksum}, inserted were ${rows} with ${checksum}`,
  );
  return false;
}

async function insertRows(run: Run, plan: PlannedTable): Promise<InsertedRows> {
  const { port, keyspace, identity, progress, request } = run;
  const { table, columns, hasFewerColumns } = plan;
  const { source, progressPath, report } = request;
  const done = progress.get(table.name) ?? noneInserted;
  if (source.isDone(table, done)) return done;
  const rowsOfSource = source.rowsOf(table);
  return importRows(source.lines(table, done), {
    port,
    kind: table.kind,
    path: pathOf(keyspace, table.name),
    keyColumns: keyColumns(table),
    columns: hasFewerColumns ? new Set(columns.keys()) : undefined,
    isPaged: source.isPaged,
    done,
    save: (inserted) => {
      progress.set(table.name, inserted);
      writeImportProgress(progressPath, identity, progress);
      showProgress(report, `${table.name}: rows`, inserted.lines, rowsOfSource);
    },
    refuse: refusalReporter(report, (line) => source.placeOf(table, line), refusedIn(progress)),
  });
}

/** `total`: undefined if it is not known. */
function showProgress(report: MoveReport, label: string, rows: number, total: number | undefined): void {
  if (total === undefined) report.progress(`${label}: ${rows}`, undefined);
  else report.progress(label, rows / Math.max(1, total));
}

function refusedIn(progress: ImportProgress): number {
  return [...progress.values()].reduce((sum, { refused }) => sum + refused, 0);
}

/** Whether the server has a keyspace. @throws DataPortProblem, Interrupted */
export async function hasKeyspace(port: DataPort, keyspace: string): Promise<boolean> {
  const { status } = await port.run('', '{"findKeyspaces":{}}');
  return elementsOf(status.get('keyspaces')).includes(keyspace);
}

async function createTable(
  port: DataPort,
  keyspace: string,
  { table, columns }: PlannedTable,
): Promise<void> {
  if (table.kind === 'collection') {
    await port.run(pathOf(keyspace), createCollectionCommand(table));
    return;
  }
  const definition = creatableDefinition(table, new Set(columns.keys()));
  await port.run(
    pathOf(keyspace),
    `{"createTable":{"name":${JSON.stringify(table.name)},"definition":${definition},"options":{"ifNotExists":true}}}`,
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
      `{"name":${JSON.stringify(index.name)},"definition":${stringifyJson(index.definition)},` +
      '"options":{"ifNotExists":true}}';
    await port.run(pathOf(keyspace, table.name), `{"${indexCommand(index) ?? ''}":${body}}`, indexTimeoutMs);
  }
}

async function targetTotals(
  { port, keyspace, request }: Run,
  { table, columns }: PlannedTable,
  expected: number,
) {
  const writeRow = lineWriter(table.kind, columns, request.source.format);
  const checksum = new RowChecksum();
  for await (const { rows } of readPages(port, keyspace, table)) {
    for (const row of rows) checksum.add(writeRow(row));
    showProgress(request.report, `${table.name}: comparison`, checksum.totals().rows, expected);
  }
  return checksum.totals();
}
