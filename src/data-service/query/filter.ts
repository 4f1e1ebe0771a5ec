// A filter in the form for engines: comparisons of columns with values, joined by "and" and "or".

import type { JsonObject } from '../../foundation/json/json-value.js';
import { type ContainerPart, type PartName, partsOf } from '../column-types/column-type.js';
import { foldText, isSteady, type TextFold } from '../column-types/text-fold.js';
import { fromColumns } from '../documents/document-columns.js';
import type { DocumentFilter } from '../documents/document-filter.js';
import { matchesDocument } from '../documents/match-filter.js';
import { type Collection, collectionColumns } from '../schema/collection.js';
import type { Column, ServedFolds, Table } from '../schema/table.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import type { FilterOperator } from './filter-operators.js';
import type { MemberOperator } from './member-operators.js';
import { tokensOf } from './word-search.js';

/** A column compared with values. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly column: Column;
  readonly operator: FilterOperator;
  /** Texts are compared in the form of the column's index; the operands already have this form. */
  readonly fold?: TextFold;
  /** For `$match`: the value is compared as the list of its tokens, and the operands are tokens. */
  readonly analyzer?: Analyzer;
  /** Values of the column's type, never null: one, or any number for a list operator. */
  readonly operands: readonly unknown[];
}

/** The members of a list, set or map, or one part of them, compared with values. */
export interface MemberComparison {
  readonly kind: 'members';
  readonly column: Column;
  readonly part: PartName;
  readonly operator: MemberOperator;
  /** Members that are texts are compared in the form of the index of this part; the operands already have this form. */
  readonly fold?: TextFold;
  /** Values of the type of the part, any number of them. */
  readonly operands: readonly unknown[];
}

/** The document of a row compared with a filter on its paths. */
export interface DocumentComparison {
  readonly kind: 'document';
  readonly collection: Collection;
  readonly filter: DocumentFilter;
  /** For `$match` in it. */
  readonly analyzer?: Analyzer;
}

/**
 * There is no "not": it is replaced by negated operators. An empty "and" matches every row, an empty "or" (a negated
 * empty "and") matches none.
 */
export type Filter =
  | Comparison
  | MemberComparison
  | DocumentComparison
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] };

/** The filter that matches every row. */
export const matchAll: Filter = { kind: 'and', filters: [] };

/** Whether the filter matches every row. */
export function matchesAll(filter: Filter): boolean {
  return filter.kind === 'and' && filter.filters.every(matchesAll);
}

/** The reference meaning of a filter. `valueOfColumn` returns null for a missing value. */
export function matchesFilter(filter: Filter, valueOfColumn: (column: Column) => unknown): boolean {
  switch (filter.kind) {
    case 'comparison': {
      const { column, operator, operands } = filter;
      const value = valueOfColumn(column);
      return operator.matches(column.type, value === null ? value : comparedForm(filter, value), operands);
    }
    case 'members':
      return matchesMembers(filter, valueOfColumn(filter.column));
    case 'document':
      return matchesDocument(filter.filter, documentOf(filter.collection, valueOfColumn), filter.analyzer);
    case 'and':
      return filter.filters.every((part) => matchesFilter(part, valueOfColumn));
    case 'or':
      return filter.filters.some((part) => matchesFilter(part, valueOfColumn));
  }
}

/** The whole document, without its vector. */
function documentOf(collection: Collection, valueOfColumn: (column: Column) => unknown): JsonObject {
  const { document, reserved, lexical } = collectionColumns(collection);
  // The columns contain texts.
  return fromColumns({
    text: valueOfColumn(document) as string,
    reserved: valueOfColumn(reserved) as string | null,
    vector: undefined,
    lexical: lexical === undefined ? null : (valueOfColumn(lexical) as string | null),
  });
}

/** The form of a value that is compared. Only texts have other forms. */
export function comparedForm(
  { fold, analyzer }: Pick<Comparison, 'fold' | 'analyzer'>,
  value: unknown,
): unknown {
  if (analyzer !== undefined) return tokensOf(value as string, analyzer);
  return fold === undefined ? value : foldText(value as string, fold);
}

/** Whether an index that serves only some filters on folded texts serves this comparison. */
export function isFoldServed(served: ServedFolds | undefined, { operator, operands }: Comparison): boolean {
  if (served === undefined) return true;
  const isServed = (operand: unknown) => typeof operand === 'string' && isSteady(operand);
  const isEquality = operator.name === '$eq' || operator.name === '$in';
  return served === 'equalSteady' && isEquality && operands.every(isServed);
}

/** Whether the members of a stored value, null for none, match. */
export function matchesMembers(comparison: Omit<MemberComparison, 'kind'>, value: unknown): boolean {
  const { operator, operands, fold } = comparison;
  const { type, members } = comparedPart(comparison);
  const compared = value === null ? [] : members(value);
  // Only texts have folds.
  const folded = fold === undefined ? compared : compared.map((member) => foldText(member as string, fold));
  return operator.matches(type, folded, operands);
}

/** The part of a container that is compared. */
export function comparedPart({
  column,
  part,
}: Pick<MemberComparison, 'column' | 'part'>): ContainerPart<unknown> {
  const found = partsOf(column.type)?.[part];
  if (found === undefined) throw new TypeError(`the column ${column.name} has no ${part}`);
  return found;
}

/** All comparisons of values and of members, each in the order of the command. */
export interface ComparisonsByKind {
  readonly values: readonly Comparison[];
  readonly members: readonly MemberComparison[];
}

/** All comparisons of a filter but those of documents. */
export function comparisonsByKind(filter: Filter): ComparisonsByKind {
  const [values, members]: [Comparison[], MemberComparison[]] = [[], []];
  takeByKind(filter, values, members);
  return { values, members };
}

function takeByKind(filter: Filter, values: Comparison[], members: MemberComparison[]): void {
  if (filter.kind === 'comparison') values.push(filter);
  else if (filter.kind === 'members') members.push(filter);
  else if (!isComparison(filter)) for (const part of filter.filters) takeByKind(part, values, members);
}

/** The columns that a filter compares, repeated for each comparison. */
export function comparedColumns(filter: Filter): readonly Column[] {
  return everyComparison(filter).flatMap((one) =>
    one.kind === 'document' ? documentColumns(one) : [one.column],
  );
}

function documentColumns({ collection }: DocumentComparison): readonly Column[] {
  const { document, reserved, lexical } = collectionColumns(collection);
  return lexical === undefined ? [document, reserved] : [document, reserved, lexical];
}

type AnyComparison = Comparison | MemberComparison | DocumentComparison;

/** Whether the filter has no parts. */
export function isComparison(filter: Filter): filter is AnyComparison {
  return filter.kind !== 'and' && filter.kind !== 'or';
}

/** The comparisons of documents that must all be true, whatever else the filter contains. */
export function requiredDocumentsOf(filter: Filter): readonly DocumentComparison[] {
  return everyRequired(filter).filter((one) => one.kind === 'document');
}

function everyComparison(filter: Filter, found: AnyComparison[] = []): readonly AnyComparison[] {
  if (isComparison(filter)) found.push(filter);
  else for (const part of filter.filters) everyComparison(part, found);
  return found;
}

/**
 * The comparisons that must all be true, if the filter has no others; undefined if an "or" has several branches, or if
 * members are compared.
 */
export function conjunctionOf(filter: Filter): readonly Comparison[] | undefined {
  const found: Comparison[] = [];
  return takeConjunction(filter, found) ? found : undefined;
}

function takeConjunction(filter: Filter, found: Comparison[]): boolean {
  if (filter.kind === 'comparison') {
    found.push(filter);
    return true;
  }
  if (isComparison(filter) || (filter.kind === 'or' && filter.filters.length !== 1)) return false;
  return filter.filters.every((part) => takeConjunction(part, found));
}

/** The comparisons of values that must all be true, whatever else the filter contains. */
export function requiredOf(filter: Filter): readonly Comparison[] {
  return everyRequired(filter).filter((one) => one.kind === 'comparison');
}

/** The comparisons of members that must all be true, whatever else the filter contains. */
export function requiredMembersOf(filter: Filter): readonly MemberComparison[] {
  return everyRequired(filter).filter((one) => one.kind === 'members');
}

function everyRequired(filter: Filter, found: AnyComparison[] = []): readonly AnyComparison[] {
  if (isComparison(filter)) found.push(filter);
  else if (filter.kind === 'and' || filter.filters.length === 1)
    for (const part of filter.filters) everyRequired(part, found);
  return found;
}

/** Whether the filter is nothing but comparisons that must all be true. */
export function isConjunction(filter: Filter): boolean {
  if (isComparison(filter)) return true;
  return (filter.kind === 'and' || filter.filters.length === 1) && filter.filters.every(isConjunction);
}

/** Whether a filter selects rows of one partition only: every partition column must equal one value. */
export function fixesPartition(filter: Filter, table: Table): boolean {
  const comparisons = requiredOf(filter);
  return table.partitionKey.every((key) =>
    comparisons.some(({ column, operator }) => column === key && operator.name === '$eq'),
  );
}
