// The refusals of schema changes because of stored rows: zero vectors in a new index, and vectors of another service in
// a column (differences: zero vectors, vectorize columns).
import type { PrimaryKey } from '../query/key-filter.js';
import { describeEmbeddingService } from '../schema/embedding-service.js';
import type { Column, IndexDefinition, Table } from '../schema/table.js';
import { EngineError } from './engine-error.js';

const shownKeys = 3;
const shownLength = 100;

/** Whether the index holds no zero vectors: an engine must look for them before it makes the index. */
export function refusesZeroVectors(index: IndexDefinition): boolean {
  return index.kind === 'vector' && index.metric === 'cosine';
}

/** The refusal of an index for the rows with these keys, of which there is at least one. */
export function unindexableRows(
  table: Table,
  { column }: IndexDefinition,
  keys: readonly PrimaryKey[],
): EngineError {
  const named = keys.slice(0, shownKeys).map((key) => {
    const text = `[${table.keyColumns.map(({ type }, at) => type.serialize(key[at])).join(',')}]`;
    return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  });
  const more = keys.length > shownKeys ? ' and others' : '';
  return new EngineError(
    'unindexable',
    `the column ${column.name}(${column.type.name}) holds zero vectors, which have no direction for the metric ` +
      `cosine, in the rows with the keys ${named.join(', ')}${more}`,
  );
}

/** The refusal of a new service for a column that holds vectors of the service that it has or had. */
export function heldVectors(table: Table, { name, service }: Column): EngineError {
  const maker = service === undefined ? 'another service' : describeEmbeddingService(service.service);
  return new EngineError(
    'holdsVectors',
    `the column ${name} of the table ${table.name} holds vectors made by ${maker}, and the new service would make ` +
      'others; use the same provider, model and parameters, or delete the vectors',
  );
}
