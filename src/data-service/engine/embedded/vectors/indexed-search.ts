// A search as the vector index is asked for it, and how the rows that it finds are read.
import { vectorIndexOn } from '../../../schema/table.js';
import { sqlVectorLog } from '../file/sql-names.js';
import { readsBigInts } from '../file/stored-rows.js';
import { unrankedRows } from '../statements/search-statements.js';
import { filterStatement } from '../statements/vector-statements.js';
import { maxBytesOf, type RunningSearch } from './exact-search.js';
import type { NearestWanted, RowsWanted } from './vector-messages.js';

/** Both as plain data. */
export interface IndexedSearch {
  readonly nearest: NearestWanted;
  readonly rows: RowsWanted;
  /** What the vectors take that are read with the rows: for the score, and once more where they are wanted. */
  readonly vectorBytes: number;
}

/** Undefined where the column has no vector index. @throws EngineError `timeout` */
export function indexedSearch(wanted: RunningSearch): IndexedSearch | undefined {
  const { plan, search, deadline } = wanted;
  const index = vectorIndexOn(plan.table, search.column);
  if (index === undefined) return undefined;
  const { columns, ...statement } = unrankedRows(wanted, plan.limit + spareRows(plan.limit));
  const { numbers } = statement;
  return {
    nearest: {
      log: sqlVectorLog(plan.table, index),
      query: search.query,
      findCount: numbers,
      filter: filterStatement(plan),
      time: deadline.left(),
    },
    rows: {
      limit: plan.limit,
      metric: search.metric,
      statement: { ...statement, readBigInts: readsBigInts(columns) },
      maxBytes: maxBytesOf(wanted),
    },
    vectorBytes: numbers * search.query.byteLength * (plan.columns.includes(search.column) ? 2 : 1),
  };
}

/** Scores are sums in doubles: rows at the end that are almost equally near may change their places by them. */
function spareRows(limit: number): number {
  return Math.max(4, Math.ceil(limit / 50));
}
