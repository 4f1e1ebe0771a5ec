// The steps of maintenance that write, for the writer thread. Each is short, and writes continue between them.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { joinFlat } from '../file/sql-fragment.js';
import { sqlSlot, sqlTable } from '../file/sql-names.js';
import { TextsToAnalyze, withAnalyzed } from '../file/text-functions.js';
import { type BuildSegments, buildSegments } from '../postings/build-segments.js';
import { type KeepSegments, keepSegments } from '../postings/keep-segments.js';
import type { BuildSteps } from '../statements/build-steps.js';
import { type KnownTexts, mostUnitsOf } from './text-analysis.js';

/** The target duration of a step that merges segments of a text index, without its commit. */
const keepingMs = 12;

/** The target duration of a step that builds a text index or entries of documents, without its commit. */
const buildingMs = 10;

/** The target duration of a step that removes a leftover, without its commit. */
const shrinkingMs = 10;
/** Rows of a leftover that are deleted before the time is looked at: the largest take tens of milliseconds. */
const rowsAtOnce = 20;

/** The steps by name. Arguments and results are plain data. */
export const maintenanceSteps = {
  /** Moves the log into the file and empties it. `isBusy`: a reader prevented it. */
  checkpoint: (database: Database, _: null): { readonly isBusy: boolean; readonly pages: number } => {
    const { isWhole, pages } = database.checkpoint('TRUNCATE');
    return { isBusy: !isWhole, pages };
  },

  /** Returns some free pages to the file system. */
  freePages: (database: Database, { pages }: { readonly pages: number }): { readonly left: number } => {
    database.exec(`PRAGMA incremental_vacuum(${pages})`);
    return { left: pragmaNumber(database, 'freelist_count') };
  },

  /** Updates the statistics for SQLite's query plans, from samples. */
  optimize: (database: Database, _: null): null => {
    database.exec('PRAGMA analysis_limit = 400; PRAGMA optimize');
    return null;
  },

  /** Builds a damaged index again from its rows. Other writes wait meanwhile. */
  rebuildIndex: (database: Database, { name }: { readonly name: string }): null => {
    database.exec(`REINDEX ${name}`);
    return null;
  },

  /** Adds the next rows to a text index. `isDone`: it has all rows. */
  buildTextIndex: (
    database: Database,
    argument: BuildSegments,
    _: unknown,
    known: KnownTexts,
  ): { readonly isDone: boolean } =>
    database.transaction(() => {
      const endMs = systemClock.monotonicMs() + buildingMs;
      const isTimeUp = () => systemClock.monotonicMs() >= endMs;
      const given = [database, argument, isTimeUp] as const;
      const built = withAnalyzed(known.analyzed, mostUnitsOf(known), buildSegments, ...given);
      if (built instanceof TextsToAnalyze) throw built; // the transaction is undone
      return built;
    }),

  /** Runs the next step that keeps a text index fast; see `keepSegments`. */
  keepSegments: (database: Database, argument: KeepSegments): { readonly left: number } => {
    const endMs = systemClock.monotonicMs() + keepingMs;
    return database.transaction(() => ({
      left: keepSegments(database, argument, () => systemClock.monotonicMs() >= endMs),
    }));
  },

  /** Adds the entries of the next documents of a collection, at most so many. `isDone`: all have them. */
  buildEntries: (
    _: Database,
    { id, count }: BuildEntries,
    commits: EntryBuilding,
  ): { readonly isDone: boolean } => {
    const endMs = systemClock.monotonicMs() + buildingMs;
    return commits.buildEntries(id, count, () => systemClock.monotonicMs() >= endMs);
  },

  /** Adds the next rows to a container index. `isDone`: it has all rows. */
  buildIndex: (
    database: Database,
    { steps, count }: { readonly steps: BuildSteps; readonly count: number },
  ): { readonly isDone: boolean } =>
    database.transaction(() => {
      const { table, readProgress, noteProgress, adds } = steps;
      const { built = 0, last = 0 } = database.statement(readProgress).get() ?? {};
      if (Number(built) >= Number(last)) return { isDone: true };
      const next = database
        .statement(
          'SELECT max(row_id) AS through FROM ' +
            `(SELECT row_id FROM ${table} WHERE row_id > ? AND row_id <= ? ORDER BY row_id LIMIT ?)`,
        )
        .get([built, last, count]);
      const through = next?.['through'] ?? last;
      for (const sql of adds) database.statement(sql).run([built, through]);
      database.statement(noteProgress).run([through]);
      return { isDone: false };
    }),

  /**
   * Empties columns that are still dropped and filled, in the rows after `after`; the slot of a column may belong to
   * another one by now. `last` is null after the last row.
   */
  emptyColumns: (
    database: Database,
    { tableId, columnIds, after, count }: EmptyColumnsArgument,
  ): { readonly last: number | null; readonly emptied: number } => {
    const table = sqlTable({ id: tableId });
    const columns = filledColumnNames(database, tableId, columnIds);
    if (columns.length === 0) return { last: null, emptied: 0 };
    const found = database
      .statement(
        `SELECT max(row_id) AS last FROM (SELECT row_id FROM ${table} WHERE row_id > ? ORDER BY row_id LIMIT ?)`,
      )
      .get([after, count]);
    const last = found?.['last'] ?? null;
    if (last === null) return { last, emptied: 0 };
    const isFilled = columns.map((column) => `${column} IS NOT NULL`);
    const { changes } = database
      .statement(
        `UPDATE ${table} SET ${columns.map((column) => `${column} = NULL`).join(', ')} ` +
          `WHERE row_id > ? AND row_id <= ? AND (${joinFlat(isFilled, 'OR')})`,
      )
      .run([after, last]);
    return { last: Number(last), emptied: changes };
  },

  /** Tables of rows and of indexes that are not in the schema. */
  findLeftovers: (database: Database, _: null): { readonly tables: readonly string[] } => {
    const rows = database
      .statement(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[tg][0-9]*'
          AND substr(name, 2) NOT GLOB '*[^0-9]*' AND CAST(substr(name, 2) AS INTEGER) NOT IN (SELECT id FROM tables)
        UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[den][0-9]*'
          AND substr(name, 2) NOT GLOB '*[^0-9]*'
          AND CAST(substr(name, 2) AS INTEGER) NOT IN (SELECT coalesce(entries_id, id) FROM tables)
        UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[mprsvx][0-9]*_[0-9]*'
          AND substr(name, 2) NOT IN (SELECT table_id || '_' || id FROM indexes)`,
      )
      .all();
    return { tables: rows.map((row) => String(row['name'])) };
  },

  /** Deletes rows of a leftover for some milliseconds; drops it when none is left. */
  shrinkLeftover: (
    database: Database,
    { table, mostRows }: { readonly table: string; readonly mostRows: number },
  ): { readonly isGone: boolean } => {
    const endMs = systemClock.monotonicMs() + shrinkingMs;
    const columns = database.statement('SELECT name, pk FROM pragma_table_info(?) ORDER BY pk').all([table]);
    if (columns.length === 0) return { isGone: true }; // another task has dropped it
    const names = columns.filter(({ pk }) => pk !== 0).map(({ name }) => String(name));
    const key = names.length === 0 ? 'rowid' : names.join(', ');
    const some = database.statement(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} LIMIT ?)`,
    );
    const isEmpty = database.transaction(() => {
      for (let left = mostRows; left > 0 && systemClock.monotonicMs() < endMs; left -= rowsAtOnce)
        if (some.run([Math.min(left, rowsAtOnce)]).changes === 0) return true;
      return false;
    });
    if (!isEmpty) return { isGone: false };
    database.exec(`DROP TABLE ${table}`);
    return { isGone: true };
  },

  /** Deletes rows of the schema tables for tables that do not exist. */
  dropStrayLines: (database: Database, _: null): { readonly lines: number } => {
    const lines = ['columns', 'indexes'].map(
      (name) =>
        database.statement(`DELETE FROM ${name} WHERE table_id NOT IN (SELECT id FROM tables)`).run().changes,
    );
    return { lines: lines.reduce((sum, count) => sum + count, 0) };
  },
} as const;

/** What builds entries of documents; returns whether all documents have them. */
export interface EntryBuilding {
  buildEntries(id: number, count: number, isTime: () => boolean): { readonly isDone: boolean };
}

interface BuildEntries {
  readonly id: number;
  /** The maximum number of documents of one step. */
  readonly count: number;
}

interface EmptyColumnsArgument {
  readonly tableId: number;
  readonly columnIds: readonly number[];
  readonly after: number;
  /** The maximum number of rows of one step. */
  readonly count: number;
}

export type StepName = keyof typeof maintenanceSteps;
export type StepArgument<Name extends StepName> = Parameters<(typeof maintenanceSteps)[Name]>[1];
export type StepResult<Name extends StepName> = ReturnType<(typeof maintenanceSteps)[Name]>;

/** Their names in the file: `c3`. */
function filledColumnNames(
  database: Database,
  tableId: number,
  columnIds: readonly number[],
): readonly string[] {
  const wanted = new Set(columnIds);
  const rows = database
    .statement('SELECT id, slot FROM columns WHERE table_id = ? AND dropped = 1')
    .all([tableId]);
  return rows
    .filter(({ id }) => wanted.has(Number(id)))
    .map(({ id, slot }) => sqlSlot({ id: Number(id), engineState: Number(slot) }));
}

function pragmaNumber(database: Database, name: string): number {
  return Number(database.statement(`PRAGMA ${name}`, { returnArrays: true }).get()?.[0]);
}
