// Reads the query and the body of a request and checks them together, so that one reply has every problem.
import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import type { HttpRequest, RequestHead } from '../../foundation/http/http-handler.js';
import { isJsonArray, JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import {
  JsonNumberTooLong,
  JsonSyntaxError,
  JsonTooManyValues,
  parseJson,
} from '../../foundation/json/parse-json.js';
import { closedObject } from '../errors/closed-object.js';
import { type ErrorDetail, OpsError } from '../errors/ops-error.js';
import { badRequest, detailsOf } from '../errors/validation.js';
import type { Route } from './route.js';

/** Checking a value takes longer than parsing it, so the number of values is limited. */
const jsonLimits = { maxDepth: 32, maxNumberLength: 100, maxValues: 10_000 };
/**
 * The maximum number of members of one object. Each unknown member is a separate problem, which takes longer than a
 * value.
 */
const mostMembers = 1000;
/** No route has as many. Strangers may send a query, so more are refused before each becomes a problem. */
const mostParameters = 100;
/** Clients that post without an explicit content type, such as curl, send JSON with the type of a form. */
const readAsJson = /^(application\/([a-z0-9.+-]+\+)?json|application\/x-www-form-urlencoded)\s*(;|$)/i;
const foreignCharset = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))/i;

/**
 * The query and the body as output by the route's schemas.
 * @throws OpsError `UnsupportedMediaType`, `PayloadTooLarge`, or `BadRequest` with every problem of both
 */
export function readRequest(request: HttpRequest, route: Route): { query: unknown; body: unknown } {
  if (route.takesBytes === true) return { query: {}, body: request.body };
  if (route.body !== undefined) refuseContentType(request);
  const query = checked(route.query ?? noQuery, readQuery(request.query));
  const body = route.body === undefined ? nothing : checked(route.body, readBody(request.body));
  const problems = [...query.problems, ...body.problems];
  if (problems.length > 0) throw badRequest(problems);
  return { query: query.value, body: body.value };
}

/** Whether a body follows the head. */
export function announcesBody(head: RequestHead): boolean {
  return head.header('transfer-encoding') !== undefined || Number(head.header('content-length') ?? 0) > 0;
}

interface Checked {
  readonly value: unknown;
  readonly problems: readonly ErrorDetail[];
}

const noQuery = closedObject({});
const nothing: Checked = { value: undefined, problems: [] };

function checked(schema: v.GenericSchema, read: Checked): Checked {
  if (read.problems.length > 0) return read;
  const result = v.safeParse(schema, read.value);
  if (result.success) return { value: result.output, problems: [] };
  return { value: undefined, problems: detailsOf(result.issues) };
}

function readQuery(text: string): Checked {
  const parameters = [...new URLSearchParams(text)];
  if (parameters.length > mostParameters) {
    const message = `the query has more than ${mostParameters} parameters`;
    return { value: undefined, problems: [{ path: '', message }] };
  }
  const names = parameters.map(([name]) => name);
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return {
    value: Object.fromEntries(parameters),
    problems: [...repeated].map((path) => ({ path, message: 'is given more than once' })),
  };
}

function refuseContentType(head: RequestHead): void {
  const contentType = head.header('content-type') ?? '';
  if (contentType === '' || (readAsJson.test(contentType) && !foreignCharset.test(contentType))) return;
  throw new OpsError('UnsupportedMediaType', 'the body must be JSON in UTF-8: send application/json');
}

/** The result is `undefined` for an empty body. */
function readBody(body: Buffer): Checked {
  if (body.length === 0) return nothing;
  try {
    if (!isUtf8(body)) throw new JsonSyntaxError('it is not UTF-8');
    return { value: toPlain(parseJson(body.toString(), jsonLimits)), problems: [] };
  } catch (error) {
    if (error instanceof JsonTooManyValues) {
      throw new OpsError('PayloadTooLarge', `the body has ${error.message}`);
    }
    if (!(error instanceof JsonSyntaxError || error instanceof JsonNumberTooLong)) throw error;
    const message = `the body cannot be read as JSON: ${error.message}`;
    return { value: undefined, problems: [{ path: '', message }] };
  }
}

/** Returns what `JSON.parse` returns, but refuses numbers that are too large, which would become infinite. */
function toPlain(json: JsonValue): unknown {
  if (json instanceof JsonNumber) {
    const number = Number(json.text);
    if (!Number.isFinite(number)) throw new JsonNumberTooLong(`the number ${json.text} is too large`);
    return number;
  }
  if (json === null || typeof json !== 'object') return json;
  if (isJsonArray(json)) return json.map(toPlain);
  if (json.size > mostMembers) throw new JsonTooManyValues(`an object with more than ${mostMembers} members`);
  return Object.fromEntries([...json].map(([name, member]) => [name, toPlain(member)]));
}
