// The form of a tool for assistants, and the arguments that tools share.

import { operatorsOn } from '../../descriptions/filter-operators.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import type { DataPort } from '../data-port.js';

/** What a tool works with. */
export interface ToolContext {
  readonly port: DataPort;
  /** The keyspace if the arguments name none. */
  readonly keyspace: string;
}

/** What a call works with. */
export interface CallContext extends ToolContext {
  /** Aborted when the client no longer waits for the reply. */
  readonly cancelled: AbortSignal;
}

/** The arguments of a call, as the schema of the tool allows them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schemas by the names of arguments; the first `required` of them must be given. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** `write` is absent with --read-only; `delete` may remove what exists. */
  readonly effect: 'read' | 'write' | 'delete';
  /** The text of the reply. @throws DataPortProblem, ToolMisuse, Interrupted */
  run(given: ToolArguments, context: CallContext): Promise<JsonText>;
}

/** The arguments do not fit together. The message is for the assistant. */
export class ToolMisuse extends Error {}

const name = { type: 'string', pattern: '^\\w{1,222}$' };

const ofColumns = operatorsOn('values');
const ofDocuments = operatorsOn('documents').filter((operator) => !ofColumns.includes(operator));

/** The schemas of arguments of several tools. */
export const argumentSchemas = {
  keyspace: { ...name, description: 'The keyspace. Default: the one that the server was started with.' },
  name: { ...name, description: 'The name of the table or collection.' },
  filter: {
    type: 'object',
    description:
      'Which rows or documents, as {"column": value} or {"path.to.field": {"$gt": 5}}. ' +
      `Operators: ${ofColumns.join(' ')} $and $or $not; for documents also ${ofDocuments.join(' ')}. Default: all.`,
  },
  projection: {
    type: 'object',
    description:
      'Which fields the reply has: {"name": true} or {"embedding": false}. Default: all; long vectors are shortened.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'How many rows or documents. Default: 10.',
  },
  documents: { type: 'array', items: { type: 'object' }, minItems: 1, maxItems: 100 },
} as const;

/** `/keyspace` or `/keyspace/name` for the arguments. */
export function pathOf(given: ToolArguments, { keyspace }: ToolContext): string {
  const place = `/${given['keyspace'] ?? keyspace}`;
  return given['name'] === undefined ? place : `${place}/${given['name']}`;
}

/** The arguments with these names that are given. */
export function given(values: ToolArguments, ...names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}
