// Sends requests of the command line to the operations port of a running server.
import { ConfigProblems, clientVariable, loadConfig } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { hostInUrl, reachableHost } from '../foundation/http/hosts.js';
import {
  type OutgoingReply,
  type OutgoingRequest,
  SendFailure,
  type SendRequest,
} from '../foundation/http/send-request.js';
import { isJsonArray, isJsonObject, type JsonValue, stringifyJson } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';
import { answerProblem } from './answer-problem.js';

/** Options that every such command takes, for `parseArgs`. */
export const portOptions = {
  'ops-url': { type: 'string' },
  token: { type: 'string' },
  session: { type: 'string' },
  config: { type: 'string' },
} as const;

/** Their help. */
export const portOptionsHelp = `  --ops-url URL
      Address of the operations port.
      [default: http://OPS_HOST:OPS_PORT of the server's own options]
  --token TOKEN
      The server's token. Other users of the machine can see the command line: prefer the
      environment or the config file. [environment: COLONNADE_TOKEN]
  --session ID
      The id of a session, where the server has users: POST /login returns one. Prefer the
      environment, as for the token. [environment: COLONNADE_SESSION]
  --config FILE
      The server's config file. [environment: COLONNADE_CONFIG]
`;

/** Where a port of a server is, and the token that it needs. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string | undefined;
}

/** The address of an operations port, with credentials. */
export interface OperationsPort extends ServerAddress {
  readonly session: string | undefined;
}

/**
 * The port for the options; missing options are taken from the configuration that the server itself reads. A string is
 * a message about a problem.
 */
export function portFor(
  values: Readonly<Partial<Record<keyof typeof portOptions, string | undefined>>>,
): OperationsPort | string {
  const address = serverAddress('--ops-url', values['ops-url'], values, ownUrl);
  if (typeof address === 'string') return address;
  const session = values.session ?? clientVariable('COLONNADE_SESSION');
  const origin = values.session === undefined ? 'COLONNADE_SESSION' : '--session';
  return headerProblem(origin, session) ?? { ...address, session };
}

/**
 * The URL of an option, else the one that the server's own configuration gives, and the token of the options or that
 * configuration. A string is the problem.
 */
export function serverAddress(
  option: string,
  given: string | undefined,
  values: { readonly token?: string | undefined; readonly config?: string | undefined },
  ownUrlOf: (config: Config) => string,
): ServerAddress | string {
  try {
    const problem = headerProblem('--token', values.token);
    if (problem !== undefined) return problem;
    // Without the token, the configuration of a server that other machines can reach may be refused.
    const options = [['config', values.config] as const, ['token', values.token || undefined] as const];
    const config = loadConfig(
      options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    );
    const url = given ?? ownUrlOf(config);
    if (given === undefined && !isServerUrl(url))
      return `the server picks a free port by its own options: give its address with ${option} URL`;
    if (!isServerUrl(url)) return `${option} is "${url}"; it must be http://HOST:PORT`;
    return { url, token: values.token ?? config.token };
  } catch (error) {
    if (error instanceof ConfigProblems) return error.message;
    throw error;
  }
}

/** Whether a text is the URL of a server, without a path of the API, which is often copied with it. */
export function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, port, pathname, search, hash } = new URL(text);
  const hasOnlyPlace = `${username}${password}${search}${hash}` === '' && !isOfApi.test(pathname);
  return /^https?:$/.test(protocol) && hasOnlyPlace && port !== '0'; // requests to 0 would go to port 80 or 443
}

const isOfApi = /\/v1(?:\/|$)/;

/** What is wrong with an option that becomes a header, by the rule of the server; undefined if nothing is. */
export function headerProblem(option: string, value: string | undefined): string | undefined {
  const isSound = value === undefined || /^[!-~]*$/.test(value);
  return isSound ? undefined : `${option} must be visible ASCII characters without spaces`;
}

/** A request to the operations service, and how long and how large its reply may be. */
export interface PortRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its leading slash: `/local/cql`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
}

/** The text of a successful reply, or a message about the problem, with the HTTP status of a server that answers. */
export type PortReply = { readonly text: string } | { readonly problem: string; readonly status?: number };

/** Sends a request once. A server that does not answer, or whose reply is not 200, is a problem and no error. */
export async function askPort(
  request: PortRequest,
  port: OperationsPort,
  sendRequest: SendRequest,
): Promise<PortReply> {
  try {
    return readPortReply(await sendRequest(requestTo(port, request)), port);
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    return { problem: answerProblem(port.url, error, '--ops-url') };
  }
}

/** The request as it is sent, with the credentials of the port. */
export function requestTo(
  { url, token, session }: OperationsPort,
  { method, path, body, timeoutMs, maxBodyBytes }: PortRequest,
): OutgoingRequest {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { 'opscenter-session': session }),
  };
  const target = `${url.replace(/\/+$/, '')}${path}`;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return { method, url: target, headers, ...sent, timeoutMs, maxBodyBytes };
}

/** What a reply of the port says. */
export function readPortReply(
  { status, body }: Pick<OutgoingReply, 'status' | 'body'>,
  { url }: Pick<OperationsPort, 'url'>,
): PortReply {
  const text = body.toString();
  return status === 200 ? { text } : { problem: problemIn(text, status, url), status };
}

/** The text of a reply as JSON; null if it is not JSON, or nested more deeply. */
export function readReply(text: string, maxDepth = 100): JsonValue {
  try {
    return parseJson(text, { maxDepth, maxNumberLength: Number.POSITIVE_INFINITY });
  } catch {
    return null; // not a reply of this server
  }
}

/** The elements of an array; none for any other value. */
export function elementsOf(json: JsonValue | undefined): readonly JsonValue[] {
  const value = json ?? null;
  return isJsonArray(value) ? value : [];
}

/** The text of a cell: strings without quotes; line breaks and the like as in JSON. */
export function cellText(value: JsonValue): string {
  return typeof value === 'string'
    ? JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
    : stringifyJson(value);
}

/** The URL of the operations port of a server with this configuration. */
function ownUrl({ opsHost, opsPort, tlsCert }: Config): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${hostInUrl(reachableHost(opsHost))}:${opsPort}`;
}

/** The message of an error reply with its details; for other replies the status. */
function problemIn(text: string, status: number, url: string): string {
  const body = readReply(text);
  const message = isJsonObject(body) ? body.get('message') : undefined;
  if (!isJsonObject(body) || typeof message !== 'string') {
    const question = 'is this the address of an operations port';
    const port = status === 404 ? ', by default on 8888' : '';
    return `the server answers with the HTTP status ${status}; ${question}${port}?`;
  }
  const more = elementsOf(body.get('details'))
    .map(detailText)
    .filter((detail) => detail !== message);
  return [message, ...more, ...(status === 401 ? [howToLogIn(message, url)] : [])].join('\n  ');
}

/** The message of the server names headers and paths; the command line has options for them. */
function howToLogIn(message: string, url: string): string {
  if (message.includes('token'))
    return 'On the command line: --token TOKEN, or the variable COLONNADE_TOKEN.';
  return (
    'On the command line: the variable COLONNADE_SESSION, or --session ID. ' +
    'This returns the ID, and reads {"username":"NAME","password":"PASSWORD"} from standard input: ' +
    `curl -s ${url.replace(/\/+$/, '')}/login -d @-`
  );
}

function detailText(detail: JsonValue): string {
  if (!isJsonObject(detail)) return stringifyJson(detail);
  return `${cellText(detail.get('path') ?? '')} ${cellText(detail.get('message') ?? '')}`.trim();
}
