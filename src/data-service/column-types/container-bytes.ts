// Lists, sets and maps in the form that Cassandra's protocol and driver use.
import type { ColumnType } from './column-type.js';
import type { MapEntry } from './container-members.js';
import { unexpected } from './driver-values.js';

/** The protocol's form: the number of members, then the length and the bytes of each part of each member. */
export function encodeMembers(members: readonly (readonly Buffer[])[]): Buffer {
  return Buffer.concat([
    int32(members.length),
    ...members.flat().flatMap((part) => [int32(part.length), part]),
  ]);
}

/**
 * The driver's value of a list or set: an array, or a `Set` if the driver is configured so. Elements without bytes,
 * which other clients can store, have no value: they are left out, as missing values of columns are.
 */
export function driverElements(element: ColumnType, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) && !(value instanceof Set)) throw unexpected('an array', value);
  return [...value].filter((part) => part !== null).map((part: unknown) => element.cql.fromDriver(part));
}

/** The driver's value of a map: an object, or a `Map` if the driver is configured so. The same for its entries. */
export function driverEntries(key: ColumnType, value: ColumnType, found: unknown): readonly MapEntry[] {
  if (typeof found !== 'object' || found === null) throw unexpected('an object', found);
  const entries: readonly (readonly [unknown, unknown])[] =
    found instanceof Map ? [...found] : Object.entries(found);
  return entries
    .filter(([name, part]) => name !== null && part !== null)
    .map(([name, part]) => [key.cql.fromDriver(name), value.cql.fromDriver(part)]);
}

/** The value of the CQL type `int`. */
export function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}
