// Rows that a new index cannot hold, and the refusal that names some of them (differences: zero vectors).
import type { PrimaryKey } from '../query/key-filter.js';
import type { IndexDefinition, Table } from '../schema/table.js';
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
