// Writes the rows of a table or the documents of a collection to a CSV or NDJSON file.
import { existsSync, renameSync } from 'node:fs';
import { changedTypesWarning, MemberValues } from '../../../files/changed-types.js';
import { fieldText } from '../../../files/field-value.js';
import { delimiterOf, isCompressed } from '../../../files/file-format.js';
import { csvLine, withoutFormula } from '../../../files/write-csv.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import type { DataPort } from '../../data-port.js';
import { readDefinitions, readPages } from '../../tables/read-tables.js';
import { columnsOf, leftOutTexts, type TableDefinition } from '../../tables/table-definition.js';
import { canonicalNumber, exactForm } from '../canonical-number.js';
import { insertableDocument } from '../collection-definition.js';
import { expectRows } from '../expected-rows.js';
import { ExportProblem } from '../export-directory.js';
import { columnDefinitions, lineWriter as writerOfLines } from '../line-writer.js';
import type { MoveReport } from '../move-report.js';
import { RowChecksum } from '../row-checksum.js';
import { openRowWriter } from '../row-file.js';
import { newestFormat } from '../row-format.js';
import type { FileOptions } from './file-options.js';

/** Members of all documents of a collection; a file cannot have more columns. */
const mostColumns = 5000;
const pieceLength = 1024 * 1024;

/**
 * Writes a new file, with a warning about the types of documents that CSV does not keep.
 * Until it is complete, its name ends with `.part`; an interrupted export begins with its first row. Returns a sentence
 * for each column that is left out, because commands cannot read it.
 * @throws ExportProblem, RowFileProblem, DataPortProblem, Interrupted
 */
export async function exportFile(
  port: DataPort,
  keyspace: string,
  file: FileOptions,
  report: Pick<MoveReport, 'finished' | 'progress' | 'showsProgress' | 'warn'>,
): Promise<readonly string[]> {
  const { path, name, kind } = file;
  if (existsSync(path)) throw new ExportProblem(`${path} exists: give a new file`);
  const [table] = await readDefinitions(port, keyspace, [name]);
  if (table === undefined || table.kind !== kind)
    throw new ExportProblem(`${name} is a ${table?.kind}: give --${table?.kind} ${name}`);
  const unreadable = kind === 'table' ? columnsOf(table).filter(({ isReadable }) => !isReadable) : [];
  const lines = await lineWriter(port, keyspace, file, table, report);
  const part = `${path}.part`;
  const writer = await openRowWriter(part, 0, isCompressed(path));
  const expected = expectRows(port, keyspace, table, report.showsProgress);
  const checksum = new RowChecksum();
  try {
    let piece = lines.head;
    for await (const { rows, pageState } of readPages(port, keyspace, table)) {
      for (const row of rows) {
        const line = lines.write(row);
        checksum.add(line);
        piece += `${line}\n`;
      }
      if (pageState !== null && piece.length < pieceLength) continue;
      await writer.append(piece);
      piece = '';
      const { rows: count } = checksum.totals();
      report.progress(`${name}: ${count} rows`, expected.share(count));
    }
  } finally {
    expected.stop();
    await writer.close();
  }
  if (existsSync(path))
    throw new ExportProblem(
      `${path} was created by another program during the export: the rows are in ${part}`,
    );
  renameSync(part, path);
  report.finished({ name, kind, ...checksum.totals() });
  return leftOutTexts(name, { columns: unreadable, indexes: [], wholeBecauseOf: undefined });
}

interface LineWriter {
  /** With its line break. */
  readonly head: string;
  /** Without its line break, as an import reads it. */
  readonly write: (row: JsonObject) => string;
}

async function lineWriter(
  port: DataPort,
  keyspace: string,
  { path, format, delimiter = delimiterOf(path) ?? ',', escapesFormulas }: FileOptions,
  table: TableDefinition,
  report: Pick<MoveReport, 'progress' | 'showsProgress' | 'warn'>,
): Promise<LineWriter> {
  const columns = columnDefinitions(table);
  if (format === 'ndjson') return { head: '', write: writerOfLines(table.kind, columns, newestFormat) };
  if (table.kind === 'table') {
    const readable = columnsOf(table).filter(({ isReadable }) => isReadable);
    return csvWriter(
      readable.map(({ name }) => name),
      { delimiter, escapesFormulas },
    );
  }
  const members = await membersOf(port, keyspace, table, report);
  const warning = changedTypesWarning(table.name, members);
  if (warning !== undefined) report.warn(warning);
  const lines = csvWriter([...members.keys()], { delimiter, escapesFormulas });
  return { ...lines, write: (document) => lines.write(insertableDocument(document)) };
}

/** Spreadsheets run texts as formulas, but never numbers, also with a sign before them. */
function csvWriter(
  names: readonly string[],
  { delimiter, escapesFormulas }: { readonly delimiter: string; readonly escapesFormulas: boolean },
): LineWriter {
  const safe = escapesFormulas ? withoutFormula : (text: string) => text;
  return {
    head: `${csvLine(names.map(safe), delimiter)}\n`,
    write: (row) => {
      let found = 0;
      const fields = names.map((name) => {
        const value = row.get(name);
        if (value !== undefined) found += 1;
        return typeof value === 'string' ? safe(value) : insertableField(value);
      });
      if (found < row.size) throw new ExportProblem(unknownMember(row, names));
      return csvLine(fields, delimiter);
    },
  };
}

/** Characters of a literal that the data service accepts; it writes decimals with all their zeros. */
const longestLiteral = 100;
const longNumber = /[\d.eE+-]{101}/;

/** A field whose numbers an import can insert. */
function insertableField(value: JsonValue | undefined): string | null {
  const text = fieldText(value);
  return text === null || value === undefined || !longNumber.test(text)
    ? text
    : fieldText(withShortNumbers(value));
}

function withShortNumbers(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber)
    return value.text.length > longestLiteral
      ? new JsonNumber(canonicalNumber(value.text, exactForm))
      : value;
  if (value === null || typeof value !== 'object') return value;
  if (isJsonArray(value)) return value.map(withShortNumbers);
  if (!isJsonObject(value)) return value;
  return new Map([...value].map(([name, member]) => [name, withShortNumbers(member)]));
}

/** The first line of the file is written before the rows are read. */
function unknownMember(row: JsonObject, names: readonly string[]): string {
  const name = [...row.keys()].find((member) => !names.includes(member)) ?? '';
  return `${JSON.stringify(name)} was added during the export, and the file has no column for it: export again`;
}

/** The members of all documents, `_id` first, then in the order in which they are found. */
async function membersOf(
  port: DataPort,
  keyspace: string,
  table: TableDefinition,
  report: Pick<MoveReport, 'progress' | 'showsProgress'>,
): Promise<ReadonlyMap<string, MemberValues>> {
  const expected = expectRows(port, keyspace, table, report.showsProgress);
  let documents = 0;
  const members = new Map([['_id', new MemberValues()]]);
  try {
    for await (const { rows } of readPages(port, keyspace, table)) {
      for (const row of rows) {
        for (const [name, value] of insertableDocument(row)) {
          const values = members.get(name) ?? new MemberValues();
          members.set(name, values);
          values.add(value);
        }
        if (members.size > mostColumns)
          throw new ExportProblem(
            `the documents of ${table.name} have more than ${mostColumns} members: export them with --format ndjson`,
          );
      }
      documents += rows.length;
      report.progress(`${table.name}: members of ${documents} documents`, expected.share(documents));
    }
  } finally {
    expected.stop();
  }
  return members;
}
