// Tables that hold every column type, and vectors with a service and indexes: what a move has to keep.
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import { createTable, insertAll, send } from './between-servers.js';

const types = columnTypes.filter(({ traits }) => traits.creatable);
const keyTypes = types.filter(({ traits }) => traits.key);
/** Rows of the table `values`. */
export const valueRows = Math.max(...types.map(({ examples }) => examples.accepts.length));

/**
 * Creates a table with a column of each type, and one for each type of keys, and fills them with boundary values.
 * Returns their names.
 */
export async function createEveryType(url: string, keyspace: string): Promise<readonly string[]> {
  await createValues(url, keyspace);
  for (const [at, { name, examples }] of keyTypes.entries()) {
    const primaryKey = { partitionBy: ['id'], partitionSort: { k: at % 2 === 0 ? 1 : -1 } };
    await createTable(url, `/${keyspace}`, `by_${name}`, { columns: { id: 'int', k: name }, primaryKey });
    const keys = examples.accepts.map((example) => `{"id":1,"k":${example}}`);
    // Keys of too many digits are refused.
    await send(url, `/${keyspace}/by_${name}`, `{"insertMany":{"documents":[${keys.join(',')}]}}`, true);
  }
  return ['values', ...keyTypes.map(({ name }) => `by_${name}`)];
}

async function createValues(url: string, keyspace: string): Promise<void> {
  const columns = Object.fromEntries(types.map(({ name }) => [`c_${name}`, name]));
  const containers = {
    l: { type: 'list', valueType: 'double' },
    s: { type: 'set', valueType: 'decimal' },
    m: { type: 'map', keyType: 'text', valueType: 'varint' },
    v: { type: 'vector', dimension: 2 },
  };
  await createTable(url, `/${keyspace}`, 'values', {
    columns: { id: 'int', ...columns, ...containers },
    primaryKey: 'id',
  });
  for (let at = 0; at < valueRows; at += 1) {
    const members = types.flatMap(({ name, examples }) => {
      const example = examples.accepts[at];
      return example === undefined ? [] : [`"c_${name}":${example}`];
    });
    const row = `{"id":${at},${members.join(',')},"l":[-0.0,1e-320,"NaN"],"s":[10,9.5],"m":{"é":1e40},"v":[-0.0,0.1]}`;
    // One by one: together they have too many digits for a request.
    await insertAll(url, `/${keyspace}/values`, [row]);
  }
}

/** Creates the table `notes` of 120 rows, with a vector column that has a service, and two indexes. */
export async function createNotes(url: string, keyspace: string): Promise<void> {
  const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };
  const columns = { id: 'int', note: 'text', meaning: { type: 'vector', service } };
  await createTable(url, `/${keyspace}`, 'notes', { columns, primaryKey: 'id' });
  const path = `/${keyspace}/notes`;
  const rows = Array.from({ length: 120 }, (_, at) => `{"id":${at},"note":"n ${at}","meaning":"text ${at}"}`);
  await insertAll(url, path, rows);
  const options = { metric: 'dot_product', sourceModel: 'openai-v3-small' };
  for (const command of [
    { createVectorIndex: { name: 'by_meaning', definition: { column: 'meaning', options } } },
    { createIndex: { name: 'by_note', definition: { column: 'note', options: { caseSensitive: false } } } },
  ])
    await send(url, path, JSON.stringify(command));
}
