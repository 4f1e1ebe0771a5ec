// The directory of an export as the source of an import.
import { isThere } from '../../foundation/machine/is-there.js';
import {
  type ExportedTable,
  ExportProblem,
  type Manifest,
  readManifest,
  rowsPath,
} from './export-directory.js';
import { lineWriter } from './line-writer.js';
import type { MovedTable } from './moved-table.js';
import { areSameRows, noRows, RowChecksum, type RowTotals } from './row-checksum.js';
import { readLines } from './row-file.js';
import type { RowSource } from './row-source.js';

/** The tables of an export; `names`: these only. @throws ExportProblem if it is not complete, or has not all of them */
export function exportSource(directory: string, names: readonly string[] | undefined): RowSource {
  if (!isThere(directory)) throw new ExportProblem(`there is no directory ${directory}`);
  const found = readManifest(directory);
  if (found === undefined) throw new ExportProblem(`${directory} has no manifest.json: it is not an export`);
  const { manifest, hash } = found;
  const { format, isCompressed, keyspace } = manifest;
  if (!manifest.isComplete)
    throw new ExportProblem(`the export in ${directory} is not complete: run colonnade export again`);
  const tables = chosenTables(manifest, names);
  const exported = (table: MovedTable): ExportedTable => {
    const own = tables.find(({ name }) => name === table.name);
    if (own === undefined) throw new ExportProblem(`the export has no table ${table.name}`);
    return own;
  };
  const pathOf = (table: MovedTable) => rowsPath(directory, exported(table));
  const totalsOf = (table: MovedTable) => exported(table).totals ?? noRows;
  return {
    ...{ title: 'the export', keyspace, tables, hash, isPaged: false },
    writerOf: ({ kind }, columns) => lineWriter(kind, columns, format),
    rowsOf: (table) => totalsOf(table).rows,
    isContinuable: async () => true,
    check: (table) => checkFile(pathOf(table), isCompressed, totalsOf(table)),
    isDone: (table, { lines }) => lines === totalsOf(table).rows,
    lines: (table, { lines }) => readLines(pathOf(table), isCompressed, lines),
    placeOf: (table, { number }) => `${exported(table).file} line ${number}`,
  };
}

function chosenTables({ tables }: Manifest, names: readonly string[] | undefined): readonly ExportedTable[] {
  const missing = names?.find((name) => !tables.some((table) => table.name === name));
  if (missing === undefined) return tables.filter(({ name }) => names?.includes(name) ?? true);
  const present = tables.map(({ name }) => name).join(', ');
  throw new ExportProblem(`the export has no table ${missing}; its tables are: ${present}`);
}

/** Reads a file, so that nothing of a damaged one is inserted. */
async function checkFile(path: string, isCompressed: boolean, totals: RowTotals): Promise<void> {
  const checksum = new RowChecksum();
  for await (const lines of readLines(path, isCompressed)) for (const { text } of lines) checksum.add(text);
  const found = checksum.totals();
  if (areSameRows(found, totals)) return;
  throw new ExportProblem(
    `${path} is damaged: it has ${found.rows} rows with checksum ${found.checksum}, ` +
      `the manifest names ${totals.rows} with ${totals.checksum}`,
  );
}
