// Creates tables of a source on a server, inserts their rows, creates their indexes, and compares all rows.
import { type DataPort, pathOf } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem, Interrupted, ServerUnusable } from '../port-problems.js';
import { hasRows, listTables, readPages } from '../tables/read-tables.js';
import { keyColumns } from '../tables/table-definition.js';
import { createIndexes, createOnTarget, type Target } from './create-on-target.js';
import { ExportProblem } from './export-directory.js';
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
import type { MoveReport } from './move-report.js';
import type { MovedTable } from './moved-table.js';
import { hasTablesOf, pageOnTarget, targetPagesOf } from './page-place.js';
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
  /** Sentences about what the API cannot move and what the target cannot hold. */
  readonly leftOut: readonly string[];
  /** The names of the tables whose move failed; the same call continues with them. */
  readonly failed: readonly string[];
  /** How many rows the target refused, and how many tables have other rows than the source. */
  readonly refused: number;
  readonly different: number;
}

/**
 * Imports the tables of a source. After a kill at any time, the same call continues. Rows are inserted before the
 * indexes are created: an index is made faster from all rows at a time than changed by each of them, most of all a
 * vector index. A table that fails does not end the others. Tables that this call created and that failed without a
 * row are removed.
 * @throws ExportProblem, RowFileProblem, DataPortProblem, Interrupted, UnknownColumn, FileNotWritten
 */
export async function importTables(port: DataPort, request: ImportRequest): Promise<ImportOutcome> {
  const { source, progressPath, allowsUnsupported } = request;
  const { tables, title } = source;
  const keyspace = request.toKeyspace ?? source.keyspace;
  if (tables.length === 0)
    request.report.line(`${title} has no tables or collections: there is nothing to import`);
  const present = (await hasKeyspace(port, keyspace)) ? await listTables(port, keyspace) : undefined;
  const { hash, server } = source;
  const identity = { hash, target: `${port.url} ${keyspace}`, source: server?.url };
  const progress = await readImportProgress(progressPath, identity, {
    isTarget: (done) => hasTablesOf(port, keyspace, present ?? [], targetPagesOf(done)),
    ...(server === undefined ? {} : { isSource: server.isSame }),
  });
  const planned = planImport(tables, present ?? [], { allowsUnsupported, source: title });
  await forgetLostRows(port, keyspace, planned, progress, request);
  for (const { table, exists } of planned)
    if (exists && table.keepsOptions === true && !progress.has(table.name))
      request.report.line(`${table.name} exists on the target and keeps its options`);
  for (const { table } of planned) {
    const done = progress.get(table.name);
    if (done === undefined || !source.isDone(table, done)) await source.check(table);
  }

  if (present === undefined) await port.run('', `{"createKeyspace":{"name":${JSON.stringify(keyspace)}}}`);
  const created = new Map<string, MovedTable>();
  const removeCreated = () =>
    removeEmpty({ ...request, port: request.portOnce, keyspace }, [...created.values()]);
  const run = { port, keyspace, identity, progress, request };
  let moved: MovedTables;
  try {
    const { held, refused } = await createOnTarget(run, planned, ({ table }) =>
      created.set(table.name, table),
    );
    if (refused.length > 0 && !allowsUnsupported) throw new ExportProblem(refusalText(refused));
    const { leftOut, ...ends } = await moveEach(run, held, ({ table }) => created.delete(table.name));
    moved = { ...ends, leftOut: [...refused, ...leftOut] };
  } catch (error) {
    if (!(error instanceof Interrupted)) await removeCreated();
    throw error;
  }
  if (moved.failed.length === 0) removeImportProgress(progressPath);
  else await removeCreated();
  const leftOut = [...tables, ...planned].flatMap((table) => table.leftOut);
  return { ...moved, leftOut: [...leftOut, ...moved.leftOut], refused: refusedIn(progress) };
}

function refusalText(refused: readonly string[]): string {
  return [
    'no row is imported:',
    ...refused,
    'Import into a server that can hold them, choose others with --tables, or leave them out with --allow-unsupported',
  ].join('\n  ');
}

type MovedTables = Omit<ImportOutcome, 'refused'>;

/** Moves tables one after another; `noteDone` gets each that is moved. */
async function moveEach(
  run: Run,
  tables: readonly PlannedTable[],
  noteDone: (plan: PlannedTable) => void,
): Promise<MovedTables> {
  const leftOut: string[] = [];
  const failed: string[] = [];
  let different = 0;
  for (const plan of tables) {
    const { name } = plan.table;
    try {
      const moved = await importTable(run, plan);
      leftOut.push(...moved.leftOut);
      if (!moved.isSame) different += 1;
      noteDone(plan);
    } catch (error) {
      if (!isOfOneTable(error)) throw error;
      run.request.report.warn(`${name}: ${error.message}`);
      failed.push(name);
    }
  }
  return { leftOut, failed, different };
}

/** Whether the next table can be moved nevertheless. */
function isOfOneTable(error: unknown): error is Error {
  if (error instanceof ServerUnusable) return false;
  return error instanceof DataPortProblem || error instanceof ExportProblem;
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
interface Run extends Target {
  readonly identity: ImportIdentity;
  readonly progress: ImportProgress;
  readonly request: ImportRequest;
}

/** Moves a table; the result says whether the target has the rows that were inserted, and which indexes it refused. */
async function importTable(
  run: Run,
  plan: PlannedTable,
): Promise<{ readonly isSame: boolean; readonly leftOut: readonly string[] }> {
  const { keyspace, request } = run;
  const { name } = plan.table;
  const inserted = await insertRows(run, plan);
  const leftOut = await createIndexes(run, plan);
  if (leftOut.length > 0 && !request.allowsUnsupported) throw new ExportProblem(leftOut.join('\n  '));
  const { rows, checksum } = inserted.totals;
  const { refused } = inserted;
  const totals = { name, kind: plan.table.kind, rows, checksum, refused };
  const target = request.verifies ? await targetTotals(run, plan, rows) : undefined;
  if (target === undefined || areSameRows(target, inserted.totals)) {
    request.report.finished({ ...totals, verified: target !== undefined });
    return { isSame: true, leftOut };
  }
  request.report.warn(
    `${name}: the rows of ${keyspace}.${name} differ from ${request.source.title}: ` +
      `${target.rows} rows with checksum ${target.checksum}, inserted were ${rows} with ${checksum}`,
  );
  return { isSame: false, leftOut };
}

async function insertRows(run: Run, plan: PlannedTable): Promise<InsertedRows> {
  const { port, keyspace, identity, progress, request } = run;
  const { table, columns, hasFewerColumns } = plan;
  const { source, progressPath, report } = request;
  const done = progress.get(table.name) ?? noneInserted;
  if (source.isDone(table, done)) return done;
  const rowsOfSource = source.rowsOf(table);
  let { targetPage } = done;
  return importRows(source.lines(table, done), {
    port,
    kind: table.kind,
    path: pathOf(keyspace, table.name),
    keyColumns: keyColumns(table),
    columns: hasFewerColumns ? new Set(columns.keys()) : undefined,
    isPaged: source.isPaged,
    done,
    save: async (inserted) => {
      targetPage ??= await pageOnTarget(request.portOnce, keyspace, table);
      progress.set(table.name, { ...inserted, targetPage });
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

async function targetTotals(
  { port, keyspace, request }: Run,
  { table, columns }: PlannedTable,
  expected: number,
) {
  const writeRow = request.source.writerOf(table, columns);
  const checksum = new RowChecksum();
  for await (const { rows } of readPages(port, keyspace, table)) {
    for (const row of rows) checksum.add(writeRow(row));
    showProgress(request.report, `${table.name}: comparison`, checksum.totals().rows, expected);
  }
  return checksum.totals();
}
