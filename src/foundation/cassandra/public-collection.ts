// Recognises the tables in which the public Data API server stores collections. Its layout has columns that only that
// server keeps up to date, so no command here reads or changes such a table.
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { parseJson } from '../json/parse-json.js';

/** A column as `system_schema.columns` describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** `partition_key`, `clustering`, `regular` or `static`. */
  readonly kind: string;
  /** The type as CQL writes it: `frozen<list<int>>`. */
  readonly type: string;
}

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
export function isPublicCollection(
  { comment }: { readonly comment: string },
  columns: readonly DescribedColumn[],
): boolean {
  return collectionIn(comment)?.has('schema_version') === true || hasLayout(columns);
}

/**
 * The options of createCollection that the comment of such a table has, in the form in which that server stores them;
 * none for a comment in words. Early versions write the options alone.
 */
export function publicOptions(comment: string): JsonObject {
  const collection = collectionIn(comment);
  return objectOf(collection === undefined ? jsonIn(comment) : collection.get('options'));
}

/** The member of `{"collection": {"name": …, "schema_version": …, "options": …}}`; undefined for other comments. */
function collectionIn(comment: string): JsonObject | undefined {
  if (!comment.startsWith('{')) return undefined;
  const collection = objectOf(jsonIn(comment)).get('collection') ?? null;
  return isJsonObject(collection) ? collection : undefined;
}

function jsonIn(comment: string): JsonValue {
  try {
    return parseJson(comment, limits);
  } catch {
    return null; // a comment in words
  }
}

function objectOf(json: JsonValue = null): JsonObject {
  return isJsonObject(json) ? json : new Map();
}

function hasLayout(columns: readonly DescribedColumn[]): boolean {
  const types = new Map(columns.map(({ name, type }) => [name, type.replaceAll(' ', '')]));
  const key = columns.filter(({ kind }) => kind === 'partition_key' || kind === 'clustering');
  return (
    key.length === 1 &&
    key[0]?.name === 'key' &&
    [...layout].every(([name, type]) => types.get(name) === type)
  );
}
