// Types of key columns whose values an engine reads and writes as bytes.
import { getOrMake } from '../../foundation/get-or-make.js';
import { blob } from './blob.js';
import type { ColumnType } from './column-type.js';

const known = new WeakMap<ColumnType, ColumnType>();

/**
 * The type with the bytes of stored values as its values: for key columns that commands cannot read, or whose equal
 * values can have different bytes. Only an engine uses these values, in positions and in statements that name rows.
 * They are ordered by their bytes, which is not the order of rows in a cluster. The same type always gives the same
 * object.
 */
export function keyBytesOf(type: ColumnType): ColumnType {
  return getOrMake(known, type, makeKeyBytes);
}

function makeKeyBytes(type: ColumnType): ColumnType {
  // Bytes are all values that the new type has.
  const { parse, serialize, compare, cql } = blob as ColumnType;
  return {
    ...type,
    parse,
    serialize,
    compare,
    cql: { type: type.cql.type, encode: cql.encode, fromDriver: cql.fromDriver, selectedAs: 'blob' },
  };
}
