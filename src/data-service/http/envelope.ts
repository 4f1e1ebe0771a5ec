// Puts a reply into text: compact JSON with the members data, status and errors (wire: Response envelope).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Reply } from '../commands/reply.js';
import type { ApiError } from '../errors/api-error.js';

/** A reply as it goes over HTTP. */
export interface Envelope {
  readonly httpStatus: number;
  readonly body: JsonText;
}

/** `newId` gives each error and warning its own id. Empty members are omitted, and so is data when there are errors. */
export function makeEnvelope(reply: Reply, newId: () => string): Envelope {
  const { data, errors = [] } = reply;
  let body = '';
  if (data !== undefined && errors.length === 0) body = `"data":${data}`;
  const status = statusText(reply, newId);
  if (status !== '') body += `${body === '' ? '' : ','}"status":{${status}}`;
  if (errors.length === 0) return { httpStatus: 200, body: `{${body}}` };
  body += `${body === '' ? '' : ','}"errors":${errorsText(errors, newId)}`;
  return {
    httpStatus: errors.find((error) => error.httpStatus !== 200)?.httpStatus ?? 200,
    body: `{${body}}`,
  };
}

function statusText({ status = [], warnings = [] }: Reply, newId: () => string): JsonText {
  let text = '';
  for (const [name, value] of status) text += `${text === '' ? '' : ','}"${name}":${value}`;
  if (warnings.length > 0) text += `${text === '' ? '' : ','}"warnings":${errorsText(warnings, newId)}`;
  return text;
}

function errorsText(errors: readonly ApiError[], newId: () => string): JsonText {
  return `[${errors.map((error) => errorText(error, newId())).join(',')}]`;
}

function errorText({ family, scope, code, title, message }: ApiError, id: string): JsonText {
  return JSON.stringify({ id, family, scope, errorCode: code, title, message });
}
