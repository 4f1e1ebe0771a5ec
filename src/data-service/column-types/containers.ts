// The container types: list, set and map of scalar types. The same parts always give the same type object.
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { type ColumnType, type SqlSide, ValueMismatch } from './column-type.js';
import { driverElements, driverEntries, encodeMembers } from './container-bytes.js';
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
import { ordinaryTraits } from './ordinary-traits.js';
import { type MemberOrder, withMembers, withoutElements, withoutNames } from './stored-members.js';

/** Values are arrays in the order of the elements. */
export function listOf(element: ColumnType): ColumnType<readonly unknown[]> {
  return getOrMake(lists, element.name, () => makeList(element));
}

/** Values are arrays of different elements in ascending order. */
export function setOf(element: ColumnType): ColumnType<readonly unknown[]> {
  return getOrMake(sets, element.name, () => makeSet(element));
}

/** Values are arrays of entries with different keys, ascending. JSON must write the keys' type as strings. */
export function mapOf(key: ColumnType, value: ColumnType): ColumnType<readonly MapEntry[]> {
  return getOrMake(maps, `${key.name},${value.name}`, () => makeMap(key, value));
}

const lists = new Map<string, ColumnType<readonly unknown[]>>();
const sets = new Map<string, ColumnType<readonly unknown[]>>();
const maps = new Map<string, ColumnType<readonly MapEntry[]>>();

const traits = { ...ordinaryTraits, key: false, filterable: false, range: false, index: 'none' } as const;

/** Only existing columns have containers of members that new columns cannot have. */
function accessOf(...parts: readonly ColumnType[]): Pick<ColumnType, 'traits' | 'apiSupport'> {
  if (parts.every((part) => part.traits.creatable)) return { traits };
  return {
    traits: { ...traits, creatable: false },
    apiSupport: { createTable: false, insert: true, read: true, filter: false },
  };
}

function makeList(element: ColumnType): ColumnType<readonly unknown[]> {
  const common = sequence('list', element, (elements) => elements);
  return {
    ...common,
    help: `values of the type ${element.name} in any order, repeated or not; a JSON array`,
    container: {
      ...common.container,
      add: (stored, added) => nullIfEmpty([...(stored ?? []), ...added]),
      joined: joinedLists,
      removeFromStored: (stored, names) =>
        withoutElements(
          stored,
          names.map((name) => element.serialize(name)),
        ),
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
  const order = orderBy(element, (member) => member);
  return {
    ...common,
    help: `different values of the type ${element.name}, ascending; a JSON array`,
    container: {
      ...common.container,
      add: (stored, added) => nullIfEmpty(sortedElements(element, [...(stored ?? []), ...added])),
      addToStored: (stored, added) => {
        const members = added.map((name) => ({ name, text: element.serialize(name) }));
        return withMembers(stored, members, { ...order, replaces: false });
      },
      removeFromStored: (stored, names) => withoutNames(stored, sortedElements(element, names), order),
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
    if (!isJsonArray(json)) throw wrongKind(json, `an array of ${element.name} values`);
    return arrange(parseElements(element, json, kind));
  };
  const serialize = (value: readonly unknown[]) =>
    `[${value.map((part) => element.serialize(part)).join(',')}]`;
  return {
    name: `${kind}<${element.name}>`,
    definition: `{"type":"${kind}","valueType":"${element.name}"}`,
    parse,
    serialize,
    compare: (left: readonly unknown[], right: readonly unknown[]) =>
      compareMembers(left, right, (one, other) => element.compare(one, other)),
    sql: storedAsText(parse, serialize),
    cql: {
      type: `${kind}<${element.cql.type}>`,
      encode: (value: readonly unknown[]) => encodeMembers(value.map((part) => [element.cql.encode(part)])),
      fromDriver: (value: unknown) => arrange(driverElements(element, value)),
    },
    ...accessOf(element),
    container: {
      holds: 'elements' as const,
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
  const parse = (json: JsonValue) => parseMap(key, value, json);
  const serializeEntry = ([name, part]: MapEntry) => `${key.serialize(name)}:${value.serialize(part)}`;
  const serialize = (entries: readonly MapEntry[]) => `{${entries.map(serializeEntry).join(',')}}`;
  const order = orderBy(key, keyText);
  return {
    name: `map<${key.name},${value.name}>`,
    help: `values of the type ${value.name} under different keys of the type ${key.name}, ascending; a JSON object, or an array of [key, value] pairs`,
    definition: `{"type":"map","keyType":"${key.name}","valueType":"${value.name}"}`,
    parse,
    serialize,
    compare: (left, right) =>
      compareMembers(left, right, (one, other) => {
        return key.compare(one[0], other[0]) || value.compare(one[1], other[1]);
      }),
    sql: storedAsText(parse, serialize),
    cql: {
      type: `map<${key.cql.type},${value.cql.type}>`,
      encode: (entries) =>
        encodeMembers(entries.map(([name, part]) => [key.cql.encode(name), value.cql.encode(part)])),
      fromDriver: (found) => entriesOf(key, driverEntries(key, value, found)),
    },
    ...accessOf(key, value),
    container: {
      holds: 'entries',
      namedBy: key,
      isEmpty: (entries) => entries.length === 0,
      parseMembers: (json) => entriesOf(key, parsePairs(key, value, json)),
      add: (stored, added) => nullIfEmpty(entriesOf(key, [...(stored ?? []), ...added])),
      remove: (stored, names) => {
        const isNamed = isNamedBy(key, names);
        return nullIfEmpty((stored ?? []).filter(([name]) => !isNamed(name)));
      },
      addToStored: (stored, added) => {
        const members = added.map((entry) => ({ name: entry[0], text: serializeEntry(entry) }));
        return withMembers(stored, members, { ...order, replaces: true });
      },
      removeFromStored: (stored, names) => withoutNames(stored, sortedElements(key, names), order),
    },
    examples: mapExamples(value),
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

/** JSON text. It has no U+0000, at which SQLite's driver would truncate a text. SQLite never compares it. */
function storedAsText<Value>(
  parse: (json: JsonValue) => Value,
  serialize: (value: Value) => JsonText,
): SqlSide<Value> {
  return {
    columnType: 'TEXT',
    readsBigInt: false,
    encode: serialize,
    decode: (stored) => parse(parseJson(stored as string, storedLimits)), // what encode returned
    isStoredAsWritten: true,
    serialized: (column) => column,
  };
}

/** Orders stored members by values of `type`; `textOf` extracts the text of such a value from a member. */
function orderBy(type: ColumnType, textOf: (member: string) => string): MemberOrder {
  return {
    nameOf: (member) => type.parse(parseJson(textOf(member), storedLimits)),
    compare: (left, right) => type.compare(left, right),
  };
}

/** The first text of an entry: keys are written as strings. */
function keyText(entry: string): string {
  let end = entry.indexOf('"', 1);
  while (isEscaped(entry, end)) end = entry.indexOf('"', end + 1);
  return entry.slice(0, end + 1);
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

type Ends = readonly [low: JsonText, high: JsonText];

function examplesOf(
  { examples }: ColumnType,
  accepts: (ends: Ends) => readonly JsonText[],
): ColumnType['examples'] {
  const [low, high] = endsOf(examples.accepts);
  const bad = examples.rejects[0] ?? 'null';
  return {
    accepts: accepts([low, high]),
    rejects: ['{}', '"[]"', '5', 'true', '[null]', `[${low},null]`, `[${low},${bad}]`, `[[${low}]]`],
  };
}

function mapExamples({ examples }: ColumnType): ColumnType['examples'] {
  const [low, high] = endsOf(examples.accepts);
  const bad = examples.rejects[0] ?? 'null';
  return {
    accepts: [
      '{}',
      `{"a":${low}}`,
      `{"b":${high},"a":${low}}`,
      `{"a":${high}}`,
      `[["c",${high}],["b",${low}],["c",${low}]]`,
    ],
    rejects: [
      ...['[]', '"{}"', '5', 'true', '{"a":null}', `{"a":${bad}}`, `{"a":[${low}]}`, `[[null,${low}]]`],
      ...[`[["a",null]]`, `[["a"]]`, `[["a",${low},${low}]]`, `[[1,${low}]]`, '["a"]', `[{"a":${low}}]`],
    ],
  };
}

/** The lowest and the highest, except numbers of 100,000 digits: several of these test nothing more. */
function endsOf(accepts: readonly JsonText[]): Ends {
  const ordinary = accepts.filter((example) => !/e[+-]?\d{5,}$/i.test(example));
  return [ordinary[0] ?? '', ordinary.at(-1) ?? ''];
}
