// Holds every reply of the tests, and every request that was accepted, against the OpenAPI document of the service.
import assert from 'node:assert/strict';
import type { AnyReply, HttpReply, HttpRequest } from '../../src/foundation/http/http-handler.js';
import { bodyText } from '../body-text.js';
import { type JsonSchema, problemsOf } from './json-schema.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonSchema;
}

interface Operation {
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

interface Content {
  readonly schema: JsonSchema;
}

let document: Document | undefined;

/**
 * Fails when the document does not allow this reply to this request, or not this request, which was accepted.
 * `askDocument` asks for the document.
 */
export async function checkReply(
  { method, path, body: sent }: HttpRequest,
  reply: HttpReply,
  body: unknown,
  askDocument: () => Promise<AnyReply>,
): Promise<void> {
  document ??= await parseDocument(await askDocument());
  const operation = operationOf(document, method === 'HEAD' ? 'GET' : method, path);
  const content = contentFor(operation, reply);
  const [type = ''] = reply.contentType.split(';');
  const schema = content[type]?.schema;
  assert.ok(schema !== undefined, `${method} ${path}: the document has no ${type} for ${reply.status}`);
  // A schema may point into the whole document.
  const root: JsonSchema = { ...document };
  assert.deepEqual(problemsOf(body, schema, root), [], `${method} ${path} ${reply.status}: ${reply.body}`);
  if (reply.status < 300) checkBody(`${method} ${path}`, sent.toString(), operation, root);
}

function checkBody(what: string, text: string, operation: Operation | undefined, root: JsonSchema): void {
  const shown = operation?.requestBody;
  if (shown === undefined) return;
  if (text === '') {
    assert.ok(!shown.required, `${what}: the document wants a body, and none was accepted`);
    return;
  }
  const schema = shown.content['application/json']?.schema;
  assert.ok(schema !== undefined);
  assert.deepEqual(problemsOf(JSON.parse(text), schema, root), [], `${what} accepted ${text}`);
}

async function parseDocument(reply: AnyReply): Promise<Document> {
  assert.ok('body' in reply);
  return JSON.parse(bodyText(reply));
}

/** The operation whose path fits with the fewest variable parts; undefined where the service knows none. */
function operationOf({ paths }: Document, method: string, path: string): Operation | undefined {
  const asked = method === 'POST' ? path.replace(/(.)\/$/, '$1') : path;
  const fitting = Object.entries(paths).filter(([pattern]) =>
    new RegExp(`^${pattern.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(asked),
  );
  const variables = (pattern: string) => pattern.split('{').length;
  const [found] = fitting.sort(([left], [right]) => variables(left) - variables(right));
  return found?.[1][method.toLowerCase()];
}

/** A path or method that nobody serves is refused in the form of all refusals. */
function contentFor(
  operation: Operation | undefined,
  { status }: HttpReply,
): Readonly<Record<string, Content>> {
  const responses = operation?.responses ?? {};
  const found = responses[String(status)] ?? responses['default'];
  if (found !== undefined) return found.content;
  assert.ok(
    [403, 404, 405].includes(status),
    `the document has no such operation, and the reply is ${status}`,
  );
  return { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
}
