// A read whose path is known: the pages of its rows.
import { type ReadPlan, type RowValues, rowsToRead } from '../../query/read.js';
import type { Column } from '../../schema/table.js';
import type { ReadTimeLimit } from '../read-time-limit.js';
import { MergedPages, type SourcePages } from './documents/merged-pages.js';
import type { KnownRows } from './known-rows.js';
import {
  type PageTools,
  RowPages,
  type SourceSearch,
  type TakenBytes,
  type WantedRows,
} from './row-pages.js';
import type { ReadPath } from './statements/path-of-rows.js';
import { presentColumn } from './statements/read-path.js';
import type { RowSource } from './statements/row-source.js';
import { searchStatement, selectStatement } from './statements/select-statements.js';

export interface RunningRead {
  readonly plan: ReadPlan;
  /** The columns that its rows have. */
  readonly columns: readonly Column[];
  readonly known: KnownRows;
  readonly deadline: ReadTimeLimit;
  readonly tools: PageTools;
}

/** Rows that the first page of each of several look-ups has at least. */
const fewestRows = 8;
/** The bytes of the next pages of all look-ups together. */
const mergedBytes = 32 * 1024 * 1024;

/** The rows of all sources. Sources are searched where every row that they have matches. */
export function pagesOf(read: RunningRead, path: ReadPath): SourcePages {
  if (path.isMerged) return mergedPages(read, path);
  const { plan, columns, known, deadline, tools } = read;
  const { sources, isFiltered, isSearched, positions, direction } = path;
  const rows = rowsToRead(plan);
  const wanted: WantedRows = {
    sources,
    columns,
    statementOf: (source) => selectStatement(plan.table, columns, source, direction),
    search: isSearched && isFiltered ? searchOf(read, plan.page.limit) : undefined,
    // Rows of which nothing is left to do are counted; of others it is not known how many it takes.
    wanted: isFiltered && positions !== null ? rows : Number.POSITIVE_INFINITY,
    // Nearly all documents that terms find match.
    firstRows: sources[0]?.lookup === undefined ? undefined : rows,
    present: presentColumn(plan.table, columns),
  };
  return new RowPages(wanted, known, deadline, tools);
}

function mergedPages({ plan, columns, known, deadline, tools }: RunningRead, path: ReadPath): SourcePages {
  const { sources, direction } = path;
  const firstRows = Math.max(fewestRows, Math.ceil(rowsToRead(plan) / sources.length));
  const pageBytes = mergedBytes / sources.length;
  const taken = { bytes: 0 };
  const all = sources.map((own) => {
    const wanted: WantedRows = {
      sources: [own],
      columns,
      statementOf: (source) => selectStatement(plan.table, columns, source, direction),
      search: undefined,
      wanted: Number.POSITIVE_INFINITY,
      firstRows,
      pageBytes,
      taken,
      present: undefined,
    };
    return new RowPages(wanted, known, deadline, tools);
  });
  return new MergedPages(all, columns, plan.table);
}

/** The most similar rows of a source, in one page. */
export function searchedPage(
  read: RunningRead,
  source: RowSource,
  rows: number,
  taken: TakenBytes,
): Promise<readonly RowValues[]> {
  const { plan, columns, known, deadline, tools } = read;
  const wanted: WantedRows = {
    sources: [source],
    columns,
    statementOf: (each) => selectStatement(plan.table, columns, each, 1),
    search: searchOf(read, rows),
    wanted: rows,
    taken,
    present: presentColumn(plan.table, columns),
  };
  return new RowPages(wanted, known, deadline, tools).next();
}

function searchOf({ plan, columns }: RunningRead, rows: number): SourceSearch | undefined {
  const { table, search } = plan;
  if (search?.kind !== 'vector') return undefined;
  return { rows, statementOf: (source, most) => searchStatement(table, columns, source, search, most) };
}
