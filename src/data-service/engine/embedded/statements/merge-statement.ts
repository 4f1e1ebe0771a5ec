// OrderedPlan → SQL for rows in several index ranges, each in the order of the key: a list of texts in a folded index,
// or alternatives that each have an index, also on members.
import {
  type Filter,
  isComparison,
  isConjunction,
  requiredDocumentsOf,
  requiredMembersOf,
  requiredOf,
} from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { rowsToRead } from '../../../query/read.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlIndex, sqlKeyIndex, sqlMembers, sqlTable } from '../file/sql-names.js';
import { indexRanges, keyOrderedRange } from './index-ranges.js';
import { type Conjunction, wholeMembers } from './member-ranges.js';
import { memberColumn } from './member-statements.js';
import { columnsToRead, type OrderedPlan } from './ordered-plan.js';
import { orderList, type SelectStatement, selectList } from './select-text.js';

/** SQLite takes longer to prepare more ranges than a slice may take. */
const mostRanges = 128;
/**
 * Above this number, the text of the statement must not depend on the request alone: each range of a cached statement
 * takes 6 KB.
 */
const mostOfAnyForm = 16;
/** The maximum number of index entries that one statement reads, so that it is still short. */
const mostEntries = 50_000;

/**
 * The first rows of all ranges together, in the plan's order; undefined if the rows are not in such ranges, or in too
 * many of them.
 */
export function mergeStatement(plan: OrderedPlan): SelectStatement | undefined {
  const { table, filter, order } = plan;
  if (order !== table.keyOrder) return undefined;
  const wanted = rowsToRead(plan);
  const choices: (readonly SqlFragment[])[] = [];
  let count = 0;
  for (const choice of choicesOf(filter) ?? []) {
    const ranges = rangesOf(plan, choice);
    count += ranges?.length ?? 0;
    if (ranges === undefined || count > mostRanges) return undefined;
    choices.push(ranges.map((range) => entriesOf(plan, range, wanted)));
  }
  const entries = inFewForms(choices);
  if (entries === undefined || entries.length * wanted > mostEntries) return undefined;
  // A row may match several alternatives: UNION keeps it once.
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
 * All ranges. Prepared statements are cached by their text. To limit the number of texts, many ranges must have the
 * same form, and their number is raised to a power of two by repeating the last one.
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

/** The ranges of indexes that together are exactly the rows of an alternative, as `… WHERE …`. */
function rangesOf(
  { table, order, after }: OrderedPlan,
  choice: Conjunction,
): readonly SqlFragment[] | undefined {
  if (choice.members.length === 0) {
    const range = keyOrderedRange(choice.values, table);
    if (range === undefined) return undefined;
    const name = range.index === undefined ? sqlKeyIndex(table) : sqlIndex(table, range.index);
    const from = `${sqlTable(table)} INDEXED BY ${name} WHERE `;
    return indexRanges({ order }, range.seeks, after ?? null).map(({ sql, values }) => ({
      sql: from + sql,
      values,
    }));
  }
  const range = wholeMembers(choice, table);
  if (range === undefined) return undefined;
  const { index, identities } = range.found;
  const from = `${sqlMembers(table, index)} WHERE ${memberColumn} = ?`;
  const keys = indexRanges({ order }, range.seeks, after ?? null);
  return identities.flatMap((identity) =>
    keys.map(({ sql, values }) => {
      return { sql: sql === '' ? from : `${from} AND ${sql}`, values: [identity, ...values] };
    }),
  );
}

/** Index entries have the number and the key of rows, so only the rows of the result are looked up. */
function entriesOf(plan: OrderedPlan, { sql, values }: SqlFragment, wanted: number): SqlFragment {
  const entry = [`${rowIdColumn} AS number`, ...plan.table.keyColumns.map(sqlColumn)].join(', ');
  return {
    sql: `SELECT * FROM (SELECT ${entry} FROM ${sql} ORDER BY ${orderList(plan)} ${boundLimit})`,
    values: [...values, wanted],
  };
}

/** The filter as alternatives, each of which is a conjunction; undefined for filters of another form. */
function choicesOf(filter: Filter): readonly Conjunction[] | undefined {
  if (requiredDocumentsOf(filter).length > 0) return undefined; // found by their entries
  if (isConjunction(filter))
    return foldedChoices({ values: requiredOf(filter), members: requiredMembersOf(filter) });
  if (isComparison(filter)) return undefined; // conjunctions
  if (filter.kind === 'and') {
    const [only, ...more] = filter.filters;
    return only === undefined || more.length > 0 ? undefined : choicesOf(only);
  }
  const choices = filter.filters.map(choicesOf);
  return choices.includes(undefined) ? undefined : choices.flatMap((each) => each ?? []);
}

/** One alternative, or one for each text of a list in a folded index. */
function foldedChoices({ values, members }: Conjunction): readonly Conjunction[] {
  const list = values.find(({ fold, operator }) => fold !== undefined && operator.name === '$in');
  if (list === undefined) return [{ values, members }];
  const others = values.filter((one) => one !== list);
  return list.operands.map((text) => {
    return { values: [{ ...list, operator: filterOperators.$eq, operands: [text] }, ...others], members };
  });
}
