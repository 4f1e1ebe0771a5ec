// Recognises the tables in which the public Data API server stores collections. Its layout has columns that only that
// server keeps up to date, so no command here reads or changes such a table.
import { isJsonObject, type JsonValue } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import type { ColumnRow, TableRow } from './schema-rows.js';

/** The columns that every such table has, with their types as Cassandra writes them, without blanks. */
const layout: ReadonlyMap<string, string> = new Map([
  ['key', 'frozen<tuple<tinyint,text>>'],
  ['tx_id', 'timeuuid'],
  ['doc_json', 'text'],
  ['exist_keys', 'set<text>'],
  ['array_size', 'map<text,int>'],
  ['array_contains', 'set<text>'],
  ['query_bool_values', 'map<text,tinyint>'],
  ['query_dbl_values', 'map<text,decimal>'],
  ['query_text_values', 'map<text,text>'],
  ['query_timestamp_values', 'map<text,timestamp>'],
  ['query_null_values', 'set<text>'],
]);

const limits = { maxDepth: 100, maxNumberLength: 100 };

/**
 * Whether the public server takes the table for a collection. Its comment says so, or the columns do: tables of early
 * versions have another comment or none.
 */
export function isPublicCollection(table: Pick<TableRow, 'comment'>, columns: readonly ColumnRow[]): boolean {
  return namesSchemaVersion(table.comment) || hasLayout(columns);
}

/** Whether the comment is `{"collection": {"schema_version": …, …}}`, whatever the version. */
function namesSchemaVersion(comment: string): boolean {
  if (!comment.startsWith('{')) return false;
  const collection = memberOf(jsonIn(comment), 'collection');
  return memberOf(collection, 'schema_version') !== undefined;
}

function jsonIn(comment: string): JsonValue {
  try {
    return parseJson(comment, limits);
  } catch {
    return null; // a comment in words
  }
}

function memberOf(json: JsonValue | undefined, name: string): JsonValue | undefined {
  return json !== undefined && json !== null && isJsonObject(json) ? json.get(name) : undefined;
}

function hasLayout(columns: readonly ColumnRow[]): boolean {
  const types = new Map(columns.map(({ name, type }) => [name, type.replaceAll(' ', '')]));
  const key = columns.filter(({ kind }) => kind === 'partition_key' || kind === 'clustering');
  return (
    key.length === 1 &&
    key[0]?.name === 'key' &&
    [...layout].every(([name, type]) => types.get(name) === type)
  );
}
