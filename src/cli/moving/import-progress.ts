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
  /** The state of a page of the table on the target, by which another server of its cluster knows the table. */
  readonly targetPage?: string | undefined;
}

/** Nothing of a table. */
export const noneInserted: InsertedRows = { lines: 0, refused: 0, totals: noRows };

/** What an import reads and where it writes. */
export interface ImportIdentity {
  /** The hash of the manifest, of the rows of a file (see `hashOfRows`), or of the name of the source. */
  readonly hash: string;
  /** URL and keyspace. */
  readonly target: string;
  /** The URL of the source, where another server can have the same tables. */
  readonly source?: string | undefined;
}

/** Whether a server at another URL has the tables of a stored progress. */
export interface SameServers {
  readonly isTarget: (done: ImportProgress) => Promise<boolean>;
  /** Absent for sources without a URL. */
  readonly isSource?: (done: ImportProgress) => Promise<boolean>;
}

/** The tables of an import by their names. */
export type ImportProgress = Map<string, InsertedRows>;

/** The hash of the source of a stored progress; undefined if there is none. @throws ExportProblem */
export function sourceOfProgress(path: string): string | undefined {
  const json = storedProgress(path);
  return json === undefined ? undefined : textAt(json, 'hash');
}

/**
 * The stored progress; empty if there is none. It may be that of an import through another server, if `servers` finds
 * the same tables. @throws ExportProblem if it is that of another import; DataPortProblem, Interrupted
 */
export async function readImportProgress(
  path: string,
  identity: ImportIdentity,
  servers: SameServers,
): Promise<ImportProgress> {
  const json = storedProgress(path);
  if (json === undefined) return new Map();
  const [hash, target, source] = [textAt(json, 'hash'), textAt(json, 'target'), textAt(json, 'source')];
  const named = `${source === '' ? '' : `from ${source} `}to ${target}`;
  if (hash !== identity.hash)
    throw new ExportProblem(
      `${path} belongs to another import, ${named}, of another source or with other options: ` +
        'finish it, give --progress FILE, or delete the file to start again',
    );
  const tables = objectAt(json, 'tables');
  const done = new Map([...tables.keys()].map((name) => [name, readTable(objectAt(tables, name))]));
  // An earlier version has the URL of the source in the hash.
  const isSource = source === '' || source === identity.source || (await servers.isSource?.(done)) === true;
  const isTarget = target === identity.target || (await servers.isTarget(done));
  if (isSource && isTarget) return done;
  throw new ExportProblem(
    `${path} belongs to another import, ${named}, and the ${isSource ? 'target' : 'source'} does not accept its page ` +
      'states: finish it there, give all servers of a cluster the same --page-state-secret before an import begins, ' +
      'give --progress FILE, or delete the file to start again',
  );
}

function readTable(table: JsonObject): InsertedRows {
  const [lines, refused] = [numberAt(table, 'lines'), numberAt(table, 'refused')];
  const targetPage = textAt(table, 'targetPage');
  return {
    ...{ lines, refused, totals: readTotals(table), place: readPlace(table) },
    targetPage: targetPage === '' ? undefined : targetPage,
  };
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
  const tables = [...progress].map(([name, { lines, refused, totals, place, targetPage }]) => [
    name,
    { lines, refused, ...totals, ...place, targetPage },
  ]);
  const text = JSON.stringify({ ...identity, tables: Object.fromEntries(tables) });
  replaceFile(path, Buffer.from(`${text}\n`));
}

/** Removes the progress of an import that is finished. */
export function removeImportProgress(path: string): void {
  rmSync(path, { force: true });
}
