// SQL functions for the members of lists, sets and maps: for the indexes that contain them, and for filters on them.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { type ContainerPart, type PartName, partsOf } from '../../../column-types/column-type.js';
import { foldText, type TextFold } from '../../../column-types/text-fold.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { comparedPart, type MemberComparison } from '../../../query/filter.js';
import { type MemberOperatorName, memberOperators } from '../../../query/member-operators.js';
import type { ContainerIndex } from '../../../schema/table.js';
import type { SqlFragment } from './sql-fragment.js';

/**
 * `members_of(part, stored, other)`: a JSON array of the identities of the members of a stored container, each once,
 * without those of `other`; see `membersExpression`. `has_members(stored, comparison)`: see `membersCondition`.
 */
export const memberFunctions: SqlFunctions = {
  members_of: (part, stored, other) => {
    const identities = getOrMake(readers, String(part), readerOf);
    const present = new Set(identities(stored));
    for (const identity of identities(other)) present.delete(identity);
    return JSON.stringify([...present]);
  },
  has_members: (stored, packed) => (getOrMake(matchers, String(packed), matcherOf)(stored) ? 1 : 0),
};

/** SQL for a table with the column `value`: the members of `stored` that are not in `other`, both SQL. */
export function membersExpression(
  { column, part, fold }: Pick<ContainerIndex, 'column' | 'part' | 'fold'>,
  stored: string,
  other = 'NULL',
): string {
  const packed: PackedPart = [column.type.name, part, fold];
  return `json_each(members_of('${JSON.stringify(packed).replaceAll("'", "''")}', ${stored}, ${other}))`;
}

/** The identities of the operands of a comparison, as an index contains them. */
export function identitiesOf(comparison: MemberComparison): readonly string[] {
  const { type } = comparedPart(comparison);
  return [...new Set(comparison.operands.map((operand) => type.identify(operand)))];
}

/** A condition that calls the operator's own `matches`; `stored` is the SQL of the column. */
export function membersCondition(stored: string, comparison: MemberComparison): SqlFragment {
  const { column, part, operator, fold = null } = comparison;
  const packed: PackedComparison = [[column.type.name, part, fold], operator.name, identitiesOf(comparison)];
  return { sql: `has_members(${stored}, ?)`, values: [JSON.stringify(packed)] };
}

type PackedPart = readonly [type: string, part: PartName, fold: TextFold | null];
type PackedComparison = readonly [
  part: PackedPart,
  operator: MemberOperatorName,
  identities: readonly string[],
];

/** Indexes and filters of recent statements: a statement calls its function for each row. */
const readers = new GenerationCache<(stored: SqlValue) => readonly string[]>(100);
const matchers = new GenerationCache<(stored: SqlValue) => boolean>(100);

/** The identities of the members of a stored container. */
function readerOf(packed: string): (stored: SqlValue) => readonly string[] {
  const { part, membersOf } = unpackPart(JSON.parse(packed)); // what `membersExpression` wrote
  return (stored) => membersOf(stored).map((member) => part.type.identify(member));
}

function matcherOf(packed: string): (stored: SqlValue) => boolean {
  const [packedPart, operatorName, identities]: PackedComparison = JSON.parse(packed); // what `membersCondition` wrote
  const { part, membersOf } = unpackPart(packedPart);
  const operands = identities.map((identity) => part.type.identified(identity));
  const operator = memberOperators[operatorName];
  return (stored) => operator.matches(part.type, membersOf(stored), operands);
}

interface UnpackedPart {
  readonly part: ContainerPart<unknown>;
  /** The members of a stored value, none for null, in the form of the index. */
  membersOf(stored: SqlValue): readonly unknown[];
}

function unpackPart([typeName, partName, fold]: PackedPart): UnpackedPart {
  const type = columnTypeOfName(typeName);
  const part = type === undefined ? undefined : partsOf(type)?.[partName];
  if (type === undefined || part === undefined)
    throw new TypeError(`the ${partName} of ${typeName} are not known here`);
  const membersOf = (stored: SqlValue) => (stored === null ? [] : part.members(type.sql.decode(stored)));
  if (fold === null) return { part, membersOf };
  // Only texts have folds.
  return { part, membersOf: (stored) => membersOf(stored).map((member) => foldText(member as string, fold)) };
}
