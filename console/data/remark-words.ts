// Warnings about the reading command of this screen, in the words of what was done here: filtered, sorted, scrolled.
import { isList, isObject, type Json, parseJson } from '../json/exact-json.js';
import type { Remark } from './command.js';
import type { RowsQuery } from './find-command.js';
import { type Index, type Item, keyOf } from './schema.js';

/** A warning as it is shown. */
export interface ShownRemark {
  readonly code: string;
  readonly title: string;
  readonly text: string;
  /** What the server says. */
  readonly message: string;
  /** A column for which an index would help. */
  readonly indexColumn?: string | undefined;
}

/** What the words depend on. */
export interface RemarkContext {
  readonly item: Item;
  readonly query: RowsQuery;
  readonly indexes: readonly Index[];
}

/** The warnings to show. Several about the same thing are one, and what nobody did here is left out. */
export function shownRemarks(remarks: readonly Remark[], context: RemarkContext): readonly ShownRemark[] {
  const shown = new Map<string, ShownRemark>();
  for (const remark of remarks) {
    // A program may have forgotten the filter. Here all rows are wanted if it is empty.
    if (remark.code === 'ZERO_FILTER_OPERATIONS' && context.query.filter === '') continue;
    const one = { code: remark.code, message: remark.message, ...wordsOf(remark, context) };
    if (!shown.has(one.title)) shown.set(one.title, one);
  }
  return [...shown.values()];
}

const sortedInMemory =
  'The table keeps its rows in the order of its key. For this order the server reads all rows that match, and ' +
  'sorts them again for each page.';
const wholeTable = 'The server reads the whole table to find these rows.';

function wordsOf(
  { code, title }: Remark,
  { item, query, indexes }: RemarkContext,
): Pick<ShownRemark, 'title' | 'text' | 'indexColumn'> {
  const compared = comparisonsIn(query.filter);
  const withOperators = (pattern: RegExp) =>
    listed(compared.filter(({ operator }) => pattern.test(operator)).map(({ field }) => field));
  if (code === 'MISSING_INDEX') {
    const columns = unindexed(compared, item, indexes);
    return {
      title: `Your filter compares ${listed(columns) || 'a column'}, without an index`,
      text: `${wholeTable} With an index it reads only the rows that match.`,
      indexColumn: columns[0],
    };
  }
  if (code === 'INCOMPLETE_PRIMARY_KEY_FILTER') {
    const { partition } = keyOf(item.definition);
    return {
      title: 'Your filter has only a part of the primary key',
      text: `The server may read many rows to find these. It finds rows at once by ${listed(partition)}.`,
    };
  }
  // The console skips rows to read the next page of such a sort: nobody asked for it.
  if (code.startsWith('IN_MEMORY_SORTING_'))
    return {
      title: `Sorted by ${listed(namesIn(query.sort))} in memory`,
      text: sortedInMemory,
    };
  const notServed = notServedBy(code);
  if (notServed !== undefined)
    return {
      title: `The index on ${withOperators(notServed.operators)} does not serve ${notServed.what}`,
      text: wholeTable,
    };
  return { title: title === '' ? code : title, text: '' };
}

function notServedBy(code: string) {
  if (code === 'NOT_EQUALS_UNSUPPORTED_BY_INDEXING') return { operators: /^\$ne$/, what: '≠' };
  if (code === 'NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING') return { operators: /^\$nin$/, what: '“not in”' };
  if (code === 'EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING')
    return { operators: /^\$(eq|in)$/, what: 'such texts' };
  if (code === 'COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING')
    return { operators: /^\$[gl]te?$/, what: 'ranges of its type' };
  return undefined;
}

interface Comparison {
  readonly field: string;
  readonly operator: string;
}

/** What a filter compares, also within `$and`, `$or` and `$not`. */
function comparisonsIn(filter: string): readonly Comparison[] {
  return comparisonsOf(filter === '' ? {} : parseJson(filter));
}

function comparisonsOf(value: Json): readonly Comparison[] {
  if (isList(value)) return value.flatMap(comparisonsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, operand = null]) => {
    if (field.startsWith('$')) return comparisonsOf(operand);
    const operators = isObject(operand) ? Object.keys(operand).filter((name) => name.startsWith('$')) : [];
    return operators.length === 0
      ? [{ field, operator: '$eq' }]
      : operators.map((operator) => ({ field, operator }));
  });
}

/** The columns outside the key that have no index for filters. */
function unindexed(
  compared: readonly Comparison[],
  { definition }: Item,
  indexes: readonly Index[],
): readonly string[] {
  const { partition, clustering } = keyOf(definition);
  const isIndexed = (name: string) =>
    indexes.some(({ column, type }) => {
      // An index may be on a part of a list, set or map: `{"tags":"$values"}`.
      const isOn = column === name || column.startsWith(`{${JSON.stringify(name)}:`);
      return isOn && type === 'regular';
    });
  const names = new Set(compared.map(({ field }) => field));
  return [...names].filter(
    (name) => !partition.includes(name) && !clustering.includes(name) && !isIndexed(name),
  );
}

function namesIn(clause: string): readonly string[] {
  const value = clause === '' ? {} : parseJson(clause);
  return isObject(value) ? Object.keys(value) : [];
}

/** Joins names as a sentence does: `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  const all = [...new Set(names)];
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}
