// An error or warning for the client: a code of the catalogue with its parameters filled in.
import {
  catalogue,
  type ErrorCode,
  type ErrorFamily,
  type ErrorGroup,
  type ErrorParameters,
} from './catalogue.js';
import type { ErrorEntry } from './error-entry.js';

/** Thrown for errors; warnings are the same thing, handed over in a reply. The envelope gives each its id. */
export class ApiError extends Error {
  readonly family: ErrorFamily;
  readonly scope: string;
  readonly code: string;
  readonly title: string;
  readonly httpStatus: number;

  constructor(group: ErrorGroup, code: string, found: ErrorEntry<never>, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.family = catalogue[group].family;
    this.scope = catalogue[group].scope;
    this.code = code;
    this.title = found.title;
    this.httpStatus = found.httpStatus ?? 200;
  }
}

/** Several errors of one command, in the order they are reported. */
export class ApiErrors extends Error {
  readonly errors: readonly ApiError[];

  constructor(errors: readonly ApiError[]) {
    super(errors.map((error) => error.message).join('\n'));
    this.errors = errors;
  }
}

/** Makes the error of a code. A misspelt code or a missing parameter does not compile. */
export function apiError<Group extends ErrorGroup, Code extends ErrorCode<Group>>(
  group: Group,
  code: Code,
  parameters: ErrorParameters<Group, Code>,
  cause?: unknown,
): ApiError {
  const codes: Readonly<Record<string, ErrorEntry<never>>> = catalogue[group].codes;
  const found = codes[code];
  if (found === undefined) throw new TypeError(`no error code ${code} in the group ${group}`);
  // The signature ties the parameters to the code; the look-up by a string forgets that.
  return new ApiError(group, code, found, found.message(parameters as never), cause);
}
