// The refusal of a new service for a column that has vectors of another one (differences: vectorize columns).
import type { Column, Table } from '../schema/table.js';
import { describeVectorizer } from '../schema/vectorizer.js';
import { EngineError } from './engine-error.js';

/** The refusal of a new service for a column that holds vectors of the service that it has or had. */
export function heldVectors(table: Table, { name, service }: Column): EngineError {
  const maker = service === undefined ? 'another service' : describeVectorizer(service.service);
  return new EngineError(
    'holdsVectors',
    `the column ${name} of the table ${table.name} holds vectors made by ${maker}, and the new service would make ` +
      'others; use the same provider, model and parameters, or delete the vectors',
  );
}
