// Serves the Model Context Protocol on standard input and output; the only file that imports its SDK.
import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { DataPortProblem, Interrupted } from '../data-port.js';
import { listTables } from '../tables/read-tables.js';
import { type McpTool, type ToolContext, ToolMisuse } from './mcp-tool.js';
import { describe, readTools } from './read-tools.js';
import { writeTools } from './write-tools.js';

/** How to serve. */
export interface McpOptions {
  readonly context: ToolContext;
  readonly isReadOnly: boolean;
  readonly version: string;
  /** Ends the service. */
  readonly interrupted: AbortSignal;
  /** Resolves when standard input ends. */
  readonly inputEnd: Promise<void>;
  /** Gets a line about each problem of the connection. */
  readonly onProblem: (line: string) => void;
}

/** Serves until the client closes standard input, or an interrupt. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { interrupted, inputEnd, onProblem } = options;
  const handle = serveStdio(() => makeServer(options), { onerror: (error) => onProblem(error.message) });
  const stopped = new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([inputEnd, stopped]);
  await handle.close();
}

const instructions =
  'A database with tables (typed columns) and collections (JSON documents), vector search and text search. Call ' +
  'list_tables and describe_table first. Errors name what is wrong and what exists.';

function makeServer({ context, isReadOnly, version }: McpOptions): McpServer {
  const server = new McpServer({ name: 'colonnade', title: 'Colonnade', version }, { instructions });
  for (const tool of [...readTools, ...(isReadOnly ? [] : writeTools)]) addTool(server, tool, context);
  addResources(server, context);
  return server;
}

function addTool(server: McpServer, tool: McpTool, context: ToolContext): void {
  const { name, title, description, properties, required, effect } = tool;
  const schema = {
    type: 'object' as const,
    properties: { ...properties },
    required: [...required],
    additionalProperties: false,
  };
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(schema),
      annotations: {
        readOnlyHint: effect === 'read',
        destructiveHint: effect === 'delete',
        openWorldHint: false,
      },
    },
    async (values) => {
      try {
        return { content: [{ type: 'text', text: await tool.run(values, context) }] };
      } catch (error) {
        if (!isForAssistant(error)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    },
  );
}

function isForAssistant(error: unknown): error is Error {
  return error instanceof DataPortProblem || error instanceof ToolMisuse || error instanceof Interrupted;
}

/** Each table and collection of the keyspace is a resource: its definition. */
function addResources(server: McpServer, context: ToolContext): void {
  const { port, keyspace } = context;
  const uriOf = (name: string) => `colonnade://${keyspace}/${name}`;
  const list = async () => ({
    resources: (await listTables(port, keyspace)).map(({ name, kind }) => ({
      uri: uriOf(name),
      name,
      description: `The definition of the ${kind} ${keyspace}.${name}`,
      mimeType: 'application/json',
    })),
  });
  server.registerResource(
    'definition',
    new ResourceTemplate('colonnade://{keyspace}/{name}', { list }),
    { title: 'Definitions of tables and collections', mimeType: 'application/json' },
    async (uri, { keyspace: space, name }) => {
      const text = await describe(String(name), String(space), context);
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
    },
  );
}
