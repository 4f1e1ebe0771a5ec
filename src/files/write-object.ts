// Writes objects of JSON files as the rows that insertMany accepts.
import { describedType } from '../descriptions/type-description.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../foundation/json/json-value.js';
import { type Conversions, convertExtended, type ValueForm } from './extended-json.js';
import type { JsonProblem, JsonRecord } from './read-json-file.js';
import { type FileRow, type RowIds, tooManyWithoutId } from './write-row.js';

/** How objects are written. */
export interface ObjectPlan {
  /** Undefined for a table. */
  readonly ids: RowIds | undefined;
  /** The types of the columns of a table by their names; none for a collection. */
  readonly types: ReadonlyMap<string, string>;
  /** Counts what is converted. */
  readonly conversions: Conversions;
  /** Those of the primary key, or `_id`, if keys are wanted; see `FileRow`. */
  readonly keyColumns?: readonly string[];
}

/** Writes objects as rows. */
export function objectWriter({
  ids,
  types,
  conversions,
  keyColumns = [],
}: ObjectPlan): (record: JsonRecord | JsonProblem) => FileRow {
  const form: ValueForm = ids === undefined ? 'row' : 'document';
  return (record) => {
    const { line: number } = record;
    if ('problem' in record) return { number, text: '', problem: record.problem };
    const { object } = record;
    // Only names with $ are converted.
    const converted = record.text.includes('$') ? convertExtended(object, form, conversions) : object;
    if (!isJsonObject(converted)) return { number, text: '', problem: 'the object is a value and not a row' };
    const whole = types.size === 0 || converted === object ? converted : withDates(converted, types);
    const row = ids === undefined ? whole : withoutNullId(whole);
    const text = row === object ? record.text : stringifyJson(row);
    if (ids === undefined || (ids.from === undefined && row.has('_id')))
      return { number, text, ...keyOf(row, keyColumns) };
    const id = ids.from === undefined ? ids.next(stringifyJson(object)) : idOf(row.get(ids.from));
    if (id === undefined)
      return {
        number,
        text: '',
        problem: ids.from === undefined ? tooManyWithoutId : `the member ${ids.from} has no value for the id`,
      };
    if (ids.from !== undefined && ids.from !== '_id' && row.has('_id'))
      return { number, text: '', problem: `the object has an _id, so ${ids.from} cannot give it` };
    const key = ids.from === undefined ? {} : keyOf(row, keyColumns.length === 0 ? [] : [ids.from]);
    if (ids.from === '_id') return { number, text, ...key };
    return { number, text: `{"_id":${id}${row.size === 0 ? '' : ','}${text.slice(1)}`, ...key };
  };
}

function keyOf(row: JsonObject, columns: readonly string[]): Pick<FileRow, 'key'> {
  if (columns.length === 0) return {};
  return { key: columns.map((name) => stringifyJson(row.get(name) ?? null)).join(',') };
}

/** Null is an id, but programs write it where there is none, in as many objects as they like. */
function withoutNullId(row: JsonObject): JsonObject {
  return row.get('_id') === null ? new Map([...row].filter(([name]) => name !== '_id')) : row;
}

/** An id has no elements, and members only as a wrapper such as `{"$uuid": …}`. */
function idOf(value: JsonValue | undefined): JsonText | undefined {
  if (value === undefined || value === null || value === '' || isJsonArray(value)) return undefined;
  if (isJsonObject(value) && ![...value.keys()].every((name) => name.startsWith('$'))) return undefined;
  return stringifyJson(value);
}

/** Columns of dates do not accept a time, not even midnight. */
function withDates(
  row: ReadonlyMap<string, JsonValue>,
  types: ReadonlyMap<string, string>,
): ReadonlyMap<string, JsonValue> {
  return new Map(
    [...row].map(([name, value]) => [
      name,
      describedType(types.get(name) ?? '').kind === 'date' && typeof value === 'string'
        ? value.replace(/T00:00:00\.000Z$/, '')
        : value,
    ]),
  );
}
