// Errors of the request as such: its JSON, its command, its fields, its token.
import { entry, listed } from './error-entry.js';

interface UnknownCommand {
  readonly command: string;
  readonly level: string;
  /** The commands of the level. */
  readonly known: readonly string[];
  /** Where the command belongs, if there is one of that name. */
  readonly path: string | undefined;
  /** What the command is about, if that is something that the public API has and we have not. */
  readonly notOffered: string | undefined;
}

function placeOf({ command, path }: UnknownCommand): string {
  if (path !== undefined) return `Send ${command} to ${path} (or below /api/json).`;
  return 'Check the name, and the path: /v1, /v1/{keyspace} or /v1/{keyspace}/{table}, also below /api/json.';
}

/** Family REQUEST, no scope (specification: Limits; wire: the envelope). */
export const requestErrors = {
  COMMAND_ACCEPTS_NO_OPTIONS: entry({
    title: 'Command accepts no options',
    when: 'A command without options got an `options` member that is not absent, null or `{}`.',
    message: (p: { command: string }) =>
      `The command ${p.command} accepts no options.\nResend it without the "options" member.`,
  }),
  COMMAND_FIELD_UNKNOWN: entry({
    title: 'Command field unknown',
    when: 'A member of the command, of its options or of a column definition is not known.',
    message: (p: { field: string; at: string; known: readonly string[] }) =>
      `The field "${p.field}" is not known in ${p.at}.\nKnown fields: ${listed([...p.known].sort())}.\n` +
      'Resend the command with known fields only.',
  }),
  COMMAND_FIELD_VALUE_INVALID: entry({
    title: 'Command field value invalid',
    when: 'A field has the right JSON kind but a value outside its rules: an empty name, a limit below 1, more than 100 rows, more columns than a table may have, a change of the schema of more than 512 KiB, a page state of another server.',
    message: (p: { field: string; value: string; problem: string }) =>
      `The value of the field "${p.field}" is not valid: ${p.problem}.\nIt was: ${p.value}.`,
  }),
  COMMAND_UNKNOWN: entry({
    title: 'Command unknown',
    when: 'The command does not exist at the level of the path it was sent to.',
    message: (p: UnknownCommand) =>
      `The command "${p.command}" is not a ${p.level}.\nA ${p.level} is one of: ${listed([...p.known].sort())}.\n` +
      (p.notOffered === undefined
        ? placeOf(p)
        : `This server offers tables, and no ${p.notOffered}: see createTable, dropTable and listTables.`),
  }),
  REPLY_SIZE_LIMIT_VIOLATION: entry({
    title: 'Reply too large',
    when: 'The rows or definitions that a reply would show have more than 33,554,432 characters as JSON.',
    message: (p: { limit: number; advice: string }) =>
      `The reply would have more than ${p.limit} characters as JSON, which is more than a reply may have.\n${p.advice}`,
  }),
  REQUEST_NOT_JSON: entry({
    title: 'Request is not JSON',
    when: 'The body is no JSON, repeats a member name, is not UTF-8 or nests deeper than 1000.',
    message: (p: { problem: string }) =>
      `The request's body cannot be read as JSON: ${p.problem}.\nResend a body of valid JSON.`,
  }),
  REQUEST_STRUCTURE_MISMATCH: entry({
    title: 'Request structure mismatch',
    when: 'The body is JSON of another shape than the command has.',
    message: (p: { at: string; expected: string; found: string; example: string }) =>
      `${p.at} must be ${p.expected}, but is ${p.found}.\nThe right shape is: ${p.example}`,
  }),
  UNSUPPORTED_CONTENT_TYPE: entry({
    title: 'Content type not supported',
    when: 'The request has a content type other than application/json. (None at all is taken as JSON.)',
    message: (p: { contentType: string }) =>
      `The content type "${p.contentType}" is not supported.\nResend the request with: Content-Type: application/json.`,
    httpStatus: 415,
  }),
  UNSUPPORTED_TABLE_COMMAND: entry({
    title: 'Command not supported on tables',
    when: 'A command for document collections was sent to a table.',
    message: (p: { command: string; keyspace: string; table: string; tableCommands: readonly string[] }) =>
      `The command ${p.command} does not exist for tables; ${p.keyspace}.${p.table} is a table.\n` +
      `Commands for tables: ${listed([...p.tableCommands].sort())}.`,
  }),
} as const;

/** Family REQUEST, scope SECURITY: HTTP status 401. */
export const securityErrors = {
  MISSING_AUTHENTICATION_TOKEN: entry({
    title: 'Authentication token missing',
    when: 'The server runs with `--token` and the request has no token.',
    message: (p: { header: string }) =>
      `The request has no authentication token.\nResend it with the token in the header "${p.header}".`,
    httpStatus: 401,
  }),
  UNAUTHENTICATED_REQUEST: entry({
    title: 'Authentication token not accepted',
    when: 'The token of the request is not the one the server runs with.',
    message: (p: { header: string }) =>
      `The authentication token in the header "${p.header}" is not accepted.\nCheck the token, or ask the administrator of the server for it.`,
    httpStatus: 401,
  }),
} as const;
