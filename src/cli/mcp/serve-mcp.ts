// Serves the Model Context Protocol on standard input and output; the only file that imports its SDK.
import type { Readable, Writable } from 'node:stream';
import {
  fromJsonSchema,
  isSpecType,
  McpServer,
  ResourceTemplate,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { listTables } from '../tables/read-tables.js';
import { answeredInput, inputEnd, OpenRequests } from './answered-input.js';
import { argumentProblem } from './argument-problem.js';
import { ExactArguments } from './exact-arguments.js';
import { type McpTool, type ToolContext, ToolMisuse } from './mcp-tool.js';
import { describe, readTools } from './read-tools.js';
import { type LineError, longestLineBytes } from './sound-lines.js';
import { writeTools } from './write-tools.js';

/** How to serve. */
export interface McpOptions {
  readonly context: ToolContext;
  readonly isReadOnly: boolean;
  readonly version: string;
  /** Ends the service. */
  readonly interrupted: AbortSignal;
  readonly input: Readable;
  readonly output: Writable;
  /** Gets a line about each problem of the connection. */
  readonly onProblem: (line: string) => void;
}

/** Serves until the client closes the input and has its replies, or an interrupt. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { interrupted, output, onProblem } = options;
  const exact = new ExactArguments();
  // A call that the SDK refuses leaves its arguments.
  const requests = new OpenRequests((id) => void exact.take(id));
  const refuse = async ({ id, ...error }: LineError) => {
    try {
      // JSON-RPC wants null where nobody knows the id; the type of the SDK has no null.
      await stdio.send({ jsonrpc: '2.0', id: id as string | number, error });
    } catch (problem) {
      onProblem(problem instanceof Error ? problem.message : String(problem)); // nobody reads the output
    }
  };
  const input = answeredInput(options.input, requests, exact, refuse, isSpecType.JSONRPCMessage);
  const stdio = new StdioServerTransport(input, output, { maxBufferSize: 2 * longestLineBytes });
  const ended = inputEnd(input);
  const handle = serveStdio(() => makeServer(options, exact), {
    transport: new CountingTransport(stdio, requests),
    onerror: (error) => onProblem(error.message),
  });
  const stopped = new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([ended, stopped]);
  await handle.close();
  options.input.unpipe(input).pause();
}

/** Notes which requests were read and answered. */
class CountingTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #inner: Transport;
  readonly #requests: OpenRequests;

  constructor(inner: Transport, requests: OpenRequests) {
    [this.#inner, this.#requests] = [inner, requests];
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      this.#requests.received(message);
      this.onmessage?.(message, extra);
    };
    return this.#inner.start();
  }

  async send(...[message, options]: Parameters<Transport['send']>): Promise<void> {
    try {
      await this.#inner.send(message, options);
    } finally {
      this.#requests.sent(message);
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

const instructions =
  'A database with tables (typed columns) and collections (JSON documents), vector search and text search. Call ' +
  'list_tables and describe_table first. Errors name what is wrong and what exists.';

function makeServer({ context, isReadOnly, version }: McpOptions, exact: ExactArguments): McpServer {
  const server = new McpServer({ name: 'colonnade', title: 'Colonnade', version }, { instructions });
  for (const tool of [...readTools, ...(isReadOnly ? [] : writeTools)]) addTool(server, tool, context, exact);
  addResources(server, context);
  return server;
}

function addTool(server: McpServer, tool: McpTool, context: ToolContext, exact: ExactArguments): void {
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
      inputSchema: checkedSchema(tool, fromJsonSchema<Record<string, unknown>>(schema)),
      annotations: {
        readOnlyHint: effect === 'read',
        destructiveHint: effect === 'delete',
        openWorldHint: false,
      },
    },
    async (values, { mcpReq }) => {
      try {
        const call = { ...context, cancelled: mcpReq.signal };
        const text = await tool.run(exact.take(mcpReq.id) ?? values, call);
        return { content: [{ type: 'text', text }] };
      } catch (error) {
        if (!isForAssistant(error)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    },
  );
}

/** The schema, with messages that name the argument and what is expected. */
function checkedSchema<Schema extends ReturnType<typeof fromJsonSchema<Record<string, unknown>>>>(
  tool: McpTool,
  schema: Schema,
): Schema {
  const standard = schema['~standard'];
  const validate: typeof standard.validate = async (values) => {
    const result = await standard.validate(values);
    if (result.issues === undefined) return result;
    return { issues: [{ message: argumentProblem(tool, values, result.issues[0]?.message ?? '') }] };
  };
  return { ...schema, '~standard': { ...standard, validate } };
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
