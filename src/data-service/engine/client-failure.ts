// Converts failures of an engine to errors for the client; nothing else does. Commands convert those of whole commands,
// engines those of single documents behind others that are stored.

import { type ApiError, apiError, tooBusy } from '../errors/api-error.js';
import type { EngineError } from './engine-error.js';

/** The client's error where the failure is the result of a whole command. */
export function toCommandError(failure: EngineError): ApiError {
  return failure.kind === 'overloaded' ? tooBusy(failure.message) : toApiError(failure);
}

/** The header that carries the token of a request. */
export const tokenHeader = 'Token';

/** The client's error for an engine's failure. */
export function toApiError(failure: EngineError): ApiError {
  const { message: problem } = failure;
  switch (failure.kind) {
    case 'noRoom': // who adds columns knows where they stand in the request
    case 'writeFailed':
      return apiError('database', 'FAILED_WRITE_REQUEST', { problem }, failure);
    case 'writeTimeout':
      return apiError('database', 'TIMEOUT_WRITING_DATA', { problem }, failure);
    case 'readOnly':
      return apiError('database', 'READ_ONLY_SERVER', { problem }, failure);
    case 'refused': {
      const refusal = { field: 'command', value: 'an object', problem };
      return apiError('request', 'COMMAND_FIELD_VALUE_INVALID', refusal, failure);
    }
    case 'tooLarge':
      return apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', { problem }, failure);
    case 'unindexable':
      return apiError('schema', 'UNSUPPORTED_VECTOR_INDEX_FOR_DATA_TYPES', { problem }, failure);
    case 'holdsVectors':
      return apiError('schema', 'INVALID_VECTORIZE_TABLE_CONFIGURATION', { problem }, failure);
    case 'large':
    case 'readFailed':
      return apiError('database', 'FAILED_READ_REQUEST', { problem }, failure);
    case 'timeout':
      return apiError('database', 'TIMEOUT_READING_DATA', { problem }, failure);
    case 'unreachable':
      return apiError('database', 'FAILED_TO_CONNECT_TO_DATABASE', { problem }, failure);
    case 'unauthenticated':
      return apiError('security', 'UNAUTHENTICATED_REQUEST', { header: tokenHeader }, failure);
    case 'notPermitted':
      return apiError('security', 'UNAUTHORIZED_ACCESS', { problem }, failure);
    case 'closed':
    case 'overloaded': // of a row: the others may have been stored
    case 'unavailable':
      return apiError('database', 'UNAVAILABLE_DATABASE', { problem }, failure);
    case 'schemaChanged':
      return apiError(
        'database',
        'UNAVAILABLE_DATABASE',
        { problem: `other commands changed the schema repeatedly: ${problem}` },
        failure,
      );
  }
}
