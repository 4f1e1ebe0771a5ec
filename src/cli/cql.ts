// `colonnade cql`: sends statements of the native query language to a running server.

import { isUtf8 } from 'node:buffer';
import { printable } from '../files/printable-text.js';
import type { SendRequest } from '../foundation/http/send-request.js';
import { isJsonObject, type JsonValue } from '../foundation/json/json-value.js';
import { type CliCommand, misused } from './cli-command.js';
import { formatRows } from './format-rows.js';
import {
  askPort,
  cellText,
  elementsOf,
  portFor,
  portOptions,
  portOptionsHelp,
  readReply,
} from './operations-port.js';
import { withArguments } from './read-arguments.js';
import { shown } from './result-output.js';
import { splitStatements } from './split-statements.js';

/** What the command needs from the process. */
export interface CqlSurroundings {
  readonly sendRequest: SendRequest;
  /** Reads standard input to its end; undefined if standard input is a terminal. */
  readonly readInput: (() => Promise<Uint8Array>) | undefined;
}

const timeoutMs = 60_000;
/** A reply has at most 16 MiB of values, which are larger as JSON. */
const maxBodyBytes = 512 * 1024 * 1024;

/** The command. Its exit codes: 0 all done, 1 a statement was refused or the server did not answer, 2 wrong use. */
export function cqlCommand(surroundings: CqlSurroundings): CliCommand {
  return {
    name: 'cql',
    summary: 'runs statements of the native query language on a running server',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misused(output, 'cql', options);
      const input = options.execute === undefined ? await surroundings.readInput?.() : undefined;
      // Other characters would be stored in the place of those that another encoding has.
      if (input !== undefined && !isUtf8(input)) return misused(output, 'cql', 'standard input is not UTF-8');
      const text = options.execute ?? (input === undefined ? undefined : new TextDecoder().decode(input));
      if (text === undefined) return misused(output, 'cql', 'give a statement with -e, or pipe some in');
      const statements = splitStatements(text);
      if (statements.length === 0) return misused(output, 'cql', 'there is no statement');
      for (const statement of statements) {
        const asked = { method: 'POST', path: '/local/cql', body: { query: statement } } as const;
        const limits = { timeoutMs, maxBodyBytes };
        const reply = await askPort({ ...asked, ...limits }, options.port, surroundings.sendRequest);
        if ('problem' in reply) {
          output.problem(`colonnade: ${shown(reply.problem)}\n`);
          return 1;
        }
        output.out(options.json ? `${printable(reply.text)}\n` : formatReply(reply.text));
      }
      return 0;
    },
  };
}

/** The options, or a message about a problem. */
function readOptions(args: readonly string[]) {
  const own = { execute: { type: 'string', short: 'e' }, json: { type: 'boolean' } } as const;
  return withArguments(args, { options: { ...portOptions, ...own } }, ({ values }) => {
    const port = portFor(values);
    const { execute, json = false } = values;
    return typeof port === 'string' ? port : { execute, port, json };
  });
}

function formatReply(text: string): string {
  const body = readReply(text);
  const [columns, rows] = isJsonObject(body) ? [body.get('columns'), body.get('rows')] : [];
  if (!Array.isArray(columns) || !Array.isArray(rows)) return `${printable(text)}\n`;
  return formatRows({
    columns: elementsOf(columns).map((column) =>
      shownCell(isJsonObject(column) ? (column.get('name') ?? '') : column),
    ),
    rows: elementsOf(rows).map((row) => elementsOf(row).map(shownCell)),
  });
}

/** Clients store what they like: it must not reach the terminal as its commands. */
function shownCell(value: JsonValue): string {
  return printable(cellText(value));
}

const usage = `Runs statements of the native query language on a running server, one after the other,
and stops at the first that is refused. It is for what the commands of the table data
service cannot do, such as counter columns; docs/native-queries.md lists the statements.

Usage: colonnade cql -e STATEMENTS [OPTIONS]
       colonnade cql [OPTIONS] < FILE

Options:
  -e, --execute STATEMENTS
      The statements, with semicolons between them. Without it standard input is read.
  --json
      Prints each reply as a line of JSON instead of a table.
${portOptionsHelp}
Exit codes: 0 done, 1 refused or no answer, 2 the command line cannot be used.
`;
