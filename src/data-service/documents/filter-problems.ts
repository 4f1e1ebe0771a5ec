// The errors of filters on documents that several files throw.
import { type ApiError, apiError } from '../errors/api-error.js';

/** The expression does not have the form of a filter. */
export function invalidExpression(problem: string): ApiError {
  return apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
}

/** The expression has a value of a kind that is not possible there. */
export function unsupportedType(problem: string): ApiError {
  return apiError('filter', 'FILTER_UNSUPPORTED_DATA_TYPE', { problem });
}
