// Writes a row in one form, whatever engine it comes from: the lines of an export, and what checksums are made of.
import { describedType } from '../../descriptions/type-description.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import {
  canonicalNumber,
  earlierFloatForm,
  exactForm,
  floatForm,
  type NumberForm,
} from './canonical-number.js';
import type { RowFormat } from './row-format.js';

/** A row has a column that the table did not have when its definition was read. */
export class UnknownColumn extends Error {}

/** Writes the rows of one table. @throws UnknownColumn */
export type WriteRow = (row: JsonObject) => JsonText;

type WriteValue = (value: JsonValue) => JsonText;

/**
 * A writer for rows with these columns (name and definition, as listTables shows them). Members are in the order of
 * their names, sets and maps ascending; null, and an empty list, set or map, are the same as no value. The text is an
 * object that insertMany accepts, in one line.
 */
export function canonicalRows(columns: ReadonlyMap<string, JsonValue>, format: RowFormat): WriteRow {
  const writeFloat = numberWriter(format === 1 ? earlierFloatForm : floatForm);
  const writers = [...columns]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, definition]) => ({
      name,
      label: `${JSON.stringify(name)}:`,
      write: writerOf(definition, writeFloat),
      isContainer: describedType(typeIn(definition)).uses.includes('members'),
    }));
  return (row) => {
    let text = '';
    let found = 0;
    for (const { name, label, write, isContainer } of writers) {
      const value = row.get(name);
      if (value === undefined) continue;
      found += 1;
      if (value === null || (isContainer && isEmpty(value))) continue;
      text += `${text === '' ? '' : ','}${label}${write(value)}`;
    }
    if (found < row.size) throw new UnknownColumn(unknownColumn(row, columns));
    return `{${text}}`;
  };
}

/** The writer for a column or an element, which is a name or an object with a `type`. */
function writerOf(definition: JsonValue, writeFloat: WriteValue): WriteValue {
  const type = typeIn(definition);
  const { kind } = describedType(type);
  if (kind === 'float') return writeFloat;
  if (kind === 'vector') return (value) => writeElements(value, writeFloat);
  const members = isJsonObject(definition) ? definition : new Map<string, JsonValue>();
  const memberWriter = (name: string) => {
    const member = members.get(name);
    return member === undefined ? writePlain : writerOf(member, writeFloat);
  };
  const write = memberWriter('valueType');
  switch (type) {
    case 'list':
      return (value) => writeElements(value, write);
    case 'set':
      return (value) => (isJsonArray(value) ? `[${value.map(write).sort().join(',')}]` : writePlain(value));
    case 'map':
      return writerOfMap(memberWriter('keyType'), write);
    default:
      return writePlain;
  }
}

/** Maps with keys that are not texts are lists of pairs. */
function writerOfMap(writeKey: WriteValue, write: WriteValue): WriteValue {
  return (value) => {
    if (isJsonObject(value))
      return `{${[...value]
        .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`)
        .sort()
        .join(',')}}`;
    if (!isJsonArray(value)) return writePlain(value);
    const pairs = value.map((pair) => {
      if (!isJsonArray(pair)) return writePlain(pair);
      const [key = null, member = null] = pair;
      return `[${writeKey(key)},${write(member)}]`;
    });
    return `[${pairs.sort().join(',')}]`;
  };
}

function writeElements(value: JsonValue, write: WriteValue): JsonText {
  return isJsonArray(value) ? `[${value.map(write).join(',')}]` : writePlain(value);
}

function numberWriter(form: NumberForm): WriteValue {
  return (value) => (value instanceof JsonNumber ? canonicalNumber(value.text, form) : writePlain(value));
}

function writePlain(value: JsonValue): JsonText {
  if (value instanceof JsonNumber) return canonicalNumber(value.text, exactForm);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(writePlain).join(',')}]`;
  const members = [...value].map(([name, member]) => `${JSON.stringify(name)}:${writePlain(member)}`);
  return `{${members.sort().join(',')}}`;
}

function typeIn(definition: JsonValue): string {
  const type = isJsonObject(definition) ? definition.get('type') : definition;
  return typeof type === 'string' ? type : '';
}

function isEmpty(value: JsonValue): boolean {
  return (isJsonArray(value) && value.length === 0) || (isJsonObject(value) && value.size === 0);
}

function unknownColumn(row: JsonObject, columns: ReadonlyMap<string, JsonValue>): string {
  const name = [...row.keys()].find((member) => !columns.has(member)) ?? '';
  return `a row has the column ${JSON.stringify(name)}, which the definition of the table does not have`;
}
