// `colonnade mcp`: the Model Context Protocol for assistants, on standard input and output.
import type { Readable, Writable } from 'node:stream';
import { type CliCommand, type CliOutput, misused } from './cli-command.js';
import {
  type ClientSurroundings,
  dataAddress,
  dataPortOptions,
  dataPortOptionsHelp,
  openDataPort,
} from './data-port.js';
import { withArguments } from './read-arguments.js';

/** What the command needs from the process. */
export interface McpSurroundings extends ClientSurroundings {
  readonly input: Readable;
  readonly output: Writable;
}

/** The command. Its exit codes: 0 standard input ended or a signal, 2 wrong use. */
export function mcpCommand(surroundings: McpSurroundings): CliCommand {
  return {
    name: 'mcp',
    summary: 'serves the Model Context Protocol, for assistants, on standard input and output',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misused(output, 'mcp', options);
      await serve(options, surroundings, output);
      return 0;
    },
  };
}

type McpCommandOptions = Exclude<ReturnType<typeof readOptions>, string>;

async function serve(
  { address, keyspace, isReadOnly }: McpCommandOptions,
  { sendRequest, clock, wait, onInterrupt, input, output, version }: McpSurroundings,
  problems: CliOutput,
): Promise<void> {
  const interrupted = onInterrupt();
  const onProblem = (line: string) => problems.problem(`colonnade: ${line}\n`);
  const port = openDataPort(address, { sendRequest, clock, wait, interrupted, notify: onProblem });
  const { serveMcp } = await import('./mcp/serve-mcp.js');
  const context = { port, keyspace };
  await serveMcp({ context, isReadOnly, version, interrupted, onProblem, input, output });
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]) {
  const own = { keyspace: { type: 'string' }, 'read-only': { type: 'boolean' } } as const;
  return withArguments(args, { options: { ...dataPortOptions, ...own } }, ({ values }) => {
    const { keyspace = 'default_keyspace', retries = '2', ...given } = values;
    if (!/^\w+$/.test(keyspace))
      return `--keyspace is "${keyspace}"; names have letters, digits and underscores`;
    const address = dataAddress({ ...given, retries });
    return typeof address === 'string'
      ? address
      : { address, keyspace, isReadOnly: values['read-only'] ?? false };
  });
}

const portOptionsHelp = dataPortOptionsHelp.replace(
  '[default: 10]',
  '[default: 2]\n      A change is sent again only if the server did not begin it.',
);

const usage = `Serves the Model Context Protocol on standard input and output, so that an assistant lists,
describes and searches tables and collections of a running server, and changes them unless
--read-only is given. The assistant starts this command; docs/assistants.md shows how.

Usage: colonnade mcp [OPTIONS]

Options:
  --keyspace NAME
      The keyspace if a call names none. [default: default_keyspace]
  --read-only
      Offers only tools that change nothing.
${portOptionsHelp}
Exit codes: 0 standard input ended or a signal, 2 the command line cannot be used.
`;
