// SQL functions that change lists, sets, maps and counters inside a statement, so that simultaneous changes all count.
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { ContainerSide, SqlSide } from '../../../column-types/column-type.js';
import { listOf } from '../../../column-types/containers.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { containerOf } from '../../../query/write.js';
import type { Column } from '../../../schema/table.js';
import { sqlColumn } from './sql-names.js';

/** By name; for the writer's connection. Arguments: the type's name, the stored value, and the operand. */
export const changeFunctions: SqlFunctions = {
  push_to: (typeName, stored, pushed) => {
    if (pushed === null) return stored;
    const { container, decode, encode } = containerNamed(typeName);
    if (stored === null) return pushed;
    const added = decode(pushed);
    return container.addToStored?.(String(stored), added) ?? encode(container.add(decode(stored), added));
  },
  pull_from: (typeName, stored, names) => {
    const { container, decode, encode } = containerNamed(typeName);
    if (stored === null) return null;
    // A list type decodes to a list.
    const pulled = listOf(container.namedBy).sql.decode(String(names)) as readonly unknown[];
    const left = container.removeFromStored?.(String(stored), pulled);
    return left === undefined ? encode(container.remove(decode(stored), pulled)) : left;
  },
  add_to: (typeName, stored, added) => {
    const type = columnTypeOfName(String(typeName));
    if (type?.add === undefined) throw new TypeError(`there is no counter type ${typeName}`);
    const decode = (digits: SqlValue) => (digits === null ? null : type.sql.decode(BigInt(String(digits))));
    return type.sql.encode(type.add(decode(stored), decode(added)));
  },
};

/** The value of the column after `pushed` was added; `pushed` is SQL for a stored value or null. */
export function pushExpression(column: Column, pushed: string): string {
  const stored = sqlColumn(column);
  const joined = containerOf(column).joined?.(stored, pushed);
  if (joined === undefined) return `push_to('${column.type.name}', ${stored}, ${pushed})`;
  return `coalesce(${joined}, ${stored}, ${pushed})`; // text that is joined with NULL is NULL
}

/** The value of the column after members were removed; the placeholder is for `pullOperand`. */
export function pullExpression(column: Column): string {
  return `pull_from('${column.type.name}', ${sqlColumn(column)}, ?)`;
}

/**
 * The value of the column after adding `added`, SQL for a stored value. The function gets integers as decimal digits,
 * because numbers are not exact beyond 2^53. SQLite's own sum would become floating-point beyond 2^63.
 */
export function addExpression(column: Column, added: string): string {
  return `add_to('${column.type.name}', CAST(${sqlColumn(column)} AS TEXT), CAST(${added} AS TEXT))`;
}

/** The names of members to remove, in the form of the function's argument. */
export function pullOperand(column: Column, names: readonly unknown[]): SqlValue {
  return listOf(containerOf(column).namedBy).sql.encode(names);
}

interface StoredContainer {
  readonly container: ContainerSide<unknown>;
  decode(stored: SqlValue): unknown;
  encode(value: unknown): SqlValue;
}

function containerNamed(name: SqlValue): StoredContainer {
  const type = columnTypeOfName(String(name));
  if (type?.container === undefined) throw new TypeError(`there is no list, set or map type ${name}`);
  const sql: SqlSide<unknown> = type.sql;
  return {
    container: type.container,
    decode: (stored) => (stored === null ? null : sql.decode(stored)),
    encode: (value) => (value === null ? null : sql.encode(value)),
  };
}
