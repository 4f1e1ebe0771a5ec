// User-defined types: values with named fields. The name of a type contains its whole definition, so that every thread
// finds the type by its name.
import { GenerationCache } from '../../foundation/generation-cache.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import {
  type ColumnType,
  cqlDefinition,
  type UserTypeDefinition,
  type UserTypeField,
  ValueMismatch,
} from './column-type.js';
import { parsePart } from './container-members.js';
import { isObjectWith, unexpected } from './driver-values.js';
import { quoted, wrongKind } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';
import { columnTypeNamed } from './registry.js';

/** The values of the fields in their order; null for a field without a value. */
export type UserTypeValue = readonly unknown[];

const known = new GenerationCache<ColumnType<UserTypeValue>>(1_000);

/** The type with this definition. Equal definitions give types with equal names. */
export function userDefinedOf(definition: UserTypeDefinition): ColumnType<UserTypeValue> {
  const name = nameOf(definition);
  let type = known.get(name);
  if (type === undefined) {
    type = makeType(name, definition);
    known.set(name, type);
  }
  return type;
}

/** Makes the type again with fields whose types are in the form of a dialect. */
export function withFieldTypes(
  definition: UserTypeDefinition,
  toType: (type: ColumnType) => ColumnType,
): ColumnType<UserTypeValue> {
  const fields = definition.fields.map((field) => ({ ...field, type: toType(field.type) }));
  return makeType(nameOf(definition), { ...definition, fields });
}

/** The type with this name; undefined if it is not that of a user-defined type. */
export function userDefinedNamed(name: string): ColumnType | undefined {
  const inside = /^user\{([\w%.:]+)\}$/.exec(name)?.[1];
  if (inside === undefined) return undefined;
  const present = known.get(name);
  if (present !== undefined) return present;
  const [keyspace = '', typeName = '', ...parts] = inside.split('.');
  const fields = parts.map((part): UserTypeField => {
    const [field = '', scalar = ''] = part.split(':');
    const type = columnTypeNamed(scalar);
    if (type === undefined) throw new TypeError(`a field of ${name} has an unknown type`);
    return { name: unescaped(field), type };
  });
  return userDefinedOf({ keyspace: unescaped(keyspace), name: unescaped(typeName), fields });
}

/** Only word characters and `%`, because the name is also written inside SQL texts and names of containers. */
function nameOf({ keyspace, name, fields }: UserTypeDefinition): string {
  const parts = fields.map((field) => `${escaped(field.name)}:${field.type.name}`);
  return `user{${[escaped(keyspace), escaped(name), ...parts].join('.')}}`;
}

/** A lone half of a surrogate pair has no UTF-8: it becomes `%u` and its four digits. */
function escaped(text: string): string {
  const parts = text.split(/(\p{Surrogate})/u).map((part) => {
    return isSurrogate(part) ? `%u${part.charCodeAt(0).toString(16)}` : encodeURIComponent(part);
  });
  return parts
    .join('')
    .replace(/[^\w%]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function isSurrogate(text: string): boolean {
  return /^\p{Surrogate}$/u.test(text);
}

function unescaped(text: string): string {
  const parts = text.split(/(%u[0-9a-f]{4})/);
  return parts
    .map((part) =>
      part.startsWith('%u')
        ? String.fromCharCode(Number.parseInt(part.slice(2), 16))
        : decodeURIComponent(part),
    )
    .join('');
}

function makeType(name: string, definition: UserTypeDefinition): ColumnType<UserTypeValue> {
  const { fields } = definition;
  const types = fields.map(({ type }) => type);
  const own = `{"type":"userDefined","udtName":${JSON.stringify(definition.name)}`;
  const compare = (left: UserTypeValue, right: UserTypeValue) => compareFields(types, left, right);
  return {
    name,
    label: definition.name,
    help: 'an object with the fields of a user-defined type',
    input: { kind: 'json' },
    definition: `${own}}`,
    definitionBesideRows: `${own},"definition":${describeFields(fields)}}`,
    apiSupport: { createTable: true, insert: true, read: true, filter: false },
    isExtended: true,
    userType: definition,
    isAbsent: (value) => value.every((part) => part === null),
    parse: (json) => parseFields(definition, json),
    serialize: (value) => serializeFields(fields, value),
    compare,
    inContainer: {
      write: (value) => writeStored(types, value),
      read: (json) => readStored(types, json),
    },
    sql: {
      columnType: 'TEXT',
      readsBigInt: false,
      encode: (value) => writeStored(types, value),
      decode: (stored) => readStored(types, parseJson(stored as string, storedLimits)), // what encode returned
    },
    cql: {
      type: `${cqlName(definition.keyspace)}.${cqlName(definition.name)}`,
      encode: (value) => encodeFields(types, value),
      hasSeveralForms: true,
      formerEncodings: (value) => formerEncodings(types, value),
      fromDriver: (value) => fieldsFromDriver(fields, value),
    },
    traits: { ...ordinaryTraits, key: false, filterable: false, range: false, index: 'none' },
    examples: { accepts: ['{}'], rejects: ['1', 'true', '"a"', '[]'] },
  };
}

/** A value of a user-defined type as a scalar literal, whose errors name the field. */
function parseFields({ name, fields }: UserTypeDefinition, json: JsonValue): UserTypeValue {
  const members = membersOf(json);
  const values: unknown[] = fields.map(() => null);
  for (const [member, part] of members) {
    const at = fields.findIndex((field) => field.name === member);
    const field = fields[at];
    if (field === undefined) {
      const names = fields.map((each) => quoted(each.name)).join(', ');
      throw new ValueMismatch(`${quoted(member)} is not a field of the type ${name}, which has ${names}`);
    }
    values[at] = part === null ? null : parsePart(field.type, part, `the field ${quoted(member)}`, name);
  }
  return values;
}

/** The members of an object, or of an array of pairs that is not empty. */
function membersOf(json: JsonValue): Iterable<readonly [name: string, value: JsonValue]> {
  if (isJsonObject(json)) return json;
  if (!isJsonArray(json) || json.length === 0)
    throw wrongKind(json, 'an object with fields, or an array of [field, value] pairs');
  return json.map((pair, at) => {
    if (!isJsonArray(pair) || pair.length !== 2)
      throw new ValueMismatch(`pair ${at + 1}: expected an array of a field name and a value`);
    const [name = null, value = null] = pair;
    if (typeof name !== 'string') throw new ValueMismatch(`pair ${at + 1}: the field name must be a string`);
    return [name, value];
  });
}

function serializeFields(fields: readonly UserTypeField[], value: UserTypeValue): JsonText {
  const members: JsonText[] = [];
  for (const [at, { name, type }] of fields.entries()) {
    const part = value[at] ?? null;
    if (part !== null) members.push(`${JSON.stringify(name)}:${type.serialize(part)}`);
  }
  return `{${members.join(',')}}`;
}

/** `{"fields":{"street":{"type":"text"}}}`. */
export function describeFields(fields: readonly UserTypeField[]): JsonText {
  const members = fields.map(({ name, type }) => `${JSON.stringify(name)}:${describeField(type)}`);
  return `{"fields":{${members.join(',')}}}`;
}

/** Fields of types that commands cannot create show what they can do with them. */
function describeField(type: ColumnType): JsonText {
  if (type.definition !== undefined) return type.definition;
  const own = `"type":${JSON.stringify(type.name)}`;
  if (type.traits.creatable) return `{${own}}`;
  const apiSupport = { createTable: false, insert: true, read: true, filter: true };
  return `{${own},"apiSupport":${JSON.stringify({ ...apiSupport, cqlDefinition: cqlDefinition(type) })}}`;
}

function compareFields(types: readonly ColumnType[], left: UserTypeValue, right: UserTypeValue): number {
  for (const [at, type] of types.entries()) {
    const one = left[at] ?? null;
    const other = right[at] ?? null;
    if (one === null || other === null) {
      if (one !== other) return one === null ? -1 : 1;
      continue;
    }
    const difference = type.compare(one, other);
    if (difference !== 0) return difference;
  }
  return 0;
}

const storedLimits = { maxDepth: 10, maxNumberLength: Number.POSITIVE_INFINITY };

/**
 * An array in the order of the fields, without nulls at its end. So a renamed or added field needs no change of stored
 * values, and equal values have the same text.
 */
function writeStored(types: readonly ColumnType[], value: UserTypeValue): JsonText {
  const parts = types.map((type, at) => {
    const part = value[at] ?? null;
    return part === null ? 'null' : (type.inContainer?.write(part) ?? type.serialize(part));
  });
  while (parts.at(-1) === 'null') parts.pop();
  return `[${parts.join(',')}]`;
}

function readStored(types: readonly ColumnType[], json: JsonValue): UserTypeValue {
  const parts = isJsonArray(json) ? json : [];
  return types.map((type, at) => {
    const part = parts[at] ?? null;
    return part === null ? null : type.parse(part);
  });
}

/** The protocol's form: the length and the bytes of each field, or the length -1. */
function encodeFields(types: readonly ColumnType[], value: UserTypeValue): Buffer {
  const parts = types.map((type, at) => {
    const part = value[at] ?? null;
    const bytes = part === null ? undefined : type.cql.encode(part);
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(bytes?.length ?? -1);
    return bytes === undefined ? length : Buffer.concat([length, bytes]);
  });
  return Buffer.concat(parts);
}

/** Encodings of a value that was stored before fields were added: without them, because they are null. */
function formerEncodings(types: readonly ColumnType[], value: UserTypeValue): readonly Buffer[] {
  const last = types.findLastIndex((_, at) => (value[at] ?? null) !== null);
  const shortest = Math.max(1, last + 1);
  return Array.from({ length: types.length - shortest }, (_, at) =>
    encodeFields(types.slice(0, shortest + at), value),
  );
}

/** A value of a driver has a field that the type does not have: the type was changed meanwhile. */
export class UnknownField extends Error {}

/** The driver's value: an object with the fields by name. @throws UnknownField */
function fieldsFromDriver(fields: readonly UserTypeField[], value: unknown): UserTypeValue {
  if (typeof value !== 'object' || value === null) throw unexpected('an object', value);
  const unknown = Object.keys(value).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) throw new UnknownField(`the type has no field ${unknown}`);
  return fields.map(({ name, type }) => {
    const part = isObjectWith(value, name) ? value[name] : null;
    return part === null || part === undefined ? null : type.cql.fromDriver(part);
  });
}

/** A name, in quotes where CQL needs them: capitals, or another first character than a letter. */
export function cqlName(name: string): string {
  return /^[a-z]\w*$/.test(name) && name === name.toLowerCase() ? name : `"${name.replaceAll('"', '""')}"`;
}
