// The types of the members of lists, sets and maps, in the form for filters and indexes.
import { getOrMake } from '../../foundation/get-or-make.js';
import { isJsonArray, type JsonValue } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import type { ColumnType, MemberType } from './column-type.js';
import { ValueMismatch } from './column-type.js';
import { type MapEntry, parsePart } from './container-members.js';

const ofTypes = new WeakMap<ColumnType, MemberType>();

/** Elements, keys or values of a type. The same type always gives the same object. */
export function membersOfType(type: ColumnType): MemberType {
  return getOrMake(ofTypes, type, makeMemberType);
}

function makeMemberType(type: ColumnType): MemberType {
  const { name, sql, traits, inContainer, userType } = type;
  const common = {
    name,
    // A value of a user-defined type can have an index if it is a member, but not if it is a column.
    traits: userType === undefined ? traits : { ...traits, index: 'equality' as const },
    parse: (json: JsonValue) => type.parse(json),
    serialize: (member: unknown) => type.serialize(member),
    compare: (left: unknown, right: unknown) => type.compare(left, right),
  };
  // Values of user-defined types are not compared by what is stored, as columns are not.
  if (inContainer !== undefined && userType !== undefined) {
    return {
      ...common,
      identify: (member) => inContainer.write(member),
      identified: (identity) => inContainer.read(parseJson(identity, identityLimits)),
    };
  }
  return {
    ...common,
    // SQLite compares encoded values as the type does, so equal members have equal encodings.
    identify: (member) => {
      const stored = sql.encode(member);
      return stored instanceof Uint8Array ? Buffer.from(stored).toString('hex') : String(stored);
    },
    identified: (identity) => {
      if (sql.columnType === 'TEXT') return sql.decode(identity);
      return sql.decode(sql.columnType === 'BLOB' ? Buffer.from(identity, 'hex') : BigInt(identity));
    },
  };
}

/** Identities are written by the server. */
const identityLimits = { maxDepth: 10, maxNumberLength: Number.POSITIVE_INFINITY };

/** Entries of a map, written as `[key, value]`. They are equal if their keys and their values are. */
export function entriesOfTypes(key: ColumnType, value: ColumnType): MemberType {
  const keys = membersOfType(key);
  const values = membersOfType(value);
  // `parse` and `identified` return entries.
  const partsOf = (member: unknown) => member as MapEntry;
  return {
    name: `entry<${key.name},${value.name}>`,
    traits: { index: indexOfEntries(key, value), text: false },
    parse: (json): MapEntry => {
      if (!isJsonArray(json) || json.length !== 2)
        throw new ValueMismatch('expected an array of a key and a value');
      const [name = null, part = null] = json;
      return [
        parsePart(key, name, 'the key of the entry', 'map'),
        parsePart(value, part, 'the value of the entry', 'map'),
      ];
    },
    serialize: (member) => {
      const [name, part] = partsOf(member);
      return `[${key.serialize(name)},${value.serialize(part)}]`;
    },
    compare: (left, right) => {
      const [leftKey, leftValue] = partsOf(left);
      const [rightKey, rightValue] = partsOf(right);
      return key.compare(leftKey, rightKey) || value.compare(leftValue, rightValue);
    },
    identify: (member) => {
      const [name, part] = partsOf(member);
      return JSON.stringify([keys.identify(name), values.identify(part)]);
    },
    identified: (identity): MapEntry => {
      const [name, part]: readonly [string, string] = JSON.parse(identity); // what `identify` wrote
      return [keys.identified(name), values.identified(part)];
    },
  };
}

/** Entries can have an index where keys and values can. */
function indexOfEntries(key: ColumnType, value: ColumnType): 'none' | 'equality' {
  const parts = [membersOfType(key), membersOfType(value)];
  return parts.some(({ traits }) => traits.index === 'none') ? 'none' : 'equality';
}
