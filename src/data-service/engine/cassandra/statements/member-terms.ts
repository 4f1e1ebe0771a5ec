// What CQL can be asked of the members of lists, sets and maps: that a value has one of them.
import { isExact } from '../../../column-types/text-fold.js';
import {
  comparedPart,
  type Filter,
  type MemberComparison,
  requiredMembersOf,
} from '../../../query/filter.js';
import { memberOperators } from '../../../query/member-operators.js';
import { containerIndexOn, indexesOn, type Table } from '../../../schema/table.js';
import { quotedColumn } from '../cql-names.js';
import { isUsable } from '../schema/engine-state.js';

/** A member that the value of a column has: an element, a key, a value, or an entry. */
export type MemberTerm = Pick<MemberComparison, 'column' | 'part'> & { readonly member: unknown };

/** Terms of one statement at most. */
const mostTerms = 8;
/** Members of a column that an index looks up one after another. */
const mostLookups = 100;
/** An index may lack larger members, in bytes. */
const mostIndexedBytes = 1_024;

/** Members that every row of the filter has, as far as nodes find the same rows as the filter. */
export function termsOf(table: Table, filter: Filter): readonly MemberTerm[] {
  const terms = requiredMembersOf(filter).flatMap((comparison) => {
    const { needs } = comparison.operator;
    const members = differentOperands(comparison);
    const isRequired = needs === 'allOf' || (needs === 'oneOf' && members.length === 1);
    return isRequired && isAskable(table, comparison, members) ? members.map(termWith(comparison)) : [];
  });
  return terms.slice(0, mostTerms);
}

/** A comparison with several members, of which rows have one at least, and which an index finds one after another. */
export function lookedUpMembers(table: Table, filter: Filter): MemberComparison | undefined {
  return requiredMembersOf(filter).find((comparison) => {
    const members = differentOperands(comparison);
    return (
      comparison.operator.needs === 'oneOf' &&
      members.length > 1 &&
      members.length <= mostLookups &&
      isAskable(table, comparison, members) &&
      isTermServed(table, comparison)
    );
  });
}

/** The members of a comparison, without those that repeat. */
export function differentOperands(comparison: MemberComparison): readonly unknown[] {
  const { type } = comparedPart(comparison);
  return [...new Map(comparison.operands.map((operand) => [type.identify(operand), operand])).values()];
}

/** Makes the term that requires a member of a comparison. */
export function termWith({ column, part }: MemberComparison): (member: unknown) => MemberTerm {
  return (member) => ({ column, part, member });
}

/** The comparison that rows match which have one of some members. */
export function havingOneOf(comparison: MemberComparison, members: readonly unknown[]): MemberComparison {
  return { ...comparison, operator: memberOperators.$in, operands: members };
}

/** Whether an index finds the rows with such members. */
export function isTermServed(table: Table, { column, part }: Pick<MemberTerm, 'column' | 'part'>): boolean {
  return containerIndexOn(table, column, part) !== undefined;
}

/**
 * Whether nodes find all rows with the members: without an index on the column, or by one that is built and compares as
 * the type does. They would use other indexes on the column, too.
 */
function isAskable(table: Table, comparison: MemberComparison, members: readonly unknown[]): boolean {
  const { column, part, fold } = comparison;
  if (fold !== undefined && !isExact(fold)) return false;
  const types = column.type.container?.members ?? [];
  if (types.length === 0 || types.some(({ cql }) => cql.hasSeveralForms === true)) return false;
  if (indexesOn(table, column).length === 0) return true;
  const index = containerIndexOn(table, column, part);
  if (index === undefined || !isUsable(index)) return false;
  if (index.fold !== null && !isExact(index.fold)) return false;
  const sizeOf = (member: unknown) =>
    encodedTerm({ column, part, member }).reduce((bytes, { length }) => bytes + length, 0);
  return members.every((member) => sizeOf(member) <= mostIndexedBytes);
}

/** The condition in CQL, with the values of its marks. */
export function termCondition(term: MemberTerm): readonly [text: string, values: readonly Buffer[]] {
  const name = quotedColumn(term.column);
  const values = encodedTerm(term);
  switch (term.part) {
    case 'elements':
    case 'values':
      return [`${name} CONTAINS ?`, values];
    case 'keys':
      return [`${name} CONTAINS KEY ?`, values];
    case 'entries':
      return [`${name}[?] = ?`, values];
  }
}

function encodedTerm({ column, part, member }: MemberTerm): readonly Buffer[] {
  const [first, second] = column.type.container?.members ?? [];
  if (first === undefined) throw new TypeError(`the column ${column.name} has no members`);
  if (part === 'elements' || part === 'keys') return [first.cql.encode(member)];
  if (second === undefined) throw new TypeError(`the column ${column.name} has no ${part}`);
  if (part === 'values') return [second.cql.encode(member)];
  const [key, value] = member as readonly [unknown, unknown]; // entries are these
  return [first.cql.encode(key), second.cql.encode(value)];
}
