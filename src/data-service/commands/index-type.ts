// The field `indexType` of the commands that create indexes (wire: createIndex).
import { apiError } from '../errors/api-error.js';

const indexTypes = ['regular', 'text', 'vector'];

/** Takes a type in any case. @throws ApiError for a type that is unknown, or that another command creates */
export function checkIndexType(type: string | undefined, wanted: string): void {
  if (type === undefined) return;
  const given = type.toLowerCase();
  if (given === wanted) return;
  if (!indexTypes.includes(given))
    throw apiError('schema', 'UNKNOWN_INDEX_TYPE', { given: type, known: indexTypes });
  throw apiError('schema', 'UNSUPPORTED_INDEX_TYPE', { given, wanted });
}
