// The OpenAPI document, generated from the routes and their schemas.

import * as v from 'valibot';
import { getOrMake } from '../../foundation/get-or-make.js';
import { type AccessLevel, sessionName } from '../access/gate.js';
import { refusals } from '../errors/ops-error.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

type JsonSchemaOf = (schema: v.GenericSchema, side: 'input' | 'output') => object;

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'header',
    name: sessionName,
    description: 'The id that POST /login gives; needed once there are users.',
  },
  sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionName, description: 'The same id as a cookie.' },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Token',
    description: 'The token of --token, needed for changes where it is set and there are no users.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of --metrics-token, needed where the port is not bound to a loopback address.',
  },
} as const;

/** One of these is enough; the empty one is for servers that require none. */
const securityOf: Readonly<Record<AccessLevel, readonly (keyof typeof securitySchemes)[]>> = {
  open: [],
  viewer: ['session', 'sessionCookie'],
  operator: ['session', 'sessionCookie', 'token'],
};

const errorName = '#/components/schemas/Error';

/** The route that returns the document; `routes` returns all routes. */
export function openApiRoute(routes: () => readonly Route[], naming: OpsParts): Route {
  let document: Promise<object> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    access: 'open',
    reply: v.looseObject({ openapi: v.string() }),
    answer: () => {
      document ??= describeRoutes(routes(), naming);
      return document;
    },
  };
}

/** Generates the document. The library that converts schemas is loaded at the first request. */
async function describeRoutes(routes: readonly Route[], { version }: OpsParts): Promise<object> {
  const { toJsonSchema } = await import('@valibot/to-json-schema');
  const schemaOf: JsonSchemaOf = (schema, side) => {
    // Checks that JSON Schema cannot express are omitted; the service makes them.
    const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: side });
    return rest;
  };
  const paths = new Map<string, [string, object][]>();
  for (const route of routes) {
    const operations = getOrMake(paths, route.path, (): [string, object][] => []);
    operations.push([route.method.toLowerCase(), describeRoute(route, schemaOf)]);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Colonnade operations service', version },
    paths: Object.fromEntries([...paths].map(([path, operations]) => [path, Object.fromEntries(operations)])),
    components: {
      securitySchemes,
      schemas: { Error: errorSchema() },
    },
  };
}

function describeRoute(route: Route, schemaOf: JsonSchemaOf): object {
  const shown = route.documentedBody ?? route.body;
  const body = shown === undefined ? {} : { requestBody: jsonBody(shown, schemaOf) };
  const reply = {
    description: 'It worked.',
    content: { [route.contentType ?? 'application/json']: { schema: schemaOf(route.reply, 'output') } },
  };
  // The only route whose error reply has a form of its own.
  const notReady = route.path === '/health/ready' ? { 503: { ...reply, description: 'Not ready.' } } : {};
  return {
    summary: route.summary,
    security: securityOfRoute(route),
    'x-role': route.access,
    parameters: [
      ...pathParameters(route.path),
      ...parametersOf(route.query, 'query', schemaOf),
      ...parametersOf(route.headers, 'header', schemaOf),
    ],
    ...body,
    responses: {
      [String(route.status ?? 200)]: reply,
      ...notReady,
      default: {
        description: 'It was refused.',
        content: { 'application/json': { schema: { $ref: errorName } } },
      },
    },
  };
}

function securityOfRoute({ path, access }: Route): readonly object[] {
  const schemes = path === '/metrics' ? (['metricsToken'] as const) : securityOf[access];
  const choices = schemes.map((name) => ({ [name]: [] }));
  return choices.length === 0 ? [] : [...choices, {}];
}

function jsonBody(shown: v.GenericSchema, schemaOf: JsonSchemaOf): object {
  const required = !v.is(shown, undefined);
  return { required, content: { 'application/json': { schema: schemaOf(shown, 'input') } } };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function parametersOf(
  shown: v.GenericSchema | undefined,
  place: 'query' | 'header',
  schemaOf: JsonSchemaOf,
): object[] {
  if (shown === undefined) return [];
  // Queries and headers are objects of strings in every route's schema.
  const { properties = {}, required = [] } = schemaOf(shown, 'input') as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema,
  }));
}

function errorSchema(): object {
  return {
    type: 'object',
    required: ['type', 'message', 'details'],
    additionalProperties: false,
    properties: {
      type: { enum: [...Object.keys(refusals), 'InternalError'] },
      message: { type: 'string' },
      details: {
        type: 'array',
        items: {
          type: 'object',
          required: ['path', 'message'],
          additionalProperties: false,
          properties: { path: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  };
}
