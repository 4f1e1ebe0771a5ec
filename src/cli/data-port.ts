// Sends commands of the JSON Data API to a running server, again while the server is busy or cannot be reached.
import type { Config } from '../foundation/config/options.js';
import { hostInUrl, reachableHost } from '../foundation/http/hosts.js';
import type { OutgoingReply } from '../foundation/http/send-request.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../foundation/json/json-value.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import { cellText, elementsOf, readReply, type ServerAddress, serverAddress } from './operations-port.js';
import {
  type Busy,
  isBusyStatus,
  openPatientSender,
  type SenderSurroundings,
  unknownOutcome,
} from './patient-sender.js';
import { DataPortProblem } from './port-problems.js';

/** Options that every such command takes, for `parseArgs`. */
export const dataPortOptions = {
  url: { type: 'string' },
  token: { type: 'string' },
  config: { type: 'string' },
  retries: { type: 'string' },
} as const;

/** Their help. */
export const dataPortOptionsHelp = `  --url URL
      Address of the table data service.
      [default: http://HOST:PORT of the server's own options]
  --token TOKEN
      The server's token. Other users of the machine can see the command line: prefer the
      environment or the config file. [environment: COLONNADE_TOKEN]
  --config FILE
      The server's config file. [environment: COLONNADE_CONFIG]
  --retries N
      How often a request is sent again while the server is busy (503) or the connection
      is lost, from 0 to 1000. The waits are those of Retry-After, or grow to 10 s.
      [default: 10]
`;

/** The path of a keyspace or table, whatever characters their names have. */
export function pathOf(keyspace: string, ...table: readonly string[]): string {
  return [keyspace, ...table].map((name) => `/${encodeURIComponent(name)}`).join('');
}

/** Where the port is, and how often a request is sent again. */
export interface DataAddress extends ServerAddress {
  readonly retries: number;
  /** What messages say about the options that named it. */
  readonly advice: DataAdvice;
}

/** The options of an address, for messages that say what to type next. */
export interface DataAdvice {
  /** Such as `--url`. */
  readonly url: string;
  /** Such as `--token TOKEN, or the variable COLONNADE_TOKEN`. */
  readonly token: string;
  /** Such as `--keyspace NAME`. */
  readonly keyspace: string;
}

/** Those of `dataPortOptions`. */
const usualAdvice: DataAdvice = {
  url: '--url',
  token: '--token TOKEN, or the variable COLONNADE_TOKEN',
  keyspace: '--keyspace NAME',
};

/** The address that the options name; a string is the problem. `advice`: as far as the command has other options. */
export function dataAddress(
  values: Readonly<Partial<Record<keyof typeof dataPortOptions, string | undefined>>>,
  advice: Partial<DataAdvice> = {},
): DataAddress | string {
  const retries = values.retries ?? '10';
  if (!/^\d{1,4}$/.test(retries) || Number(retries) > 1000)
    return `--retries is "${retries}"; it must be a whole number from 0 to 1000`;
  const address = serverAddress('--url', values.url, values, ownUrl);
  return typeof address === 'string'
    ? address
    : { ...address, retries: Number(retries), advice: { ...usualAdvice, ...advice } };
}

/** What commands that use a port need from the process. */
export interface ClientSurroundings extends Pick<SenderSurroundings, 'sendRequest' | 'wait'> {
  readonly clock: Clock;
  /** A signal that is aborted when the user interrupts the process. */
  readonly onInterrupt: () => AbortSignal;
  /** The version of this program. */
  readonly version: string;
}

/** An error of a reply. */
export interface DataError {
  /** `HTTP_413` and the like if the reply has no error of the API. */
  readonly code: string;
  readonly message: string;
  /** The command cannot be changed so that it succeeds. */
  readonly isOfServer: boolean;
  /** A sentence that says what to type next; empty if there is none. */
  readonly hint: string;
}

/** A reply whose errors the caller has to look at. */
export interface DataReply {
  readonly data: JsonObject;
  readonly status: JsonObject;
  readonly errors: readonly DataError[];
}

/** The table data service of a server. */
export interface DataPort {
  readonly url: string;
  /**
   * The reply to a command, sent to `/v1` and a path such as `/shop/orders`. Commands are sent again after a loss of
   * the connection, so they must have the same effect if the server gets them twice.
   * @throws DataPortProblem (ServerUnusable after the last attempt), Interrupted
   */
  ask(path: string, command: JsonText, timeoutMs?: number): Promise<DataReply>;
  /** Sends a command as `ask` does; an error in the reply is a problem. */
  run(path: string, command: JsonText, timeoutMs?: number): Promise<DataReply>;
  /**
   * The reply to a command that may have another effect if the server gets it twice. It is sent again only where the
   * server did not begin it: if it never left this process, or was refused with the time of Retry-After.
   * @throws DataPortProblem, which says so where nobody knows whether it took effect; Interrupted
   */
  change(path: string, command: JsonText): Promise<DataReply>;
}

/** A command may wait 10 s for its thread, and then take 10 s. */
const usualTimeoutMs = 120_000;
/** A reply has at most 33,554,432 characters of rows. */
const maxBodyBytes = 160 * 1024 * 1024;
/** Failures of the storage that another attempt may not have. */
const isPassing = /^(?:TIMEOUT_|UNAVAILABLE_|FAILED_TO_CONNECT_TO_DATABASE$)/;
/** With Retry-After, the server says by these that it did nothing. A proxy gives others while a server works. */
const refusals: ReadonlySet<number> = new Set([429, 503]);
const nothing: JsonObject = new Map();

/** The data port at an address. */
export function openDataPort(address: DataAddress, surroundings: SenderSurroundings): DataPort {
  const { url, token, retries, advice } = address;
  const root = `${url.replace(/\/+$/, '')}/v1`;
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { token }) };
  const hints = hintsFor(advice);
  const send = openPatientSender({ url, retries, option: advice.url }, surroundings);

  const requestTo = (path: string, body: JsonText, timeoutMs = usualTimeoutMs) => {
    return { method: 'POST', url: root + path, headers, body, timeoutMs, maxBodyBytes } as const;
  };
  const ask = (path: string, body: JsonText, timeoutMs?: number): Promise<DataReply> =>
    send(requestTo(path, body, timeoutMs), (reply): DataReply | Busy => {
      const answer = readDataReply(reply, hints);
      if (isBusyStatus(reply.status)) return { busy: busyText(reply.status, answer) };
      const passing = answer.errors.find(({ code }) => isPassing.test(code));
      return passing === undefined ? answer : { busy: errorText(passing) };
    });

  return {
    url,
    ask,
    run: async (path, body, timeoutMs) => {
      const reply = await ask(path, body, timeoutMs);
      if (reply.errors.length === 0) return reply;
      throw new DataPortProblem(reply.errors.map(errorText).join('\n'));
    },
    change: (path, body) => {
      const read = (reply: OutgoingReply): DataReply | Busy => {
        const answer = readDataReply(reply, hints);
        if (!isBusyStatus(reply.status)) return answer;
        const busy = busyText(reply.status, answer);
        if (refusals.has(reply.status) && reply.header('retry-after') !== undefined) return { busy };
        throw new DataPortProblem(`${url} answers with ${busy}; ${unknownOutcome}`);
      };
      return send(requestTo(path, body), read, { countsTwice: true });
    },
  };
}

/** What to type next, by codes; the messages of the server name headers and commands. */
type Hints = ReadonlyMap<string, string>;

function hintsFor({ token, keyspace }: DataAdvice): Hints {
  return new Map([
    ['MISSING_AUTHENTICATION_TOKEN', `On the command line: ${token}.`],
    ['UNAUTHENTICATED_REQUEST', `On the command line: ${token}.`],
    ['UNKNOWN_KEYSPACE', `On the command line: ${keyspace}.`],
    ['HTTP_404', 'The data service is on another port than the operations service, by default on 8181.'],
  ]);
}

/** The code and the message in one line: `UNKNOWN_TABLE: The table …`. */
export function errorText({ code, message, hint }: DataError): string {
  return `${code}: ${message.replaceAll(/\s*\n\s*/g, ' ')}${hint === '' ? '' : ` ${hint}`}`;
}

function busyText(status: number, { errors }: DataReply): string {
  const error = errors.find(({ code }) => code !== codeOf(status));
  return `the HTTP status ${status}${error === undefined ? '' : `, ${errorText(error)}`}`;
}

/** The code of a reply that has no error of the API. */
function codeOf(status: number): string {
  return `HTTP_${status}`;
}

function readDataReply(reply: OutgoingReply, hints: Hints): DataReply {
  const body = readReply(reply.body.toString());
  const errors = isJsonObject(body)
    ? elementsOf(body.get('errors')).map((error) => readError(error, hints))
    : [];
  if (!isJsonObject(body) || (reply.status !== 200 && errors.length === 0)) {
    const message = `the server answers with the HTTP status ${reply.status}; is this the address of a data service?`;
    return {
      data: nothing,
      status: nothing,
      errors: [withHint({ code: codeOf(reply.status), message, isOfServer: false }, hints)],
    };
  }
  return { data: objectIn(body, 'data'), status: objectIn(body, 'status'), errors };
}

function withHint(error: Omit<DataError, 'hint'>, hints: Hints): DataError {
  return { ...error, hint: hints.get(error.code) ?? '' };
}

function readError(error: JsonValue, hints: Hints): DataError {
  const members = isJsonObject(error) ? error : nothing;
  const text = (name: string) => cellText(members.get(name) ?? '');
  const message = members.get('message');
  const isOfServer = text('family') === 'SERVER';
  return withHint(
    { code: text('errorCode'), message: typeof message === 'string' ? message : '', isOfServer },
    hints,
  );
}

function objectIn(body: JsonObject, name: string): JsonObject {
  const member = body.get(name) ?? null;
  return isJsonObject(member) ? member : nothing;
}

/** Where a server with this configuration listens for clients. */
function ownUrl({ host, port, tlsCert }: Config): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${hostInUrl(reachableHost(host))}:${port}`;
}
