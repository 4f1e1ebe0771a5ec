// What an import has done so far, in a file, so that a killed import can continue.
import { existsSync, rmSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { readReply } from '../operations-port.js';
import { objectAt, textAt } from '../tables/table-definition.js';
import { ExportProblem, numberAt, readTotals } from './export-directory.js';
import type { PagePlace } from './page-place.js';
import { noRows, type RowTotals } from './row-checksum.js';

/** What is done of a table. */
export interface InsertedRows {
  /** Lines that the server has answered, from the first on. */
  readonly lines: number;
  /** How many of them it refused. */
  readonly refused: number;
  /** The totals of the rows that the server stored. */
  readonly totals: RowTotals;
  /** Where reading continues in a table of a server; undefined for files, in which `lines` says it. */
  readonly place?: PagePlace | undefined;
}

/** Nothing of a table. */
export const noneInserted: InsertedRows = { lines: 0, refused: 0, totals: noRows };

/** What an import reads and where it writes. */
export interface ImportIdentity {
  /** The hash of the manifest or the file, or of the address of the source. */
  readonly hash: string;
  /** URL and keyspace. */
  readonly target: string;
}

/** The tables of an import by their names. */
export type ImportProgress = Map<string, InsertedRows>;

/** The hash of the source of a stored progress; undefined if there is none. @throws ExportProblem */
export function sourceOfProgress(path: string): string | undefined {
  const json = storedProgress(path);
  return json === undefined ? undefined : textAt(json, 'hash');
}

/** The stored progress; empty if there is none. @throws ExportProblem if it is that of another import */
export function readImportProgress(path: string, identity: ImportIdentity): ImportProgress {
  const json = storedProgress(path);
  if (json === undefined) return new Map();
  const [hash, target] = [textAt(json, 'hash'), textAt(json, 'target')];
  if (hash !== identity.hash || target !== identity.target)
    throw new ExportProblem(
      `${path} belongs to another import, to ${target}: ` +
        'finish it, give --progress FILE, or delete the file to start again',
    );
  const tables = objectAt(json, 'tables');
  return new Map(
    [...tables.keys()].map((name) => {
      const table = objectAt(tables, name);
      const [lines, refused] = [numberAt(table, 'lines'), numberAt(table, 'refused')];
      return [name, { lines, refused, totals: readTotals(table), place: readPlace(table) }];
    }),
  );
}

function storedProgress(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined;
  const json = readReply(readRegularFile(path).toString());
  if (!isJsonObject(json)) throw new ExportProblem(`${path} is not the progress of an import`);
  return json;
}

function readPlace(table: JsonObject): PagePlace | undefined {
  const pageState = table.get('pageState');
  return typeof pageState === 'string' ? { pageState, isDone: table.get('isDone') === true } : undefined;
}

/** Stores the progress durably. */
export function writeImportProgress(path: string, identity: ImportIdentity, progress: ImportProgress): void {
  const tables = [...progress].map(([name, { lines, refused, totals, place }]) => [
    name,
    { lines, refused, ...totals, ...place },
  ]);
  const text = JSON.stringify({ ...identity, tables: Object.fromEntries(tables) });
  replaceFile(path, Buffer.from(`${text}\n`));
}

/** Removes the progress of an import that is finished. */
export function removeImportProgress(path: string): void {
  rmSync(path, { force: true });
}
