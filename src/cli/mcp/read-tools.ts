// Tools that read: list, describe, find, search, count.
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';
import { hasRows, listIndexes, listTables } from '../tables/read-tables.js';
import { commandText } from './exact-arguments.js';
import {
  argumentSchemas,
  given,
  type McpTool,
  pathOf,
  type ToolArguments,
  type ToolContext,
  ToolMisuse,
} from './mcp-tool.js';
import { objectText, replyText } from './reply-text.js';

const { keyspace, name, filter, projection, limit } = argumentSchemas;

/** The tables and collections of a keyspace, each with its definition. */
export async function describe(table: string, space: string, { port }: ToolContext): Promise<string> {
  const tables = await listTables(port, space);
  const found = tables.find((each) => each.name === table);
  if (found === undefined) {
    const names = tables.map((each) => each.name).join(', ') || 'none';
    throw new DataPortProblem(`there is no table or collection ${table} in ${space}; it has: ${names}`);
  }
  if (found.kind === 'collection') {
    const { status } = await port.run(`/${space}/${table}`, '{"estimatedDocumentCount":{}}');
    return objectText({
      kind: 'collection',
      name: table,
      options: found.definition,
      about: status.get('count') ?? null,
    });
  }
  const indexes = (await listIndexes(port, space, table)).map(
    (index): JsonValue =>
      new Map<string, JsonValue>([
        ['name', index.name],
        ['type', index.indexType],
        ['definition', index.definition],
      ]),
  );
  const isEmpty = !(await hasRows(port, space, table));
  return objectText({ kind: 'table', name: table, definition: found.definition, indexes, isEmpty });
}

const listKeyspaces: McpTool = {
  name: 'list_keyspaces',
  title: 'List keyspaces',
  description: 'Lists the keyspaces, which are the namespaces of tables and collections.',
  properties: {},
  required: [],
  effect: 'read',
  run: async (_, { port }) => replyText(await port.ask('', '{"findKeyspaces":{}}')),
};

const listTablesTool: McpTool = {
  name: 'list_tables',
  title: 'List tables and collections',
  description:
    'Lists the tables (typed columns) and collections (JSON documents) of a keyspace by name and kind.',
  properties: { keyspace },
  required: [],
  effect: 'read',
  run: async (values, context) => {
    const tables = await listTables(context.port, String(values['keyspace'] ?? context.keyspace));
    return objectText({
      tables: tables.map(
        (table) =>
          new Map([
            ['name', table.name],
            ['kind', table.kind],
          ]),
      ),
    });
  },
};

const describeTable: McpTool = {
  name: 'describe_table',
  title: 'Describe a table or collection',
  description:
    'Returns the columns with types, the primary key and the indexes of a table, or the options of a collection ' +
    '(vector dimension, embedding service, text search) and about how many documents it has. Call it before find or search.',
  properties: { name, keyspace },
  required: ['name'],
  effect: 'read',
  run: (values, context) =>
    describe(String(values['name']), String(values['keyspace'] ?? context.keyspace), context),
};

const listModels: McpTool = {
  name: 'list_embedding_models',
  title: 'List embedding models',
  description:
    'Lists the models that a service of create_collection or of a vector column can name, with their dimensions. ' +
    'Those of the provider local are trained models of the server and compare meaning; colonnade compares letters ' +
    'and words; others need a key (needsKey).',
  properties: {},
  required: [],
  effect: 'read',
  run: async (_, { port }) => {
    const { status } = await port.run('', '{"findEmbeddingProviders":{}}');
    const providers = membersOf(status.get('embeddingProviders'));
    const models = [...providers].flatMap(([provider, facts]) => modelsOf(provider, membersOf(facts)));
    return objectText({ models });
  },
};

/** The models of a provider as findEmbeddingProviders gives them, with what a service needs alone. */
function modelsOf(provider: string, facts: JsonObject): readonly JsonValue[] {
  const withoutKey = membersOf(membersOf(facts.get('supportedAuthentication')).get('NONE')).get('enabled');
  return elementsOf(facts.get('models')).map((model): JsonValue => {
    const members = membersOf(model);
    return new Map<string, JsonValue>([
      ['provider', provider],
      ['modelName', members.get('name') ?? null],
      ['dimension', members.get('vectorDimension') ?? null],
      ['needsKey', withoutKey !== true],
    ]);
  });
}

function membersOf(json: JsonValue | undefined): JsonObject {
  return json !== undefined && isJsonObject(json) ? json : new Map();
}

const find: McpTool = {
  name: 'find',
  title: 'Find rows or documents',
  description:
    'Returns the rows of a table or the documents of a collection that match a filter. The limit counts all pages; a ' +
    'page has 50 at most, and nextPageState is for the next one. For similarity or words use search.',
  properties: {
    name,
    keyspace,
    filter,
    projection,
    limit: { ...limit, maximum: 10_000 },
    sort: { type: 'object', description: 'The order: {"column": 1} ascending, -1 descending.' },
    skip: { type: 'integer', minimum: 0, description: 'How many to skip; needs sort.' },
    pageState: { type: 'string', description: 'nextPageState of the previous page.' },
  },
  required: ['name'],
  effect: 'read',
  run: async (values, context) => {
    const options = { limit: values['limit'] ?? 10, ...given(values, 'skip', 'pageState') };
    const command = { find: { ...given(values, 'filter', 'sort', 'projection'), options } };
    const reply = await context.port.ask(pathOf(values, context), commandText(command));
    return replyText(reply, values['projection'] !== undefined);
  },
};

const search: McpTool = {
  name: 'search',
  title: 'Search by meaning, by words, or both',
  description:
    'Returns the best rows or documents. mode "meaning": nearest vectors to a text (needs an embedding service; ' +
    'local models compare meaning, the built-in colonnade compares letters and words) or to a vector; "words": text ' +
    'search for the words; "hybrid": both lists joined (collections only). A table needs "column": its vector column ' +
    'or its column with a text index.',
  properties: {
    name,
    keyspace,
    mode: { enum: ['meaning', 'words', 'hybrid'], description: 'Default: meaning.' },
    text: { type: 'string', minLength: 1, description: 'What to search for.' },
    vector: {
      type: 'array',
      items: { type: 'number' },
      maxItems: 8192,
      description: 'A vector instead of a text.',
    },
    column: { type: 'string', description: 'The column of a table; not used for collections.' },
    filter,
    projection,
    limit,
  },
  required: ['name'],
  effect: 'read',
  run: async (values, context) => {
    const reply = await context.port.ask(pathOf(values, context), commandText(searchCommand(values)));
    return replyText(reply, values['projection'] !== undefined);
  },
};

function searchCommand(values: ToolArguments): object {
  const { text, vector, column, mode = 'meaning' } = values;
  if ((text === undefined) === (vector === undefined)) throw new ToolMisuse('give either text or vector');
  if (vector !== undefined && mode !== 'meaning') throw new ToolMisuse(`the mode ${mode} needs text`);
  const clauses = given(values, 'filter', 'projection');
  const size = values['limit'] ?? 10;
  if (mode === 'hybrid') {
    if (column !== undefined)
      throw new ToolMisuse('the mode hybrid is for collections, which have no columns');
    return { findAndRerank: { ...clauses, sort: { $hybrid: text }, options: { limit: size } } };
  }
  const ownPath =
    { words: '$lexical', meaning: vector === undefined ? '$vectorize' : '$vector' }[String(mode)] ?? '';
  const sort = { [typeof column === 'string' ? column : ownPath]: text ?? vector };
  const options = { limit: size, ...(mode === 'meaning' ? { includeSimilarity: true } : {}) };
  return { find: { ...clauses, sort, options } };
}

const count: McpTool = {
  name: 'count_documents',
  title: 'Count documents',
  description:
    'Counts the documents of a collection that match a filter, up to 1000 (moreData: true if there are more); ' +
    'without a filter it estimates the number of all documents. Tables cannot be counted.',
  properties: { name, keyspace, filter },
  required: ['name'],
  effect: 'read',
  run: async (values, context) => {
    const command =
      values['filter'] === undefined
        ? { estimatedDocumentCount: {} }
        : { countDocuments: given(values, 'filter') };
    return replyText(await context.port.ask(pathOf(values, context), commandText(command)));
  },
};

/** All of them. */
export const readTools: readonly McpTool[] = [
  listKeyspaces,
  listTablesTool,
  describeTable,
  listModels,
  find,
  search,
  count,
];
