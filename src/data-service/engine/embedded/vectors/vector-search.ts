// A vector search: its request to the index, and its outcome, independent of how its rows were found.
import type { ReadOutcome } from '../../../query/read.js';
import { similarityColumn, similarityOf } from '../../../query/vector-search.js';
import type { VectorIndex } from '../../../schema/table.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';
import { sqlVectorLog } from '../file/sql-names.js';
import { decodeRows, readsBigInts } from '../file/stored-rows.js';
import type { TakenRows } from '../file/take-rows.js';
import type { FilterStatement } from '../statements/filter-statement.js';
import type { RunningRead } from '../statements/ordered-plan.js';
import { type SearchPlan, storedColumns, unrankedRows } from '../statements/search-statements.js';
import type { NearestWanted, RowsWanted } from './vector-messages.js';

/** A search under way, with its time limit. */
export interface RunningSearch extends SearchPlan, RunningRead {}

/** A search of a vector index. */
export interface IndexedSearch {
  readonly nearest: NearestWanted;
  /** How the rows of its hits are read. */
  readonly rows: RowsWanted;
  readonly deadline: ReadTimeLimit;
}

/**
 * The request of a search to an index; `filter`: how the rows that pass its filter are found.
 * @throws EngineError `timeout`
 */
export function indexedSearch(
  wanted: RunningSearch,
  index: VectorIndex,
  filter: FilterStatement | undefined,
): IndexedSearch {
  const { plan, search, deadline } = wanted;
  const { limit, maxBytes } = plan.page;
  const { sql, sizeSql, passingSql, values, columns, numbers } = unrankedRows(
    wanted,
    limit + spareRows(limit),
  );
  return {
    nearest: {
      log: sqlVectorLog(plan.table, index),
      query: search.query,
      hitCount: numbers,
      filter,
      time: deadline.left(),
    },
    rows: {
      limit,
      metric: search.metric,
      statement: { sql, sizeSql, passingSql, values, numbers, readBigInts: readsBigInts(columns) },
      maxBytes,
    },
    deadline,
  };
}

/** Scores are sums of doubles, so the order of hits at almost equal distances may change: some more are read. */
function spareRows(limit: number): number {
  return Math.max(4, Math.ceil(limit / 50));
}

/**
 * The outcome of a search from its rows, the best first: score, then the stored columns of the plan. Without rows if
 * they are too large.
 * @throws EngineError `timeout`
 */
export function rankedOutcome(
  wanted: RunningSearch,
  { rows: found, isCut }: Pick<TakenRows, 'rows' | 'isCut'>,
): ReadOutcome {
  const { plan, search, deadline } = wanted;
  const rows = isCut ? [] : found;
  const stored = storedColumns(plan);
  const wantsSimilarity = stored.length < plan.columns.length;
  const decoded = decodeRows(
    rows.map((row) => row.slice(1)),
    stored,
    wanted,
  );
  const ranked = wantsSimilarity
    ? decoded.map((row, at) => [...row, similarityOf(search.metric, Number(rows[at]?.[0]))])
    : decoded;
  return {
    order: plan.order,
    columns: wantsSimilarity ? [...stored, similarityColumn] : stored,
    applied: { filter: true, order: true },
    chunks: [ranked],
    endedForSize: () => isCut,
    deadline,
  };
}
