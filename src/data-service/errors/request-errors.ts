// Errors about the request: its JSON, its command, its fields, its token.
import { nearestName } from '../../foundation/nearest-name.js';
import { entry, listed } from './error-entry.js';

interface UnknownCommand {
  readonly command: string;
  readonly level: string;
  /** The commands of this path. */
  readonly known: readonly string[];
  /** The path of the command, if another path has one of that name. */
  readonly path: string | undefined;
  /** The subject of the command, if the public API has it and this server does not. */
  readonly notOffered: string | undefined;
}

function placeOf({ command, path, known }: UnknownCommand): string {
  if (path !== undefined) return `Send ${command} to ${path} (or below /api/json).`;
  const nearest = nearestName(command, known);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  return 'Check the name, and the path: /v1, /v1/{keyspace} or /v1/{keyspace}/{table}, also below /api/json.';
}

interface UnknownField {
  readonly field: string;
  /** The object that has the field: `command`, `command.options` … */
  readonly at: string;
  readonly known: readonly string[];
}

function adviceFor({ field, at, known }: UnknownField): string {
  const nearest = nearestName(field, known);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  if (at === 'command' && known.includes('operation'))
    return `Put it into "operation": {"operation": {"${listed([field])}": …}}.`;
  if (at === 'command' && known.includes('document'))
    return `Put the columns of a row into "document": {"document": {"${listed([field])}": …}}.`;
  return 'Correct or remove the field and send the command again.';
}

/** Family REQUEST, no scope (specification: Limits; wire: the envelope). */
export const requestErrors = {
  COMMAND_ACCEPTS_NO_OPTIONS: entry({
    title: 'Command accepts no options',
    when: 'A command without options got an `options` member that is not absent, null or `{}`.',
    message: (p: { command: string }) =>
      `The command ${p.command} accepts no options.\nRemove the member "options" and send the command again.`,
  }),
  COMMAND_FIELD_UNKNOWN: entry({
    title: 'Command field unknown',
    when: 'A member of the command, of its options or of a column definition is not known.',
    message: (p: UnknownField) =>
      `The field "${p.field}" is not known in ${p.at}.\nKnown fields: ${listed([...p.known].sort())}.\n` +
      adviceFor(p),
  }),
  COMMAND_FIELD_VALUE_INVALID: entry({
    title: 'Command field value invalid',
    when: 'A field has the right JSON type but a value that is not allowed: an empty name, a limit below 1, more than 100 rows, more columns than a table may have, a change of the schema of more than 512 KiB or one that a cluster refuses, a page state of another server.',
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
        : `This server has tables and no ${p.notOffered}. Use createTable, dropTable and listTables.`),
  }),
  REPLY_SIZE_LIMIT_VIOLATION: entry({
    title: 'Reply too large',
    when: 'The rows or definitions of a reply are longer than 33,554,432 characters as JSON.',
    message: (p: { limit: number; advice: string }) =>
      `The reply would be longer than ${p.limit} characters as JSON, the limit of a reply.\n${p.advice}`,
  }),
  REQUEST_NOT_JSON: entry({
    title: 'Request is not JSON',
    when: 'The body is not JSON, repeats the name of a member, is not UTF-8, or is nested more than 1000 levels deep.',
    message: (p: { problem: string }) =>
      `The body of the request is not valid JSON: ${p.problem}.\nCorrect the body and send the request again.`,
  }),
  REQUEST_STRUCTURE_MISMATCH: entry({
    title: 'Request structure mismatch',
    when: 'The body is JSON, but a part of it has the wrong type.',
    message: (p: { at: string; expected: string; found: string; example: string }) =>
      `${p.at} must be ${p.expected}, but is ${p.found}.\nExample: ${p.example}`,
  }),
  UNSUPPORTED_CONTENT_TYPE: entry({
    title: 'Content type not supported',
    when: 'The request has a content type other than application/json. (A request without a content type is read as JSON, if no browser sent it.)',
    message: (p: { contentType: string }) =>
      `${p.contentType === '' ? 'A body without a content type is not accepted from browsers' : `The content type "${p.contentType}" is not supported`}.\nSend the request with: Content-Type: application/json`,
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
      `The request has no authentication token.\nSend the token in the header "${p.header}".`,
    httpStatus: 401,
  }),
  UNAUTHENTICATED_REQUEST: entry({
    title: 'Authentication token not accepted',
    when: 'The token of the request is not the token of the server. With `--engine cassandra`: nor that of a user of the cluster.',
    message: (p: { header: string }) =>
      `The authentication token in the header "${p.header}" is not valid.\nCheck the token, or ask the administrator of the server for it.`,
    httpStatus: 401,
  }),
  UNAUTHORIZED_ACCESS: entry({
    title: 'Access not permitted',
    when: 'With `--engine cassandra`: the user of the cluster who sent the request, or the user of the server, has no permission for it.',
    message: (p: { problem: string }) =>
      `The user of the request may not do this: ${p.problem}.\nNothing was changed by what was refused. Ask the administrator of the cluster to GRANT the permission, or send the token of another user.`,
    httpStatus: 401,
  }),
  COMMAND_NOT_PERMITTED: entry({
    title: 'Command not permitted',
    when: 'On the operations port: the login has the role viewer, and the command does not only read.',
    message: (p: { command: string }) =>
      `The command ${p.command} needs the role operator, and the login of the request has the role viewer.\nNothing was changed. Viewers may send commands that read; log in as an operator for others.`,
    httpStatus: 403,
  }),
} as const;
