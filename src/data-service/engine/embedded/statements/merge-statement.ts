// OrderedPlan → SQL for rows that lie in several index ranges, each of them in the order of the key: what a folded
// index finds for a list of texts, and choices each of which an index serves.
import { type Comparison, conjunctionOf, type Filter } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { rowsToRead } from '../../../query/read.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlIndex, sqlKeyIndex, sqlTable } from '../file/sql-names.js';
import { indexRanges, keyOrderedRange } from './index-ranges.js';
import { columnsToRead, type OrderedPlan } from './ordered-plan.js';
import { orderList, type SelectStatement, selectList } from './select-text.js';

/** More take SQLite longer to prepare than a slice may last. */
const mostRanges = 128;
/** Above it the text must not depend on the request alone: a range of a kept statement takes 6 KB. */
const mostOfAnyForm = 16;
/** Entries of indexes that one statement goes through: it must still be short. */
const mostEntries = 50_000;

/**
 * The first rows of all ranges together, in the plan's order; undefined where the rows lie in no such ranges, or in too
 * many of them.
 */
export function mergeStatement(plan: OrderedPlan): SelectStatement | undefined {
  const { table, filter, order, after } = plan;
  if (order !== table.keyOrder) return undefined;
  const wanted = rowsToRead(plan);
  const choices: (readonly SqlFragment[])[] = [];
  for (const choice of choicesOf(filter) ?? []) {
    const range = keyOrderedRange(choice, table);
    if (range === undefined) return undefined;
    const { seeks, index } = range;
    const name = index === undefined ? sqlKeyIndex(table) : sqlIndex(table, index);
    choices.push(indexRanges(plan, seeks, after).map((piece) => entriesOf(plan, name, piece, wanted)));
  }
  const entries = inFewForms(choices);
  if (entries === undefined || entries.length * wanted > mostEntries) return undefined;
  // A row may match several choices: UNION keeps it once.
  const numbers = `SELECT number FROM (${entries.map(({ sql }) => sql).join(' UNION ')})`;
  const columns = columnsToRead(plan);
  return {
    sql:
      `SELECT ${selectList(columns)} FROM (${numbers} ORDER BY ${orderList(plan)} ${boundLimit}) ` +
      `CROSS JOIN ${sqlTable(table)} ON ${rowIdColumn} = number ORDER BY ${orderList(plan)}`,
    values: [...entries.flatMap(({ values }) => values), wanted],
    columns,
  };
}

/**
 * All ranges. Prepared statements are kept by their text: many ranges must be of one form, and their number is
 * made a power of two by repeating the last choice, so that requests do not each bring a text of their own.
 */
function inFewForms(choices: readonly (readonly SqlFragment[])[]): readonly SqlFragment[] | undefined {
  const [first] = choices;
  const last = choices.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const all = choices.flat();
  if (all.length <= mostOfAnyForm) return all.length === 0 ? undefined : all;
  const form = (choice: readonly SqlFragment[]) => choice.map(({ sql }) => sql).join(' ');
  if (choices.some((choice) => form(choice) !== form(first))) return undefined;
  const missing = 2 ** Math.ceil(Math.log2(choices.length)) - choices.length;
  const padded = [...all, ...Array.from({ length: missing }, () => last).flat()];
  return padded.length > mostRanges ? undefined : padded;
}

/** Indexes hold the numbers of rows and their keys: only rows that are wanted are looked up. */
function entriesOf(plan: OrderedPlan, index: string, range: SqlFragment, wanted: number): SqlFragment {
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
