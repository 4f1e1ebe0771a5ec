// Frozen lists, sets, maps and values of user-defined types, in columns that exist: stored and listed. Commands of the
// extended dialect read, filter and write them as a whole.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { ColumnType, SqlSide } from './column-type.js';

const known = new WeakMap<ColumnType, ColumnType>();

/** The frozen type with the values of `type`, not a scalar. The same type always gives the same object. */
export function frozenOf(type: ColumnType): ColumnType {
  return getOrMake(known, type, makeFrozen);
}

/**
 * Without `container`: members cannot be added to a frozen value or removed from it. Unlike other lists, sets and maps
 * an empty one is a value, which rows omit. A value of a user-defined type without any field is one that rows show.
 */
function makeFrozen(type: ColumnType): ColumnType {
  const { container, isAbsent: _, ...rest } = type;
  const { cells: __, ...cql } = type.cql;
  return {
    ...rest,
    ...(container !== undefined && {
      isOmitted: (value: unknown) => container.isEmpty(value),
      sql: withoutEmpty(type.sql),
    }),
    name: `frozen<${type.name}>`,
    ...(type.label !== undefined && { label: `frozen<${type.label}>` }),
    help: `${type.help}; written and read as a whole by the native query language alone`,
    cql: { ...cql, type: `frozen<${type.cql.type}>` },
    traits: { ...type.traits, creatable: false },
    apiSupport: { createTable: false, insert: false, read: false, filter: false },
    frozen: type,
  };
}

/** Stored values are not shown as they are, because empty ones are omitted. */
function withoutEmpty({ written: _, serialized, ...sql }: SqlSide<unknown>): SqlSide<unknown> {
  if (serialized === undefined) return sql;
  return { ...sql, serialized: (column) => `iif(${column} IN ('[]', '{}'), 'null', ${serialized(column)})` };
}
