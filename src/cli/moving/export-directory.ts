// The directory of an export: the manifest, the progress of an export that is not complete, the files of rows.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { elementsOf, readReply } from '../operations-port.js';
import { objectAt, readIndex, textAt } from '../tables/table-definition.js';
import type { MovedTable } from './moved-table.js';
import type { PagePlace } from './page-place.js';
import type { RowTotals } from './row-checksum.js';
import { type RowFormat, rowFormats } from './row-format.js';

const manifestName = 'manifest.json';
const progressName = 'export-progress.json';

/** A directory or file cannot be used. The message is for the user. */
export class ExportProblem extends Error {}

/** A table of an export. One that is wholly left out has no file. */
export interface ExportedTable extends MovedTable {
  /** The name of the file of rows in the directory. */
  readonly file: string;
  /** Undefined while the export is not complete. */
  readonly totals: RowTotals | undefined;
}

/** What an export contains. */
export interface Manifest {
  /** The format of the rows of tables, from which their checksums are made. */
  readonly format: RowFormat;
  /** The program and the server, such as `colonnade 0.1.0` and `http://127.0.0.1:8181`. */
  readonly madeBy: string;
  readonly source: string;
  /** When the export began, RFC 3339. */
  readonly madeAt: string;
  readonly keyspace: string;
  readonly isCompressed: boolean;
  /** False until every row is in its file. */
  readonly isComplete: boolean;
  readonly tables: readonly ExportedTable[];
}

/** How much of a table is in its file. */
export interface TableProgress extends PagePlace {
  readonly totals: RowTotals;
  readonly sizeBytes: number;
}

/** Creates the directory if needed. @throws ExportProblem if it has other files than an export */
export function prepareDirectory(directory: string): void {
  makeDirectories(directory);
  if (!existsSync(join(directory, manifestName)) && readdirSync(directory).length > 0)
    throw new ExportProblem(`${directory} is not empty and has no ${manifestName}: give a new directory`);
}

/** The path of the rows of a table. */
export function rowsPath(directory: string, { file }: ExportedTable): string {
  return join(directory, file);
}

/** Writes the manifest durably, one line for each table. */
export function writeManifest(directory: string, manifest: Manifest): void {
  const { format, madeBy, source, madeAt, keyspace, isCompressed, isComplete } = manifest;
  const head = JSON.stringify({ format, madeBy, source, madeAt, keyspace, isCompressed, isComplete });
  const tables = manifest.tables.map((table) => `\n${tableText(table)}`).join(',');
  replaceFile(join(directory, manifestName), Buffer.from(`${head.slice(0, -1)},"tables":[${tables}]}\n`));
}

/** The manifest and a hash that identifies it; undefined if there is none. @throws ExportProblem */
export function readManifest(directory: string): { manifest: Manifest; hash: string } | undefined {
  const path = join(directory, manifestName);
  if (!existsSync(path)) return undefined;
  const bytes = readRegularFile(path);
  const json = readReply(bytes.toString());
  if (!isJsonObject(json) || !(json.get('format') instanceof JsonNumber))
    throw new ExportProblem(`${path} is not the manifest of an export`);
  const found = numberAt(json, 'format');
  const format = rowFormats.find((known) => known === found);
  if (format === undefined) {
    const known = rowFormats.join(' and ');
    throw new ExportProblem(`${path} has the format ${found}; this version reads the formats ${known}`);
  }
  const tables = json.get('tables');
  if (tables === undefined || !isJsonArray(tables))
    throw new ExportProblem(`${path} is damaged: it has no list of tables`);
  const manifest: Manifest = {
    format,
    madeBy: textAt(json, 'madeBy'),
    source: textAt(json, 'source'),
    madeAt: textAt(json, 'madeAt'),
    keyspace: textAt(json, 'keyspace'),
    isCompressed: json.get('isCompressed') === true,
    isComplete: json.get('isComplete') === true,
    tables: tables.map((table) => readTable(table, path)),
  };
  return { manifest, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** The progress by the names of tables; tables that were not begun have none. */
export function readProgress(directory: string): Map<string, TableProgress> {
  const path = join(directory, progressName);
  if (!existsSync(path)) return new Map();
  const json = readReply(readRegularFile(path).toString());
  if (!isJsonObject(json)) throw new ExportProblem(`${path} cannot be read: start with a new directory`);
  return new Map(
    [...json.keys()].map((name) => {
      const table = objectAt(json, name);
      const pageState = table.get('pageState');
      return [
        name,
        {
          totals: readTotals(table),
          sizeBytes: numberAt(table, 'sizeBytes'),
          pageState: typeof pageState === 'string' ? pageState : null,
          isDone: table.get('isDone') === true,
        },
      ];
    }),
  );
}

/** Writes the progress durably. */
export function writeProgress(directory: string, progress: ReadonlyMap<string, TableProgress>): void {
  const text = [...progress].map(([name, { totals, ...rest }]) => {
    const members = { rows: totals.rows, checksum: totals.checksum, ...rest };
    return `${JSON.stringify(name)}:${JSON.stringify(members)}`;
  });
  replaceFile(join(directory, progressName), Buffer.from(`{${text.join(',\n')}}\n`));
}

/** A complete export has no progress. */
export function removeProgress(directory: string): void {
  rmSync(join(directory, progressName), { force: true });
}

function tableText(table: ExportedTable): JsonText {
  const { kind, name, file, definition, indexes, leftOut, isWhollyLeftOut, totals } = table;
  const indexTexts = indexes.map(
    (index) =>
      `{"name":${JSON.stringify(index.name)},"definition":${stringifyJson(index.definition)},` +
      `"indexType":${JSON.stringify(index.indexType)}}`,
  );
  const head = JSON.stringify({ kind, name, file, ...totals, isWhollyLeftOut, leftOut });
  return `${head.slice(0, -1)},"definition":${stringifyJson(definition)},"indexes":[${indexTexts.join(',')}]}`;
}

function readTable(json: JsonValue, path: string): ExportedTable {
  if (!isJsonObject(json)) throw new ExportProblem(`${path} is damaged: a table is not an object`);
  const file = textAt(json, 'file');
  if (!/^[\w.-]+$/.test(file))
    throw new ExportProblem(`${path} names the file "${file}", which is not in it`);
  return {
    // Exports of earlier versions have tables only, without this member.
    kind: textAt(json, 'kind') === 'collection' ? 'collection' : 'table',
    name: textAt(json, 'name'),
    file,
    definition: objectAt(json, 'definition'),
    indexes: elementsOf(json.get('indexes')).flatMap(readIndex),
    leftOut: elementsOf(json.get('leftOut')).map(String),
    isWhollyLeftOut: json.get('isWhollyLeftOut') === true,
    totals: json.has('rows') ? readTotals(json) : undefined,
  };
}

/** The members `rows` and `checksum`. @throws ExportProblem */
export function readTotals(json: JsonObject): RowTotals {
  const checksum = textAt(json, 'checksum');
  if (!/^[0-9a-f]{64}$/.test(checksum)) throw new ExportProblem(`"${checksum}" is not a checksum of rows`);
  return { rows: numberAt(json, 'rows'), checksum };
}

/** A whole number that is not negative. @throws ExportProblem */
export function numberAt(json: JsonObject, name: string): number {
  const value = json.get(name);
  const number = value instanceof JsonNumber ? Number(value.text) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 0)
    throw new ExportProblem(`the member ${name} is not a number`);
  return number;
}
