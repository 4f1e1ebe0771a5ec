// Inserts the rows of a CSV or JSON file into a table or collection of a running server.
import { columnMarks } from '../../../files/column-marks.js';
import { conversionsText, type ValueForm } from '../../../files/extended-json.js';
import {
  type ExistingTarget,
  type FilePlan,
  type FileTarget,
  planFile,
  typesOf,
} from '../../../files/plan-file.js';
import { fileLines, idsLine, keyLine, typeLines } from '../../../files/plan-text.js';
import { isJsonObject, type JsonText } from '../../../foundation/json/json-value.js';
import { type DataPort, pathOf } from '../../data-port.js';
import { Interrupted } from '../../port-problems.js';
import { hasRows, listTables, readPages } from '../../tables/read-tables.js';
import { columnsOf, keyColumns, type TableDefinition, textAt } from '../../tables/table-definition.js';
import {
  type ImportProgress,
  type InsertedRows,
  noneInserted,
  readImportProgress,
  removeImportProgress,
  writeImportProgress,
} from '../import-progress.js';
import { importRows, refusalReporter, TooManyRefused } from '../import-rows.js';
import { hasKeyspace } from '../import-tables.js';
import type { MoveReport } from '../move-report.js';
import { hasTablesOf, pageOnTarget, targetPagesOf } from '../page-place.js';
import { removeEmpty } from '../remove-empty.js';
import { type FileRows, fileRows, hashOfRows } from './file-rows.js';
import { FileChanged, type InspectedFile, inspectFile, type SourceFile } from './source-file.js';

export interface FileImport {
  readonly file: SourceFile;
  readonly target: FileTarget;
  readonly keyspace: string;
  readonly progressPath: string;
  /** Whether the rows of the target are counted. */
  readonly verifies: boolean;
  /** A port to the same server that sends nothing again; see `removeEmpty`. */
  readonly portOnce: DataPort;
  readonly report: MoveReport;
}

/** What came of it. */
export interface FileOutcome {
  readonly refused: number;
  /** Rows that have the key of another row of the file, and so replaced it. */
  readonly replaced: number;
}

/**
 * Imports a file; the same call continues after a kill. Types are guessed from the whole file; those of an existing
 * table are not guessed. A table or collection that it created is removed if no row of the file could be stored.
 * @throws FileProblem, ExportProblem, RowFileProblem, DataPortProblem, Interrupted, FileNotWritten
 */
export async function importFile(port: DataPort, request: FileImport): Promise<FileOutcome> {
  const { target, keyspace, progressPath, report } = request;
  const { name, kind } = target;
  const file = await inspectFile(request.file, formOf(target));
  const hasSpace = await hasKeyspace(port, keyspace);
  const present = hasSpace ? await listTables(port, keyspace) : [];
  const found = present.find((table) => table.name === name);
  const existing = found === undefined ? undefined : existingTarget(found);
  const plan = planFile(file, target, existing);
  const written = writtenRows(plan, target, existing);
  const identity = { hash: hashOfRows(file, written), target: `${port.url} ${keyspace}.${name}` };
  const progress = await readImportProgress(progressPath, identity, {
    // The file may have been imported into another table of the same server.
    isTarget: async (done) => done.has(name) && hasTablesOf(port, keyspace, present, targetPagesOf(done)),
  });
  const isContinued =
    progress.has(name) && plan.definition === undefined && (await hasRows(port, keyspace, name));
  if (!isContinued) progress.delete(name);
  reportPlan(request, file, plan);
  if (plan.definition !== undefined) {
    if (!hasSpace) await port.run('', `{"createKeyspace":{"name":${JSON.stringify(keyspace)}}}`);
    await port.run(pathOf(keyspace), createCommand(target, plan.definition));
  }
  let targetPage = progress.get(name)?.targetPage;
  const save = async (rows: InsertedRows) => {
    targetPage ??= await pageOnTarget(request.portOnce, keyspace, target);
    progress.set(name, { ...rows, targetPage });
    writeImportProgress(progressPath, identity, progress);
  };
  const removeCreated = async () => {
    if (plan.definition === undefined) return;
    removeImportProgress(progressPath);
    await removeEmpty({ port: request.portOnce, keyspace, report }, [target]);
  };
  let replaced = 0;
  const noteReplaced = () => {
    replaced += 1;
  };
  const run = { file, plan, written, progress, save, noteReplaced };
  const inserted = await insertRows(port, request, run).catch(async (error) => {
    const isEmpty = (progress.get(name)?.totals.rows ?? 0) === 0;
    if (isEmpty && !(error instanceof Interrupted)) await removeCreated();
    // An import of these rows cannot continue: the next one begins with the first row.
    if (error instanceof FileChanged || error instanceof TooManyRefused) removeImportProgress(progressPath);
    throw error;
  });
  const { rows, checksum } = inserted.totals;
  const rowsOfTarget = request.verifies ? await countRows(port, keyspace, target, plan) : undefined;
  const counted = rowsOfTarget === undefined ? {} : { rowsOfTarget };
  report.finished({ name, kind, rows, checksum, refused: inserted.refused, ...counted });
  removeImportProgress(progressPath);
  if (rows === 0 && inserted.refused > 0) await removeCreated();
  return { refused: inserted.refused, replaced: Math.max(replaced, rows - (rowsOfTarget ?? rows)) };
}

function writtenRows(plan: FilePlan, { kind, idFrom }: FileTarget, existing?: ExistingTarget): FileRows {
  const types = kind === 'table' ? (existing?.columns ?? new Map()) : new Map();
  return { ...plan, isCollection: kind === 'collection', idFrom, types };
}

function reportPlan({ target, report }: FileImport, file: InspectedFile, plan: FilePlan): void {
  if (file.format === 'csv') for (const line of fileLines(file, plan.notes)) report.line(line);
  // The table says which types its columns have.
  const isGuessed = plan.definition !== undefined || target.kind === 'collection';
  if (isGuessed) for (const line of typeLines(file, typesOf(file, target))) report.line(line);
  if (file.rows === 0) report.warn(`warning: ${file.name} has no rows: nothing is imported`);
  for (const line of aboutFile(file, target, plan)) report.line(line);
}

/** The command may be sent again after a lost reply, so a table of that name is not refused. */
function createCommand({ kind, name }: FileTarget, definition: JsonText): JsonText {
  const named = `"name":${JSON.stringify(name)}`;
  return kind === 'collection'
    ? `{"createCollection":{${named}}}`
    : `{"createTable":{${named},"definition":${definition},"options":{"ifNotExists":true}}}`;
}

function existingTarget(table: TableDefinition): ExistingTarget {
  return {
    kind: table.kind,
    columns: new Map(
      columnsOf(table).map(({ name, definition }) => [
        name,
        isJsonObject(definition) ? textAt(definition, 'type') : '',
      ]),
    ),
    keyColumns: keyColumns(table),
  };
}

interface Run {
  readonly file: InspectedFile;
  readonly plan: FilePlan;
  readonly written: FileRows;
  readonly progress: ImportProgress;
  readonly save: (rows: InsertedRows) => Promise<void>;
  readonly noteReplaced: () => void;
}

function insertRows(
  port: DataPort,
  { target, keyspace, report }: FileImport,
  { file, plan, written, progress, save, noteReplaced }: Run,
): Promise<InsertedRows> {
  const { name, kind } = target;
  const done = progress.get(name) ?? noneInserted;
  return importRows(fileRows(file, written, done.lines, noteReplaced), {
    port,
    kind,
    path: pathOf(keyspace, name),
    keyColumns: plan.keyColumns,
    columns: undefined,
    isPaged: false,
    done,
    noteReplaced,
    save: async (inserted) => {
      await save(inserted);
      report.progress(`${name}: rows`, inserted.lines / Math.max(1, file.rows));
    },
    refuse: refusalReporter(report, (line) => `${file.name} line ${line.number}`, done.refused),
  });
}

async function countRows(
  port: DataPort,
  keyspace: string,
  { name, kind }: FileTarget,
  { keyColumns }: FilePlan,
): Promise<number> {
  let count = 0;
  const columns = kind === 'table' ? keyColumns : [];
  for await (const { rows } of readPages(port, keyspace, { name, kind }, null, columns)) count += rows.length;
  return count;
}

/** Shows the guess of a file, whose target may exist. @throws FileProblem, RowFileProblem */
export async function showGuess(source: SourceFile, target: FileTarget, report: MoveReport): Promise<object> {
  const file = await inspectFile(source, formOf(target));
  const types = typesOf(file, target);
  const { notes } = columnMarks(file, types, target.kind);
  const described = [...fileLines(file, notes), ...typeLines(file, types)];
  for (const line of [...described, ...aboutFile(file, target, undefined)]) report.line(line);
  return {
    rows: file.rows,
    columns: [...types].map(([name, type]) => ({ name, type, empty: file.columns.get(name)?.empty ?? 0 })),
    ...(file.format === 'csv' ? { dialect: file.dialect, notes: [...file.notes, ...notes] } : {}),
  };
}

function formOf({ kind }: FileTarget): ValueForm {
  return kind === 'table' ? 'row' : 'document';
}

/** What the import will do with the rows that the target has, and with values that it converts. */
function aboutFile(file: InspectedFile, target: FileTarget, plan: FilePlan | undefined): readonly string[] {
  const converted = conversionsText(file.conversions);
  return [
    ...(converted === undefined ? [] : [`extended JSON is converted: ${converted}`]),
    ...(target.kind === 'collection' ? [aboutIds(file, target)] : plan === undefined ? [] : [keyLine(plan)]),
  ];
}

function aboutIds(file: InspectedFile, target: FileTarget): string {
  return `${idsLine(file, target)}; a document whose id exists is replaced`;
}
