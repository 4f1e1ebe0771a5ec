// The operators of filters on the members of lists, sets and maps: one entry each.
import { type OperatorName, operatorsOn } from '../../descriptions/filter-operators.js';
import type { MemberType } from '../column-types/column-type.js';
import { areAllIn, isNamedBy } from '../column-types/container-members.js';

/** The names of the operators. No command names `$notAll`: it replaces `$all` under `$not`. */
export type MemberOperatorName = OperatorName<'members'> | '$notAll';

/** All facts about an operator. */
export interface MemberOperator {
  readonly name: MemberOperatorName;
  /** The operator that replaces it under `$not`. */
  readonly negation: MemberOperatorName;
  /** Whether every matching row has one of the operands as a member, at least: an index then finds these rows. */
  readonly needs: 'oneOf' | 'allOf' | 'none';
  /** Whether a row matches. A missing value has no members. */
  matches(type: MemberType, members: readonly unknown[], operands: readonly unknown[]): boolean;
}

const hasOne: MemberOperator['matches'] = (type, members, operands) =>
  members.some(isNamedBy(type, operands));
const hasAll: MemberOperator['matches'] = (type, members, operands) => areAllIn(type, operands, members);

/** The keys are the names. */
export const memberOperators: Readonly<Record<MemberOperatorName, MemberOperator>> = {
  $in: { name: '$in', negation: '$nin', needs: 'oneOf', matches: hasOne },
  $nin: {
    name: '$nin',
    negation: '$in',
    needs: 'none',
    matches: (type, members, operands) => !hasOne(type, members, operands),
  },
  $all: { name: '$all', negation: '$notAll', needs: 'allOf', matches: hasAll },
  $notAll: {
    name: '$notAll',
    negation: '$all',
    needs: 'none',
    matches: (type, members, operands) => !hasAll(type, members, operands),
  },
};

/** The operators that commands can name. */
export const writtenMemberOperators = operatorsOn('members');

/** The operator that a command names, or undefined. */
export function memberOperatorNamed(name: string): MemberOperator | undefined {
  // Just checked.
  return writtenMemberOperators.includes(name) ? memberOperators[name as MemberOperatorName] : undefined;
}
