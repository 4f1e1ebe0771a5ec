// The container types: list, set and map. The same types of members always give the same type object.
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { textEnd } from '../../foundation/json/text-end.js';
import {
  type ColumnType,
  type ContainerSide,
  labelOf,
  type MemberForm,
  type SqlSide,
  ValueMismatch,
} from './column-type.js';
import { driverElements, driverEntries, encodeMembers } from './container-bytes.js';
import { definitionsOf } from './container-definitions.js';
import { examplesOf, mapExamples } from './container-examples.js';
import {
  compareMembers,
  entriesOf,
  isNamedBy,
  type MapEntry,
  parseElements,
  parsePairs,
  parsePart,
  sortedElements,
} from './container-members.js';
import { quoted, wrongKind } from './expect-json.js';
import { entriesOfTypes, membersOfType } from './member-types.js';
import { ordinaryTraits } from './ordinary-traits.js';
import { type MemberOrder, withMembers, withoutElements, withoutNames } from './stored-members.js';
import { elementsWithPoints, valuesWithPoints } from './stored-points.js';

/** Values are arrays in the order of the elements. */
export function listOf(element: ColumnType): ColumnType<readonly unknown[]> {
  return getOrMake(lists, element, makeList);
}

/** Values are arrays of different elements in ascending order. */
export function setOf(element: ColumnType): ColumnType<readonly unknown[]> {
  return getOrMake(sets, element, makeSet);
}

/** Values are arrays of entries with different keys, ascending. */
export function mapOf(key: ColumnType, value: ColumnType): ColumnType<readonly MapEntry[]> {
  const ofKey = getOrMake(maps, key, (): WeakMap<ColumnType, MapType> => new WeakMap());
  return getOrMake(ofKey, value, () => makeMap(key, value));
}

type SequenceType = ColumnType<readonly unknown[]>;
type MapType = ColumnType<readonly MapEntry[]>;

const lists = new WeakMap<ColumnType, SequenceType>();
const sets = new WeakMap<ColumnType, SequenceType>();
const maps = new WeakMap<ColumnType, WeakMap<ColumnType, MapType>>();

const traits = { ...ordinaryTraits, key: false, filterable: false, range: false, index: 'none' } as const;

/** Only existing columns have containers of members that new columns cannot have. */
function accessOf(
  ...parts: readonly ColumnType[]
): Pick<ColumnType, 'traits'> & Partial<Pick<ColumnType, 'apiSupport' | 'isExtended'>> {
  const dialects = parts.some((part) => part.isExtended === true) ? { isExtended: true as const } : {};
  if (parts.every((part) => part.traits.creatable)) return { traits, ...dialects };
  return {
    ...dialects,
    traits: { ...traits, creatable: false },
    apiSupport: { createTable: false, insert: true, read: true, filter: false },
  };
}

function makeList(element: ColumnType): ColumnType<readonly unknown[]> {
  const common = sequence('list', element, (elements) => elements);
  const stored = memberForm(element);
  return {
    ...common,
    help: `values of the type ${labelOf(element)} in any order, repeated or not; a JSON array`,
    container: {
      ...common.container,
      add: (stored, added) => nullIfEmpty([...(stored ?? []), ...added]),
      withMembers: ([type = element]) => listOf(type),
      joined: joinedLists,
      removeFromStored: (list, names) => withoutElements(list, names.map(stored.write)),
    },
    examples: examplesOf(element, ([low, high]) => [
      '[]',
      `[${low}]`,
      `[${low},${low}]`,
      `[${low},${high}]`,
      `[${high}]`,
      `[${high},${low}]`,
    ]),
  };
}

function makeSet(element: ColumnType): ColumnType<readonly unknown[]> {
  const common = sequence('set', element, (elements) => sortedElements(element, elements));
  const stored = memberForm(element);
  const order = orderBy(element, parseStored);
  return {
    ...common,
    help: `different values of the type ${labelOf(element)}, ascending; a JSON array`,
    container: {
      ...common.container,
      withMembers: ([type = element]) => setOf(type),
      add: (set, added) => nullIfEmpty(sortedElements(element, [...(set ?? []), ...added])),
      addToStored: (set, added) => {
        const members = added.map((name) => ({ name, text: stored.write(name) }));
        return withMembers(set, members, { ...order, replaces: false });
      },
      removeFromStored: (set, names) => withoutNames(set, sortedElements(element, names), order),
    },
    examples: examplesOf(element, ([low, high]) => ['[]', `[${low}]`, `[${high},${low}]`, `[${high}]`]),
  };
}

/** Joins `[1,2]` and `[3]` to `[1,2,3]`. As bytes, because SQLite would count the characters of a text. */
function joinedLists(stored: string, added: string): string {
  const open = `CAST(substr(CAST(${stored} AS BLOB), 1, octet_length(${stored}) - 1) AS TEXT)`;
  return `${open} || ',' || substr(${added}, 2)`;
}

/** The common parts of lists and sets; `arrange` makes a value from elements. */
function sequence(
  kind: 'list' | 'set',
  element: ColumnType,
  arrange: (elements: readonly unknown[]) => readonly unknown[],
) {
  const parse = (json: JsonValue) => {
    if (!isJsonArray(json)) throw wrongKind(json, `an array of ${labelOf(element)} values`);
    return arrange(parseElements(element, json, kind));
  };
  const writeWith = (write: (part: unknown) => JsonText) => (value: readonly unknown[]) =>
    `[${value.map(write).join(',')}]`;
  const stored = memberForm(element);
  return {
    name: `${kind}<${element.name}>`,
    ...definitionsOf(kind, { valueType: element }),
    input: { kind: 'json', example: '["a", "b"]' } as const,
    parse,
    serialize: writeWith((part) => element.serialize(part)),
    compare: (left: readonly unknown[], right: readonly unknown[]) =>
      compareMembers(left, right, (one, other) => element.compare(one, other)),
    sql: storedAsText(
      writeWith(stored.write),
      (json) => (isJsonArray(json) ? json.map((part) => stored.read(part)) : []),
      writtenOf([element], elementsWithPoints),
    ),
    cql: {
      type: `${kind}<${frozenInside(element)}>`,
      cells: kind === 'list' ? ('unnamed' as const) : ('named' as const),
      encode: (value: readonly unknown[]) => encodeMembers(value.map((part) => [element.cql.encode(part)])),
      fromDriver: (value: unknown) => arrange(driverElements(element, value)),
    },
    ...accessOf(element),
    container: {
      holds: 'elements' as const,
      members: [element],
      parts: { elements: { type: membersOfType(element), members: (value: readonly unknown[]) => value } },
      namedBy: element,
      isEmpty: (value: readonly unknown[]) => value.length === 0,
      parseMembers: parse,
      remove: (stored: readonly unknown[] | null, names: readonly unknown[]) => {
        const isNamed = isNamedBy(element, names);
        return nullIfEmpty((stored ?? []).filter((part) => !isNamed(part)));
      },
    },
  };
}

function makeMap(key: ColumnType, value: ColumnType): ColumnType<readonly MapEntry[]> {
  // An object can only have names that are texts.
  const isObject = key.traits.text;
  const writeEntry = (keys: WriteMember, values: WriteMember): ((entry: MapEntry) => JsonText) =>
    isObject
      ? ([name, part]) => `${keys(name)}:${values(part)}`
      : ([name, part]) => `[${keys(name)},${values(part)}]`;
  const writeWith = (keys: WriteMember, values: WriteMember) => {
    const write = writeEntry(keys, values);
    const [open, close] = isObject ? '{}' : '[]';
    return (entries: readonly MapEntry[]) => `${open}${entries.map(write).join(',')}${close}`;
  };
  const [keys, values] = [memberForm(key), memberForm(value)];
  const writeStored = writeEntry(keys.write, values.write);
  const order = orderBy(key, (entry) =>
    isObject ? parseStored(keyText(entry)) : firstOf(parseStored(entry)),
  );
  return {
    name: `map<${key.name},${value.name}>`,
    help: `values of the type ${labelOf(value)} under different keys of the type ${key.name}, ascending; a JSON object, or an array of [key, value] pairs`,
    input: { kind: 'json', example: '{"key": "value"}, or [[1, "value"]] for other keys' },
    ...definitionsOf('map', { keyType: key, valueType: value }),
    parse: (json) => parseMap(key, value, json),
    serialize: writeWith(
      (name) => key.serialize(name),
      (part) => value.serialize(part),
    ),
    compare: (left, right) =>
      compareMembers(left, right, (one, other) => {
        return key.compare(one[0], other[0]) || value.compare(one[1], other[1]);
      }),
    sql: storedAsText(
      writeWith(keys.write, values.write),
      (json) => pairsIn(json).map(([name, part]): MapEntry => [keys.read(name), values.read(part)]),
      writtenOf([key, value], isObject ? valuesWithPoints : undefined),
    ),
    cql: {
      type: `map<${key.cql.type},${frozenInside(value)}>`,
      cells: 'named',
      encode: (entries) =>
        encodeMembers(entries.map(([name, part]) => [key.cql.encode(name), value.cql.encode(part)])),
      fromDriver: (found) => entriesOf(key, driverEntries(key, value, found)),
    },
    ...accessOf(key, value),
    ...(isObject ? {} : { isExtended: true as const }),
    container: entriesSide(key, value, { writeStored, order }),
    examples: mapExamples(key, value),
  };
}

/** `writeStored` writes an entry in its stored form, and `order` orders such texts. */
function entriesSide(
  key: ColumnType,
  value: ColumnType,
  {
    writeStored,
    order,
  }: { readonly writeStored: (entry: MapEntry) => JsonText; readonly order: MemberOrder },
): ContainerSide<readonly MapEntry[]> {
  return {
    holds: 'entries',
    members: [key, value],
    parts: {
      entries: { type: entriesOfTypes(key, value), members: (entries) => entries },
      keys: { type: membersOfType(key), members: (entries) => entries.map(([name]) => name) },
      values: { type: membersOfType(value), members: (entries) => entries.map(([, part]) => part) },
    },
    withMembers: ([keyType = key, valueType = value]) => mapOf(keyType, valueType),
    namedBy: key,
    isEmpty: (entries) => entries.length === 0,
    parseMembers: (json) => entriesOf(key, parsePairs(key, value, json)),
    add: (stored, added) => nullIfEmpty(entriesOf(key, [...(stored ?? []), ...added])),
    remove: (stored, names) => {
      const isNamed = isNamedBy(key, names);
      return nullIfEmpty((stored ?? []).filter(([name]) => !isNamed(name)));
    },
    addToStored: (stored, added) => {
      const members = added.map((entry) => ({ name: entry[0], text: writeStored(entry) }));
      return withMembers(stored, members, { ...order, replaces: true });
    },
    removeFromStored: (stored, names) => withoutNames(stored, sortedElements(key, names), order),
  };
}

function parseMap(key: ColumnType, value: ColumnType, json: JsonValue): readonly MapEntry[] {
  if (isJsonObject(json)) {
    const entries = [...json].map(([name, part]): MapEntry => {
      const place = `the value of ${quoted(name)}`;
      return [parsePart(key, name, `the key ${quoted(name)}`, 'map'), parsePart(value, part, place, 'map')];
    });
    return entriesOf(key, entries);
  }
  if (!isJsonArray(json)) throw wrongKind(json, 'an object, or an array of [key, value] pairs');
  if (json.length === 0) throw new ValueMismatch('an empty map is written {}');
  return entriesOf(key, parsePairs(key, value, json));
}

function nullIfEmpty<Member>(members: readonly Member[]): readonly Member[] | null {
  return members.length === 0 ? null : members;
}

/** Stored values were checked when they were written, so reading them needs no limit. */
const storedLimits = { maxDepth: 10, maxNumberLength: Number.POSITIVE_INFINITY };

function parseStored(text: string): JsonValue {
  return parseJson(text, storedLimits);
}

type WriteMember = (value: unknown) => JsonText;

/** How containers store members of a type. */
function memberForm(type: ColumnType): MemberForm<unknown> {
  return type.inContainer ?? { write: (value) => type.serialize(value), read: (json) => type.parse(json) };
}

type WriteStored = (stored: string) => JsonText;

/** For the text of a container whose members are stored as replies show them. */
const asStored: WriteStored = (stored) => stored;

/** How the stored text of members becomes that of replies; undefined if it must be decoded. */
function writtenOf(
  members: readonly ColumnType[],
  withPoints: WriteStored | undefined,
): WriteStored | undefined {
  const forms = members.flatMap(({ inContainer }) => inContainer ?? []);
  if (forms.length === 0) return asStored;
  return forms.every(({ lacksPoints }) => lacksPoints === true) ? withPoints : undefined;
}

/** JSON text. It has no U+0000, at which SQLite's driver would truncate a text. SQLite never compares it. */
function storedAsText<Value>(
  encode: (value: Value) => JsonText,
  read: (json: JsonValue) => Value,
  written: WriteStored | undefined,
): SqlSide<Value> {
  return {
    columnType: 'TEXT',
    readsBigInt: false,
    encode,
    decode: (stored) => read(parseStored(stored as string)), // what encode returned
    ...(written === undefined ? {} : { written }),
    ...(written === asStored ? { serialized: (column: string) => column } : {}),
  };
}

/** The entries of a stored map. */
function pairsIn(json: JsonValue): readonly (readonly [name: JsonValue, part: JsonValue])[] {
  if (isJsonObject(json)) return [...json];
  return (isJsonArray(json) ? json : []).map((pair) =>
    isJsonArray(pair) ? [pair[0] ?? null, pair[1] ?? null] : [null, null],
  );
}

function firstOf(json: JsonValue): JsonValue {
  return isJsonArray(json) ? (json[0] ?? null) : null;
}

/** Orders stored members by values of `type`; `nameIn` finds the JSON of such a value in the text of a member. */
function orderBy(type: ColumnType, nameIn: (member: string) => JsonValue): MemberOrder {
  const { read } = memberForm(type);
  return {
    nameOf: (member) => read(nameIn(member)),
    compare: (left, right) => type.compare(left, right),
  };
}

/** User-defined types inside containers are always frozen. */
function frozenInside({ cql, userType }: ColumnType): string {
  return userType === undefined ? cql.type : `frozen<${cql.type}>`;
}

/** The first text of an entry: keys are written as strings. */
function keyText(entry: string): string {
  return entry.slice(0, textEnd(entry, 0) + 1);
}
