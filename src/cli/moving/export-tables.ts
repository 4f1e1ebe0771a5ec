// Writes tables of a keyspace to a directory; continues where a previous run ended.
import type { DataPort } from '../data-port.js';
import { DataPortProblem, ServerUnusable } from '../port-problems.js';
import { readDefinitions, readPages } from '../tables/read-tables.js';
import { differencesOf, type TableDefinition } from '../tables/table-definition.js';
import { collectionDifferences } from './collection-definition.js';
import { expectRows } from './expected-rows.js';
import {
  type ExportedTable,
  ExportProblem,
  type Manifest,
  prepareDirectory,
  readManifest,
  readProgress,
  removeProgress,
  rowsPath,
  type TableProgress,
  writeManifest,
  writeProgress,
} from './export-directory.js';
import { columnDefinitions, lineWriter } from './line-writer.js';
import { failedText, type MoveReport } from './move-report.js';
import { movedTable } from './moved-table.js';
import { hasTablesOf, isContinuable, pageStatesOf } from './page-place.js';
import { noRows, RowChecksum } from './row-checksum.js';
import { openRowWriter } from './row-file.js';
import { newestFormat } from './row-format.js';

export interface ExportRequest {
  readonly directory: string;
  readonly keyspace: string;
  /** Undefined for all tables. */
  readonly tables: readonly string[] | undefined;
  readonly isCompressed: boolean;
  readonly madeBy: string;
  /** RFC 3339. */
  readonly now: string;
  readonly report: Pick<MoveReport, 'line' | 'warn' | 'finished' | 'progress' | 'showsProgress'>;
}

/** Characters of rows that are written at a time. The rows of a page more are in memory. */
const pieceLength = 1024 * 1024;

/**
 * Exports the tables and returns the sentences about what is left out. A table that fails does not end the others.
 * After a kill at any time, or if a table failed, the same call continues.
 * @throws ExportProblem, RowFileProblem, DataPortProblem, Interrupted, UnknownColumn, FileNotWritten
 */
export async function exportTables(port: DataPort, request: ExportRequest): Promise<readonly string[]> {
  const { directory, report } = request;
  prepareDirectory(directory);
  const manifest = await beginOrContinue(port, request);
  const progress = readProgress(directory);
  if (manifest.tables.length === 0)
    report.line(`the keyspace ${request.keyspace} has no tables or collections: the export is empty`);
  const tables: ExportedTable[] = [];
  const failed: string[] = [];
  for (const table of manifest.tables) {
    if (table.isWhollyLeftOut) {
      tables.push(table);
      continue;
    }
    try {
      await exportRows(port, request, manifest, table, progress);
    } catch (error) {
      if (!(error instanceof DataPortProblem) || error instanceof ServerUnusable) throw error;
      report.warn(error.message);
      failed.push(table.name);
      continue;
    }
    const totals = progress.get(table.name)?.totals ?? noRows;
    report.finished({ name: table.name, kind: table.kind, ...totals });
    tables.push({ ...table, totals });
  }
  if (failed.length > 0) throw new ExportProblem(failedText(failed));
  writeManifest(directory, { ...manifest, tables, isComplete: true });
  removeProgress(directory);
  return tables.flatMap(({ leftOut }) => leftOut);
}

/**
 * The manifest of the directory, if it fits the request and the tables did not change; else a new one. An export that
 * an earlier version began continues in the format of its manifest.
 */
async function beginOrContinue(port: DataPort, request: ExportRequest): Promise<Manifest> {
  const { directory, keyspace, tables: names, isCompressed, madeBy, now } = request;
  const definitions = await readDefinitions(port, keyspace, names);
  const source = new URL(port.url).origin;
  const tables = definitions.map((table, at) => describeTable(table, at, isCompressed));
  const began = { format: newestFormat, madeBy, source, madeAt: now };
  const wanted = { ...began, keyspace, isCompressed, isComplete: false, tables };
  const found = readManifest(directory)?.manifest;
  if (found === undefined) {
    writeManifest(directory, wanted);
    return wanted;
  }
  if (found.isComplete)
    throw new ExportProblem(
      `${directory} has a complete export, made at ${found.madeAt}: give a new directory`,
    );
  expectSame(directory, found, wanted);
  if (found.source === source) return found;
  const begun = pageStatesOf(readProgress(directory), ({ pageState }) => pageState);
  if (!(await hasTablesOf(port, keyspace, definitions, begun)))
    throw new ExportProblem(
      `${directory} has an export that is not complete, of ${found.source}, and ${source} does not accept its page ` +
        'states: finish it there, give all servers of a cluster the same --page-state-secret before an export ' +
        'begins, or give a new directory',
    );
  const continued = { ...found, source };
  writeManifest(directory, continued);
  return continued;
}

function describeTable(table: TableDefinition, at: number, isCompressed: boolean): ExportedTable {
  return {
    ...movedTable(table),
    // The number keeps apart names that differ only in case.
    file: `${String(at + 1).padStart(4, '0')}-${table.name}.ndjson${isCompressed ? '.gz' : ''}`,
    totals: undefined,
  };
}

function expectSame(directory: string, found: Manifest, wanted: Manifest): void {
  const namesOf = ({ tables }: Manifest) =>
    tables
      .map(({ name }) => name)
      .sort()
      .join(', ');
  const facts: readonly (readonly [what: string, found: string, wanted: string])[] = [
    ['keyspace', found.keyspace, wanted.keyspace],
    ['compression', String(found.isCompressed), String(wanted.isCompressed)],
    ['tables', namesOf(found), namesOf(wanted)],
  ];
  for (const [what, theirs, own] of facts) {
    if (theirs === own) continue;
    throw new ExportProblem(
      `${directory} has an export that is not complete, with another ${what}: "${theirs}" and not "${own}"`,
    );
  }
  for (const table of found.tables) {
    const present = wanted.tables.find(({ name }) => name === table.name) ?? table;
    const [difference] = (table.kind === 'table' ? differencesOf : collectionDifferences)(table, present);
    if (difference !== undefined)
      throw new ExportProblem(
        `the table ${table.name} has changed since the export began: ${difference}. Start with a new directory`,
      );
  }
}

async function exportRows(
  port: DataPort,
  request: ExportRequest,
  { isCompressed, format }: Manifest,
  table: ExportedTable,
  progress: Map<string, TableProgress>,
): Promise<void> {
  const { directory, keyspace, report } = request;
  const { name } = table;
  const before = progress.get(name);
  const restart = { line: report.line, command: 'export' } as const;
  const done = (await isContinuable(port, keyspace, table, before, restart)) ? before : undefined;
  if (done?.isDone === true) return;
  const writeRow = lineWriter(table.kind, columnDefinitions(table), format);
  const checksum = new RowChecksum(done?.totals);
  const expected = expectRows(port, keyspace, table, report.showsProgress);
  const file = await openRowWriter(rowsPath(directory, table), done?.sizeBytes ?? 0, isCompressed);
  try {
    let piece = '';
    let present = done?.pageState ?? null;
    for await (const { rows, pageState } of readPages(port, keyspace, table, done?.pageState)) {
      for (const row of rows) {
        const text = writeRow(row);
        checksum.add(text);
        piece += `${text}\n`;
      }
      const isDone = pageState === null;
      present = pageState ?? present;
      if (!isDone && piece.length < pieceLength) continue;
      const sizeBytes = await file.append(piece);
      piece = '';
      const totals = checksum.totals();
      progress.set(name, { totals, sizeBytes, pageState: present, isDone });
      writeProgress(directory, progress);
      report.progress(`${name}: ${totals.rows} rows`, expected.share(totals.rows));
    }
  } catch (error) {
    if (!(error instanceof DataPortProblem) || error instanceof ServerUnusable) throw error;
    throw new DataPortProblem(`${keyspace}.${name}: ${error.message}`, { cause: error });
  } finally {
    expected.stop();
    await file.close();
  }
}
