// `colonnade cql`: sends statements of the native query language to a running server.
import { parseArgs } from 'node:util';
import { ConfigProblems, loadConfig } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { hostInUrl } from '../foundation/http/hosts.js';
import { SendFailure, type SendRequest } from '../foundation/http/send-request.js';
import { isJsonArray, isJsonObject, type JsonValue, stringifyJson } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';
import { type CliCommand, type CliOutput, exitUsage } from './cli-command.js';
import { formatRows } from './format-rows.js';
import { splitStatements } from './split-statements.js';

/** What the command needs of the process around it. */
export interface CqlSurroundings {
  readonly sendRequest: SendRequest;
  /** Standard input to its end; undefined where somebody would have to type it. */
  readonly readInput: (() => Promise<string>) | undefined;
}

const timeoutMs = 60_000;
/** A reply has at most 16 MiB of values, which take more when they are written out. */
const maxBodyBytes = 512 * 1024 * 1024;

/** The command. Its exit codes: 0 all done, 1 a statement was refused or the server did not answer, 2 wrong use. */
export function cqlCommand(surroundings: CqlSurroundings): CliCommand {
  return {
    name: 'cql',
    summary: 'runs statements of the native query language on a running server',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misused(output, options);
      const text = options.execute ?? (await surroundings.readInput?.());
      if (text === undefined) return misused(output, 'give a statement with -e, or pipe some in');
      const statements = splitStatements(text);
      if (statements.length === 0) return misused(output, 'there is no statement');
      for (const statement of statements) {
        const reply = await send(statement, options, surroundings.sendRequest);
        if ('problem' in reply) {
          output.problem(`colonnade: ${reply.problem}\n`);
          return 1;
        }
        output.out(options.json ? `${reply.text}\n` : formatReply(reply.text));
      }
      return 0;
    },
  };
}

interface CqlOptions {
  readonly execute: string | undefined;
  readonly url: string;
  readonly token: string | undefined;
  readonly json: boolean;
}

/** Where the server is and its token come from the configuration that it reads itself. A text says what is wrong. */
function readOptions(args: readonly string[]): CqlOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        execute: { type: 'string', short: 'e' },
        'ops-url': { type: 'string' },
        token: { type: 'string' },
        config: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    const config = loadConfig(values.config === undefined ? [] : ['--config', values.config]);
    const url = values['ops-url'] ?? ownUrl(config);
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return `--ops-url is "${url}"; it wants http://HOST:PORT`;
    const { execute, token = config.token, json = false } = values;
    return { execute, url, token, json };
  } catch (error) {
    if (error instanceof ConfigProblems || isMisuse(error)) return error.message;
    throw error;
  }
}

/** Where a server with this configuration listens for operators. */
function ownUrl({ opsHost, opsPort, tlsCert }: Config): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${hostInUrl(opsHost)}:${opsPort}`;
}

function isMisuse(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function misused(output: CliOutput, problem: string): number {
  output.problem(`colonnade: ${problem}\nThe options are told by: colonnade cql --help\n`);
  return exitUsage;
}

async function send(
  query: string,
  { url, token }: CqlOptions,
  sendRequest: SendRequest,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const { status, body } = await sendRequest({
      method: 'POST',
      url: `${url.replace(/\/+$/, '')}/local/cql`,
      headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { token }) },
      body: JSON.stringify({ query }),
      timeoutMs,
      maxBodyBytes,
    });
    return status === 200 ? { text: body.toString() } : { problem: problemIn(body.toString(), status) };
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    return { problem: `${url} does not answer: ${error.message}` };
  }
}

/** The message of an error reply with its details; of another one its status. */
function problemIn(text: string, status: number): string {
  const body = tryRead(text);
  const message = isJsonObject(body) ? body.get('message') : undefined;
  if (!isJsonObject(body) || typeof message !== 'string')
    return `the server answers with the HTTP status ${status}`;
  const details = body.get('details') ?? null;
  const more = isJsonArray(details) ? details.map(detailText).filter((detail) => detail !== message) : [];
  return [message, ...more].join('\n  ');
}

function detailText(detail: JsonValue): string {
  if (!isJsonObject(detail)) return stringifyJson(detail);
  return `${cellText(detail.get('path') ?? '')} ${cellText(detail.get('message') ?? '')}`.trim();
}

function formatReply(text: string): string {
  const body = tryRead(text);
  const [columns, rows] = isJsonObject(body) ? [body.get('columns'), body.get('rows')] : [];
  if (!isJsonArray(columns ?? null) || !isJsonArray(rows ?? null)) return `${text}\n`;
  return formatRows({
    columns: listOf(columns).map((column) =>
      cellText(isJsonObject(column) ? (column.get('name') ?? '') : column),
    ),
    rows: listOf(rows).map((row) => listOf(row).map(cellText)),
  });
}

function listOf(json: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(json ?? null) ? (json as readonly JsonValue[]) : []; // just checked
}

/** Texts without their quotes, line breaks and the like as JSON writes them. */
function cellText(value: JsonValue): string {
  return typeof value === 'string'
    ? JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
    : stringifyJson(value);
}

function tryRead(text: string): JsonValue {
  try {
    return parseJson(text, { maxDepth: 100, maxNumberLength: Number.POSITIVE_INFINITY });
  } catch {
    return null; // no reply of ours
  }
}

const usage = `Runs statements of the native query language on a running server, one after the other,
and stops at the first that is refused. It is for what the commands of the table data
service cannot do, such as counter columns; docs/native-queries.md tells the statements.

Usage: colonnade cql -e STATEMENTS [OPTIONS]
       colonnade cql [OPTIONS] < FILE

Options:
  -e, --execute STATEMENTS
      The statements, with semicolons between them. Without it standard input is read.
  --json
      Prints each reply as a line of JSON instead of a table.
  --ops-url URL
      Address of the operations port.
      [default: http://OPS_HOST:OPS_PORT of the server's own options]
  --token TOKEN
      The server's token. Other users of the machine can see the command line: prefer the
      environment or the config file. [environment: COLONNADE_TOKEN]
  --config FILE
      The server's config file. [environment: COLONNADE_CONFIG]

Exit codes: 0 done, 1 refused or no answer, 2 the command line cannot be used.
`;
