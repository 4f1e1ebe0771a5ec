// Finds the user-defined types inside types, and replaces their definitions.
import type { ColumnType, UserTypeDefinition } from './column-type.js';
import { inDialect } from './dialect.js';
import { frozenOf } from './frozen.js';
import { staticOf } from './static.js';
import { userDefinedOf } from './user-types.js';

/** The user-defined types that a type is or contains. */
export function userTypesIn(type: ColumnType): readonly UserTypeDefinition[] {
  const { userType, container, frozen, static: shared } = type;
  if (shared !== undefined) return userTypesIn(shared);
  if (userType !== undefined) return [userType];
  if (frozen !== undefined) return userTypesIn(frozen);
  return container?.members.flatMap(userTypesIn) ?? [];
}

/** The type with one definition instead of another; the same object if it does not contain that one. */
export function replaceUserType(
  type: ColumnType,
  before: UserTypeDefinition,
  after: UserTypeDefinition,
): ColumnType {
  if (!userTypesIn(type).some(({ name }) => name === before.name)) return type;
  const { container, frozen, static: shared } = type;
  if (shared !== undefined) return staticOf(replaceUserType(shared, before, after));
  const replaced = (part: ColumnType) => replaceUserType(part, before, after);
  const changed =
    frozen !== undefined
      ? frozenOf(replaced(frozen))
      : (container?.withMembers(container.members.map(replaced)) ?? userDefinedOf(after));
  return inDialect(changed, 'extended');
}
