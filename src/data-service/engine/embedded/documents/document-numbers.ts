// The numbers of the documents that match a filter, for searches by vectors and by words.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { boundLimit } from '../file/sql-fragment.js';
import { rowIdColumn, sqlTable } from '../file/sql-names.js';
import { documentSearch } from '../statements/document-search.js';
import type { FilterStatement } from '../statements/filter-statement.js';
import type { OrderedPlan } from '../statements/ordered-plan.js';
import { entryPart, hasNoRange, mostRangesOfFew, rangesOf } from './entry-part.js';
import { byNumberStatement } from './entry-reads.js';
import { fewestEntries, seeksOnKnownPaths, surveyNow } from './entry-survey.js';

/** So many entries are read, and so many documents compared, at once; others in slices, with the time limit. */
const mostAtOnce = { entries: 50_000, documents: 2_000 } as const;

/**
 * The statement that finds the numbers by entries; undefined if these are too many to be read at once, or do not help.
 * It counts some entries of each condition, as a short read.
 */
export function documentNumbers(database: Database, plan: OrderedPlan): FilterStatement | undefined {
  const { table, filter } = plan;
  const search = documentSearch({ table, filter, order: null });
  if (search === undefined) return undefined;
  const ranges = rangesOf(search.seeks);
  if (search.seeks.some(hasNoRange)) return noNumbers(plan);
  if (ranges === 0 || ranges > mostRangesOfFew) return undefined;
  const seeks = seeksOnKnownPaths(database, table, search.seeks);
  if (seeks.some(hasNoRange)) return noNumbers(plan);
  const survey = surveyNow(database, plan, seeks);
  const chosen = fewestEntries(survey);
  const { entries: expected = Number.POSITIVE_INFINITY } = survey.counts[chosen] ?? {};
  const part = entryPart({ table, filter, columns: [] }, search, { seeks, chosen, survey });
  const compares = part.isExact && part.checks.length === 0 ? 'nothing' : 'documents';
  // A range of keys that was not counted is infinite: its entries are in the order of its values.
  if (expected > (compares === 'nothing' ? mostAtOnce.entries : mostAtOnce.documents)) return undefined;
  const { sql, values } = byNumberStatement(part, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  // The last value is the maximum number of documents.
  return { kind: 'seek', compares, expected, sql, values: values.slice(0, -1) };
}

function noNumbers({ table }: OrderedPlan): FilterStatement {
  return {
    kind: 'seek',
    compares: 'nothing',
    sql: `SELECT ${rowIdColumn} FROM ${sqlTable(table)} WHERE 0 ${boundLimit}`,
    values: [],
  };
}
