// An error or warning for the client: a code of the catalogue with its parameters filled in.

import type { JsonText } from '../../foundation/json/json-value.js';
import { beginningOf, endOf } from '../../foundation/text/shorten-text.js';
import {
  catalogue,
  type ErrorCode,
  type ErrorFamily,
  type ErrorGroup,
  type ErrorParameters,
} from './catalogue.js';
import type { ErrorEntry } from './error-entry.js';

/** Thrown for errors. Warnings have the same form and are part of a reply. The envelope adds the ids. */
export class ApiError extends Error {
  readonly family: ErrorFamily;
  readonly scope: string;
  readonly code: string;
  readonly title: string;
  readonly httpStatus: number;
  /** The ids of the documents that it concerns, in JSON; absent: none is known. */
  readonly documentIds?: readonly JsonText[];

  constructor({ family, scope, code, title, message, httpStatus, documentIds }: ShownError, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.family = family;
    this.scope = scope;
    this.code = code;
    this.title = title;
    this.httpStatus = httpStatus;
    if (documentIds !== undefined) this.documentIds = documentIds;
  }
}

/** The visible parts of an error; plain data. */
export type ShownError = Pick<
  ApiError,
  'family' | 'scope' | 'code' | 'title' | 'message' | 'httpStatus' | 'documentIds'
>;

/** Several errors of one command, in the order of the reply. */
export class ApiErrors extends Error {
  readonly errors: readonly ApiError[];

  constructor(errors: readonly ApiError[]) {
    super(errors.map((error) => error.message).join('\n'));
    this.errors = errors;
  }
}

/** Makes an error one about a part of a command, such as `command.documents[1]`. */
export function errorAt(part: string, error: ApiError): ApiError {
  const { family, scope, code, title, httpStatus, cause } = error;
  const message = `In ${part}: ${error.message}`;
  return new ApiError({ family, scope, code, title, message, httpStatus }, cause);
}

/** Makes an error one about some documents, by their ids. */
export function errorOfDocuments(error: ApiError, documentIds: readonly JsonText[]): ApiError {
  const { family, scope, code, title, message, httpStatus, cause } = error;
  return new ApiError({ family, scope, code, title, message, httpStatus, documentIds }, cause);
}

/** The error to throw for one or more problems: a single one unchanged. */
export function errorOf(problems: readonly ApiError[]): ApiError | ApiErrors {
  const [only, ...more] = problems;
  return only !== undefined && more.length === 0 ? only : new ApiErrors(problems);
}

/** Creates the error of a code. A misspelled code or a missing parameter does not compile. */
export function apiError<Group extends ErrorGroup, Code extends ErrorCode<Group>>(
  group: Group,
  code: Code,
  parameters: ErrorParameters<Group, Code>,
  cause?: unknown,
): ApiError {
  const codes: Readonly<Record<string, ErrorEntry<never>>> = catalogue[group].codes;
  const found = codes[code];
  if (found === undefined) throw new TypeError(`no error code ${code} in the group ${group}`);
  const { family, scope } = catalogue[group];
  // The signature relates the parameters to the code; the look-up by a string loses that.
  // A name that a client sent can have half of a surrogate pair, which strict readers of the reply refuse.
  const message = withinLimit(found.message(parameters as never)).toWellFormed();
  const { title, httpStatus = 200 } = found;
  return new ApiError({ family, scope, code, title, message, httpStatus }, cause);
}

/** Characters (UTF-16 code units) of a message; names and paths in it can be as long as a body. */
const mostCharacters = 20_000;
/** What a message that is too long ends with: its advice is there. */
const endCharacters = 2_000;

function withinLimit(message: string): string {
  if (message.length <= mostCharacters) return message;
  return `${beginningOf(message, mostCharacters - endCharacters - 1)}…${endOf(message, endCharacters)}`;
}

/**
 * The error of a request that was refused before anything was done, and may be sent again: the HTTP status is 503.
 * It has no cause, because it is not an error to log.
 */
export function tooBusy(problem: string): ApiError {
  const { family, scope, code, title, message } = apiError('database', 'UNAVAILABLE_DATABASE', { problem });
  return new ApiError({ family, scope, code, title, message, httpStatus: 503 });
}
