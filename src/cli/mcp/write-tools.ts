// Tools that change data; absent with --read-only.
import {
  JsonNumber,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { type DataReply, errorText } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { commandText } from './exact-arguments.js';
import {
  argumentSchemas,
  type CallContext,
  given,
  type McpTool,
  pathOf,
  type ToolArguments,
  type ToolContext,
} from './mcp-tool.js';
import { replyText } from './reply-text.js';

const { keyspace, name, filter, documents } = argumentSchemas;
const many = { type: 'boolean', description: 'All that match instead of one. Default: false.' };

async function send(values: ToolArguments, context: ToolContext, command: object): Promise<string> {
  return replyText(await context.port.change(pathOf(values, context), commandText(command)));
}

/**
 * Sends a command until it has changed all documents that match, because each one changes some of them, or until the
 * call is cancelled. Returns the sums of its counts. @throws DataPortProblem with what was changed before
 */
async function sendForAll(
  values: ToolArguments,
  context: CallContext,
  name: 'updateMany' | 'deleteMany',
  clauses: object,
): Promise<string> {
  const totals = new Map<string, JsonValue>();
  for (let pageState: JsonValue | undefined; ; ) {
    const options = typeof pageState === 'string' ? { options: { pageState } } : {};
    const command = commandText({ [name]: { ...clauses, ...options } });
    const { status, errors } = await changeAfter(
      totals,
      context.port.change(pathOf(values, context), command),
    );
    for (const [count, value] of status)
      if (value instanceof JsonNumber) totals.set(count, sumOf(totals.get(count), value));
    if (errors.length > 0)
      throw new DataPortProblem([...errors.map(errorText), untilThen(totals)].join('\n'));
    if (status.get('moreData') !== true) return stringifyJson(totals);
    if (context.cancelled.aborted) throw new Interrupted(`cancelled; ${untilThen(totals)}`);
    pageState = status.get('nextPageState');
  }
}

/** The reply to a command behind others. @throws DataPortProblem that also says what they changed */
async function changeAfter(totals: JsonObject, reply: Promise<DataReply>): Promise<DataReply> {
  try {
    return await reply;
  } catch (error) {
    if (totals.size === 0 || !(error instanceof DataPortProblem)) throw error;
    throw new DataPortProblem(`${error.message}\n${untilThen(totals)}`, { cause: error });
  }
}

function untilThen(totals: JsonObject): string {
  return `until then: ${stringifyJson(totals)}`;
}

function sumOf(before: JsonValue | undefined, value: JsonNumber): JsonNumber {
  const sum = (before instanceof JsonNumber ? Number(before.text) : 0) + Number(value.text);
  return new JsonNumber(String(sum));
}

function change(
  values: ToolArguments,
  context: CallContext,
  verb: 'update' | 'delete',
  clauses: object,
): Promise<string> {
  return values['many'] === true
    ? sendForAll(values, context, `${verb}Many`, clauses)
    : send(values, context, { [`${verb}One`]: clauses });
}

const insert: McpTool = {
  name: 'insert',
  title: 'Insert rows or documents',
  description:
    'Inserts up to 100 rows or documents. A row with an existing primary key overwrites the columns that it has; a ' +
    'document with an existing _id is refused. Texts for columns or collections with an embedding service become ' +
    'vectors ("$vectorize" in documents).',
  properties: { name, keyspace, documents },
  required: ['name', 'documents'],
  effect: 'write',
  run: async (values, context) => {
    const command = commandText({ insertMany: given(values, 'documents') });
    const reply = await context.port.change(pathOf(values, context), command);
    const inserted = elementsOf(reply.status.get('insertedIds'));
    if (reply.errors.length === 0 || inserted.length === 0) return replyText(reply);
    const done = `${inserted.length} were inserted, with these ids: ${stringifyJson([...inserted])}`;
    throw new DataPortProblem([...reply.errors.map(errorText), done].join('\n'));
  },
};

const update: McpTool = {
  name: 'update',
  title: 'Update rows or documents',
  description:
    'Changes a row (filter: its whole primary key) or documents: {"$set": {...}, "$unset": {...}}; for documents ' +
    'also $inc $push $pull $addToSet and others. Set many to change all documents that match.',
  properties: { name, keyspace, filter, update: { type: 'object' }, many },
  required: ['name', 'filter', 'update'],
  effect: 'delete',
  run: (values, context) => change(values, context, 'update', given(values, 'filter', 'update')),
};

const remove: McpTool = {
  name: 'delete',
  title: 'Delete rows or documents',
  description:
    'Deletes the row or document that matches a filter, or with many all that match. The filter must not be empty.',
  properties: { name, keyspace, filter: { ...filter, minProperties: 1 }, many },
  required: ['name', 'filter'],
  effect: 'delete',
  run: (values, context) => change(values, context, 'delete', given(values, 'filter')),
};

const createCollection: McpTool = {
  name: 'create_collection',
  title: 'Create a collection',
  description:
    'Creates a collection of JSON documents. options: {"vector": {"dimension": 3, "metric": "cosine"}} or, to search ' +
    'by texts without a network, {"vector": {"service": {"provider": "colonnade", "modelName": "hashed-ngrams"}}}, ' +
    'which compares letters and words, not meaning. list_embedding_models lists further models: name one of the ' +
    'provider local if there is one.',
  properties: { name, keyspace, options: { type: 'object' } },
  required: ['name'],
  effect: 'write',
  run: ({ name: collection, ...values }, context) =>
    send(values, context, { createCollection: { name: collection, ...given(values, 'options') } }),
};

const createTable: McpTool = {
  name: 'create_table',
  title: 'Create a table',
  description:
    'Creates a table. definition: {"columns": {"id": "int", "note": "text"}, "primaryKey": "id"}; a primary key can ' +
    'also be {"partitionBy": ["a"], "partitionSort": {"b": -1}}.',
  properties: { name, keyspace, definition: { type: 'object' } },
  required: ['name', 'definition'],
  effect: 'write',
  run: ({ name: table, ...values }, context) =>
    send(values, context, { createTable: { name: table, ...given(values, 'definition') } }),
};

/** All of them. */
export const writeTools: readonly McpTool[] = [insert, update, remove, createCollection, createTable];
