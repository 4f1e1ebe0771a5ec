// Errors of updates, and their paths.
import { type ApiError, apiError } from '../../errors/api-error.js';
import { InvalidPath, type Path, parsePath } from '../path.js';

/** The operand of an operator is not possible. */
export function invalidParameter(problem: string): ApiError {
  return apiError('update', 'UNSUPPORTED_UPDATE_OPERATION_PARAM', { problem });
}

/** The path cannot be followed. */
export function invalidPath(problem: string): ApiError {
  return apiError('update', 'UNSUPPORTED_UPDATE_OPERATION_PATH', { problem });
}

/** The stored value is not one that the operator changes. */
export function invalidTarget(problem: string): ApiError {
  return apiError('update', 'UNSUPPORTED_UPDATE_OPERATION_TARGET', { problem });
}

/** The operand has an unknown modifier, or the path begins with `$`. */
export function invalidModifier(problem: string): ApiError {
  return apiError('update', 'UNSUPPORTED_UPDATE_OPERATION_MODIFIER', { problem });
}

/** Reads the path of an operator. @throws ApiError UNSUPPORTED_UPDATE_OPERATION_PATH */
export function parseUpdatePath(operator: string, text: string): Path {
  try {
    return parsePath(text);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw invalidPath(`${operator} has the path "${text}": ${error.message}`);
  }
}
