// Carries reads out: the SELECT statements of a plan, page by page.
import {
  type ReadOutcome,
  type ReadPlan,
  type RowChunks,
  type RowValues,
  wantsPosition,
} from '../../query/read.js';
import type { Table } from '../../schema/table.js';
import type { ReadTimeLimit } from '../read-time-limit.js';
import { ComparedPages, comparedPositions } from './compared-pages.js';
import type { SourcePages } from './documents/merged-pages.js';
import { nearestMatches } from './documents/nearest-matches.js';
import type { RowSizes } from './known-rows.js';
import type { PageTools } from './row-pages.js';
import { pagesOf, type RunningRead } from './running-read.js';
import type { ReadPath } from './statements/path-of-rows.js';
import { columnsToSelect, positionOn, readPath } from './statements/read-path.js';
import { readWords } from './word-reads.js';

/** What reads are carried out with. */
export interface ReadTools extends PageTools {
  readonly sizes: RowSizes;
  /** @throws EngineError `schemaChanged` for a table that is gone or changed */
  readonly refuseOutdated: (table: Table) => void;
  /**
   * Runs each statement that an index may serve: while an index is dropped, 5.0 finds no rows by it and reports no
   * failure. Rejects with EngineError `schemaChanged` where rows may be missing, or the table is gone or changed.
   */
  readonly runAdmitted: <Result>(table: Table, statement: () => Promise<Result>) => Promise<Result>;
  /** After which the read of a plan is given up. */
  readonly limitOf: (plan: ReadPlan) => ReadTimeLimit;
}

/**
 * Carries a read out as far as its first page.
 * @throws EngineError, OutdatedPosition
 */
export async function readRows(plan: ReadPlan, tools: ReadTools): Promise<ReadOutcome> {
  const { search } = plan;
  if (search?.kind !== 'words') return readByPath(plan, tools);
  return readWords(plan, search, (candidates) => readByPath(candidates, tools));
}

/** Carries a read out as far as its first page; a search by words is left undone. */
async function readByPath(plan: ReadPlan, tools: ReadTools): Promise<ReadOutcome> {
  tools.refuseOutdated(plan.table);
  const deadline = tools.limitOf(plan);
  const path = readPath(plan);
  const { columns, order } = plan;
  if (path === undefined)
    return { columns, order, applied: { filter: true, order: true }, chunks: [], deadline };
  const selected = columnsToSelect(plan, path);
  const read: RunningRead = {
    plan,
    columns: selected,
    known: tools.sizes.of(plan.table, selected),
    deadline,
    tools: mayUseIndex(plan, path) ? admitting(plan.table, tools) : tools,
  };
  if (path.isSearched && !path.isFiltered) {
    const rows = await nearestMatches(read, path);
    if (rows !== undefined)
      return { columns: selected, order, applied: { filter: true, order: false }, chunks: [rows], deadline };
  }
  const { isFiltered, isLookup, positions } = path;
  const isOrdered = positions !== null;
  const compared = comparedPositions(read, path);
  const pages =
    compared === undefined ? pagesOf(read, path) : new ComparedPages(read, path, compared, tools.sizes);
  const first = await pages.next();
  const outcome: ReadOutcome = {
    columns: selected,
    order,
    applied: { filter: isFiltered, order: isOrdered },
    chunks: pages.isAtEnd ? allRows(first, plan, path) : chunksOf(first, pages),
    deadline,
  };
  if (!wantsPosition(plan.page) || !isOrdered || isLookup) return outcome;
  const places = new Map(selected.map((column, at) => [column, at]));
  return {
    ...outcome,
    positionOf: (row) => positionOn(path, positions, (column) => row[places.get(column) ?? -1] ?? null),
  };
}

/** Each statement is admitted, also those of pages that are read ahead. */
function admitting(table: Table, { session, memory, mostBytes, runAdmitted }: ReadTools): PageTools {
  const run: PageTools['session']['run'] = (statement, after) =>
    runAdmitted(table, () => session.run(statement, after));
  return { session: { run }, memory, mostBytes };
}

/** A node finds a row by its key without an index, unless other columns are compared too. */
function mayUseIndex({ table }: ReadPlan, { isLookup, sources }: ReadPath): boolean {
  if (!isLookup) return true;
  return sources.some(({ ranges, terms = [] }) => {
    return terms.length > 0 || [...ranges.keys()].some((column) => !table.keyColumns.includes(column));
  });
}

/** Where the first page has all rows: at once if they need not be counted by their size. */
function allRows(rows: readonly RowValues[], { page, search }: ReadPlan, { isLookup }: ReadPath): RowChunks {
  const isCounted = page.maxBytes < Number.POSITIVE_INFINITY && search === null && !isLookup;
  return isCounted ? [rows].values() : [rows];
}

async function* chunksOf(
  first: readonly RowValues[],
  pages: SourcePages,
): AsyncIterable<readonly RowValues[]> {
  yield first;
  while (!pages.isAtEnd) yield await pages.next();
}
