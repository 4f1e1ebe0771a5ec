// The form in which errors for clients are sent between threads, without their causes.
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import { ApiError, type ShownError } from './api-error.js';

/** The form of ApiError. */
export const apiErrorForm: ErrorForm = {
  kind: 'api-error',
  pack: (error) => {
    if (!(error instanceof ApiError)) return undefined;
    const { family, scope, code, title, message, httpStatus } = error;
    return { family, scope, code, title, message, httpStatus } satisfies ShownError;
  },
  unpack: (packed) => new ApiError(packed as ShownError), // packed by `pack`
};
