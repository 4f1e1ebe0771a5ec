// ReadPlan → SQL for rows that lie in several stretches of indexes, each of them in the order of the key: what a
// folded index finds for a list of texts, and choices each of which an index serves.
import { type Comparison, conjunctionOf, type Filter } from '../../query/filter.js';
import { filterOperators } from '../../query/filter-operators.js';
import { columnsToRead, type ReadPlan, rowsToRead } from '../../query/read.js';
import { orderList, type SelectStatement, selectList, stretchOf, walkRanges } from './select-statement.js';
import { boundLimit, type SqlFragment } from './sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlIndex, sqlKeyIndex, sqlTable } from './sql-names.js';

/** SQLite joins 500 statements to one. */
const mostStretches = 400;
/** Entries of indexes that one statement goes through: it must still be short. */
const mostEntries = 50_000;

/**
 * The first rows of all stretches together, in the plan's order; undefined where the rows lie in no such stretches, or
 * in too many of them.
 */
export function mergeStatement(plan: ReadPlan): SelectStatement | undefined {
  const { table, filter, order, after } = plan;
  if (order !== table.keyOrder) return undefined;
  const wanted = rowsToRead(plan);
  const entries: SqlFragment[] = [];
  for (const choice of choicesOf(filter) ?? []) {
    const stretch = stretchOf(choice, table);
    if (stretch === undefined) return undefined;
    const { restrictions, index } = stretch;
    const name = index === undefined ? sqlKeyIndex(table) : sqlIndex(table, index);
    for (const range of walkRanges(plan, restrictions, after))
      entries.push(entriesOf(plan, name, range, wanted));
  }
  if (entries.length === 0 || entries.length > mostStretches || entries.length * wanted > mostEntries)
    return undefined;
  // A row may match several choices: UNION keeps it once.
  const numbers = `SELECT number FROM (${entries.map(({ sql }) => sql).join(' UNION ')})`;
  const columns = columnsToRead(plan);
  return {
    sql:
      `SELECT ${selectList(columns)} FROM (${numbers} ORDER BY ${orderList(plan)} ${boundLimit}) ` +
      `CROSS JOIN ${sqlTable(table)} ON ${rowIdColumn} = number`,
    values: [...entries.flatMap(({ values }) => values), wanted],
    columns,
  };
}

/** Indexes hold the numbers of rows and their keys: only rows that are wanted are looked up. */
function entriesOf(plan: ReadPlan, index: string, range: SqlFragment, wanted: number): SqlFragment {
  const entry = [`${rowIdColumn} AS number`, ...plan.table.keyColumns.map(sqlColumn)].join(', ');
  const from = `${sqlTable(plan.table)} INDEXED BY ${index}`;
  return {
    sql: `SELECT * FROM (SELECT ${entry} FROM ${from} WHERE ${range.sql} ORDER BY ${orderList(plan)} ${boundLimit})`,
    values: [...range.values, wanted],
  };
}

/** The filter as choices of comparisons that must all hold; undefined for filters of another form. */
function choicesOf(filter: Filter): readonly (readonly Comparison[])[] | undefined {
  const all = conjunctionOf(filter);
  if (all !== undefined) return foldedChoices(all);
  if (filter.kind === 'comparison') return undefined; // which is a conjunction
  if (filter.kind === 'and') {
    const [only, ...more] = filter.filters;
    return only === undefined || more.length > 0 ? undefined : choicesOf(only);
  }
  const choices = filter.filters.map(choicesOf);
  return choices.includes(undefined) ? undefined : choices.flatMap((each) => each ?? []);
}

/** One choice, or one for each text of a list that an index folds. */
function foldedChoices(all: readonly Comparison[]): readonly (readonly Comparison[])[] {
  const list = all.find(({ fold, operator }) => fold !== undefined && operator.name === '$in');
  if (list === undefined) return [all];
  const others = all.filter((one) => one !== list);
  return list.operands.map((text) => [
    { ...list, operator: filterOperators.$eq, operands: [text] },
    ...others,
  ]);
}
