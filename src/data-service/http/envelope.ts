// Puts a reply into text: compact JSON with the members data, status and errors (wire: Response envelope).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Reply } from '../commands/reply.js';
import type { ApiError } from '../errors/api-error.js';

export interface Envelope {
  readonly httpStatus: number;
  readonly body: JsonText;
}

/** `newId` gives each error and warning its own id. Members that are empty are left out; data also beside errors. */
export function makeEnvelope(reply: Reply, newId: () => string): Envelope {
  const errors = reply.errors ?? [];
  const members: JsonText[] = [];
  if (reply.data !== undefined && errors.length === 0) members.push(`"data":${reply.data}`);
  const status = statusText(reply, newId);
  if (status !== '') members.push(`"status":{${status}}`);
  if (errors.length > 0)
    members.push(`"errors":[${errors.map((error) => errorText(error, newId())).join(',')}]`);
  const httpStatus = errors.find((error) => error.httpStatus !== 200)?.httpStatus ?? 200;
  return { httpStatus, body: `{${members.join(',')}}` };
}

function statusText({ status = [], warnings = [] }: Reply, newId: () => string): JsonText {
  const members = status.map(([name, value]) => `"${name}":${value}`);
  if (warnings.length > 0) {
    members.push(`"warnings":[${warnings.map((warning) => errorText(warning, newId())).join(',')}]`);
  }
  return members.join(',');
}

function errorText({ family, scope, code, title, message }: ApiError, id: string): JsonText {
  return JSON.stringify({ id, family, scope, errorCode: code, title, message });
}
