// Refusals of schema changes because of stored rows: zero vectors in a new index, and vectors of another service in a
// column (differences: zero vectors, vectorize columns).
import { shortened } from '../../foundation/text/shorten-text.js';
import { labelOf } from '../column-types/column-type.js';
import type { PrimaryKey } from '../query/key-filter.js';
import { describeEmbeddingService } from '../schema/embedding-service.js';
import type { Column, IndexDefinition, Table } from '../schema/table.js';
import { EngineError } from './engine-error.js';

/** Keys of rows that a refusal names. */
export const mostShownKeys = 3;
const shownLength = 100;

/** What an index with the metric cosine cannot contain. */
export const zeroVectors = 'zero vectors, which have no direction for the metric cosine';

/** Whether the index cannot contain zero vectors: an engine must search for them before it creates the index. */
export function refusesZeroVectors(index: IndexDefinition): boolean {
  return index.kind === 'vector' && index.metric === 'cosine';
}

/**
 * The refusal of an index because of the rows with these keys, of which there is at least one. `held`: what they have
 * that the index cannot contain.
 */
export function unindexableRows(
  table: Table,
  { column }: IndexDefinition,
  keys: readonly PrimaryKey[],
  held: string = zeroVectors,
): EngineError {
  const named = keys.slice(0, mostShownKeys).map((key) => {
    const text = `[${table.keyColumns.map(({ type }, at) => type.serialize(key[at])).join(',')}]`;
    return shortened(text, shownLength);
  });
  const more = keys.length > mostShownKeys ? ' and others' : '';
  return new EngineError(
    'unindexable',
    `the column ${column.name}(${labelOf(column.type)}) holds ${held}, in the rows with the keys ${named.join(', ')}${more}`,
  );
}

/** The refusal of a new service for a column with vectors of its present or an earlier service. */
export function heldVectors(table: Table, { name, service }: Column): EngineError {
  const maker = service === undefined ? 'another service' : describeEmbeddingService(service);
  return new EngineError(
    'holdsVectors',
    `the column ${name} of the table ${table.name} holds vectors made by ${maker}, and the new service would make ` +
      'others; use the same provider, model and parameters, or delete the vectors',
  );
}
