// Statements by which the public Data API server makes the table of a collection and writes a document into it.

/** The comment that it gives the table of such a collection; `options`: those of createCollection, as JSON. */
export function publicComment(name: string, options: string, version = '2'): string {
  return `{"collection":{"name":"${name}","schema_version":${version},"options":${options}}}`;
}

/** `vector`: its dimension; no column without it. `comment`: `''` for the early versions, which have none. */
export interface PublicCollection {
  readonly keyspace: string;
  readonly name: string;
  readonly comment: string;
  readonly vector?: number;
}

/** Makes the table and its indexes. Open Cassandra refuses the index that the public server makes on vectors. */
export function publicCollectionStatements(collection: PublicCollection): readonly string[] {
  const { keyspace, name, comment, vector } = collection;
  const table = `"${keyspace}"."${name}"`;
  const columns = [
    'key frozen<tuple<tinyint, text>> PRIMARY KEY',
    'tx_id timeuuid',
    'doc_json text',
    'exist_keys set<text>',
    'array_size map<text, int>',
    'array_contains set<text>',
    'query_bool_values map<text, tinyint>',
    'query_dbl_values map<text, decimal>',
    'query_text_values map<text, text>',
    'query_timestamp_values map<text, timestamp>',
    'query_null_values set<text>',
    ...(vector === undefined ? [] : [`query_vector_value vector<float, ${vector}>`]),
  ];
  const indexes = [
    ['exists_keys', 'values(exist_keys)'],
    ['array_size', 'entries(array_size)'],
    ['array_contains', 'values(array_contains)'],
    ...['query_bool_values', 'query_dbl_values', 'query_text_values', 'query_timestamp_values'].map(
      (column) => [column, `entries(${column})`] as const,
    ),
    ['query_null_values', 'values(query_null_values)'],
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')})` +
      (comment === '' ? '' : ` WITH comment = '${comment.replaceAll("'", "''")}'`),
    ...indexes.map(
      ([suffix, target]) =>
        `CREATE CUSTOM INDEX IF NOT EXISTS "${name}_${suffix}" ON ${table} (${target}) USING 'StorageAttachedIndex'`,
    ),
  ];
}

/**
 * Writes a document. `id`: the kind of its id as the layout numbers it, and the text of the id. The columns for
 * filters, which nothing here reads, have only what every document has.
 */
export function publicInsert(
  { keyspace, name }: Pick<PublicCollection, 'keyspace' | 'name'>,
  id: readonly [kind: number, text: string],
  document: string,
): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return (
    `INSERT INTO "${keyspace}"."${name}" (key, tx_id, doc_json, exist_keys) ` +
    `VALUES ((${id[0]}, ${literal(id[1])}), now(), ${literal(document)}, {'_id'}) IF NOT EXISTS`
  );
}
