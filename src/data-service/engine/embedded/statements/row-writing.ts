// Rows as JSON in the form of replies, mostly written by SQLite: decoding values and writing them takes three times as
// long.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import type { JsonText } from '../../../../foundation/json/json-value.js';
import type { ColumnType } from '../../../column-types/column-type.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import type { ReadPlan } from '../../../query/read.js';
import type { Column } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import { sqlColumn } from '../file/sql-names.js';

/** How SQLite writes rows of some columns as JSON. */
export interface RowWriting {
  /**
   * The SQL expression for a row: an object that contains some values in their stored form, and missing ones as null.
   */
  readonly selection: string;
  /** The SQL expression for the size of the stored row in bytes. */
  readonly size: string;
  readonly form: RowForm;
}

/** How rows written by SQLite are converted to the final objects; plain data, so that another thread can do it. */
export interface RowForm {
  /** For all columns. */
  readonly labels: readonly JsonText[];
  /** The names of the types of the columns whose values SQLite leaves in their stored form. */
  readonly storedTypes: readonly string[];
}

/** SQLite writes this for a text that is stored with an escape. */
const notWritten = '\\u0001';

/** Encloses a value in its stored form. JSON never contains it. */
const separator = '\u001f';
const missing = 'null';
/** The maximum number of arguments of a SQLite function. */
const mostColumns = 100;

/** For more rows, reading values one by one is better. */
const mostWrittenRows = 64;

const writings = new WeakMap<readonly Column[], { readonly writing: RowWriting | undefined }>();

/**
 * Undefined for columns that are better read as values: more than `mostColumns`, vectors, which are long, and names
 * that could occur after the end of a text.
 */
export function writingOf(columns: readonly Column[]): RowWriting | undefined {
  let known = writings.get(columns);
  if (known === undefined) {
    const isOdd = columns.some(({ name, type }) => type.vector !== undefined || /^[,:}\]]/.test(name));
    known = { writing: isOdd || columns.length > mostColumns ? undefined : makeWriting(columns) };
    writings.set(columns, known);
  }
  return known.writing;
}

/** How rows of a plan are written as JSON; undefined if they are better read as values. */
export function writingFor({
  form,
  columns,
  page,
}: Pick<ReadPlan, 'form' | 'columns' | 'page'>): RowWriting | undefined {
  return form === 'text' && page.limit <= mostWrittenRows ? writingOf(columns) : undefined;
}

function makeWriting(columns: readonly Column[]): RowWriting {
  const stored = columns.filter(({ type }) => type.sql.serialized === undefined);
  return {
    selection: writtenRow(columns),
    size: rowSize(columns),
    form: { labels: columns.map(({ label }) => label), storedTypes: stored.map(({ type }) => type.name) },
  };
}

/** The objects of rows, separated by commas; undefined if SQLite cannot write one of the values. */
export function finishRows(rows: string, { labels, storedTypes }: RowForm): JsonText | undefined {
  if (rows.includes(notWritten)) return undefined;
  const text = storedTypes.length === 0 ? rows : withStored(rows, storedTypes.map(serializerNamed));
  return text.includes(':null') ? withoutMissing(text, labels) : text;
}

function writtenRow(columns: readonly Column[]): string {
  const parts: string[] = [];
  let before = '{';
  for (const column of columns) {
    const { serialized, columnType } = column.type.sql;
    const name = sqlColumn(column);
    const value = serialized?.(name) ?? (columnType === 'INTEGER' ? name : `hex(${name})`);
    const mark = serialized === undefined ? separator : '';
    parts.push(`'${before}${column.label.replaceAll("'", "''")}${mark}'`);
    parts.push(`iif(${name} IS NULL, '${missing}', ${value})`);
    before = `${mark},`;
  }
  const end = before.endsWith(',') ? before.slice(0, -1) : before;
  return `concat(${parts.join(', ')}${parts.length === 0 ? '' : ', '}'${end}}')`;
}

/** A value is between each two separators, in the order of the columns. */
function withStored(rows: string, serialize: readonly StoredSerializer[]): JsonText {
  let text = '';
  let from = 0;
  let next = 0;
  for (let start = rows.indexOf(separator); start >= 0; start = rows.indexOf(separator, from)) {
    const end = rows.indexOf(separator, start + 1);
    const stored = rows.slice(start + 1, end);
    text += rows.slice(from, start);
    text += stored === missing ? missing : (serialize[next]?.(stored) ?? '');
    from = end + 1;
    next = next + 1 === serialize.length ? 0 : next + 1;
  }
  return text + rows.slice(from);
}

/** A text contains no unescaped quotation mark, so these are members wherever they occur. */
function withoutMissing(rows: JsonText, [first = '', ...others]: readonly JsonText[]): JsonText {
  let text = rows;
  for (const label of others) text = text.replaceAll(`,${label}${missing}`, '');
  return text.replaceAll(`{${first}${missing},`, '{').replaceAll(`{${first}${missing}}`, '{}');
}

type StoredSerializer = (stored: string) => JsonText;

/** By the names of types: finding the type of a list, set or map by its name takes longer than writing a value. */
const serializers = new GenerationCache<StoredSerializer>(200);

function serializerNamed(typeName: string): StoredSerializer {
  let serializer = serializers.get(typeName);
  if (serializer === undefined) {
    const type = columnTypeOfName(typeName);
    if (type === undefined) throw new TypeError(`there is no type ${typeName}`);
    serializer = serializerOf(type);
    serializers.set(typeName, serializer);
  }
  return serializer;
}

function serializerOf(type: ColumnType): StoredSerializer {
  const { columnType, readsBigInt, decode, serializeStored, written } = type.sql;
  if (serializeStored !== undefined) return serializeStored;
  const serialize = (value: unknown) => (type.isOmitted?.(value) === true ? missing : type.serialize(value));
  if (columnType === 'BLOB') return (stored) => serialize(decode(Buffer.from(stored, 'hex')));
  if (written !== undefined) return (stored) => written(Buffer.from(stored, 'hex').toString());
  if (columnType === 'TEXT') return (stored) => serialize(decode(Buffer.from(stored, 'hex').toString()));
  return (stored) => serialize(decode(readsBigInt ? BigInt(stored) : Number(stored)));
}
