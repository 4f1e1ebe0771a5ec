// The operations service inside the test's process: all its parts for real, the clock in the test's hand.
import { after } from 'node:test';
import { type OpenOpsParts, openOpsParts } from '../../src/bin/ops/open-ops-parts.js';
import { loadConfig } from '../../src/foundation/config/load-config.js';
import type { StreamReply } from '../../src/foundation/http/http-handler.js';
import type { Clock } from '../../src/foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../../src/foundation/telemetry/logger.js';
import { noTurns } from '../../src/foundation/telemetry/turn-watch.js';
import type { DataServiceCalls, DataServiceLink } from '../../src/ops-service/clusters/data-service-link.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { bodyText } from '../body-text.js';
import { checkReply } from './check-reply.js';

/** A clock that stands still until it is moved. */
class MovedClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  #monotonicMs = 1000;

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time goes by. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** Sets the wall clock. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }
}

/** A request; GET unless it has a body. */
export interface OpsAsk {
  readonly method?: string;
  /** With the query. */
  readonly path: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
  /** Takes what is to be called when the client leaves. */
  readonly onGone?: (listener: () => void) => void;
}

/** A reply, its body read as JSON where it is JSON. */
export interface OpsReply {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The service under test. */
export interface OpsUnderTest {
  readonly parts: OpenOpsParts;
  readonly clock: MovedClock;
  ask(request: OpsAsk): Promise<OpsReply>;
  /** The reply of a stream. @throws Error for a reply that is none */
  stream(request: OpsAsk): Promise<StreamReply>;
  close(): Promise<void>;
  /** Closes everything and opens it again on the same directory. */
  reopen(): Promise<void>;
}

/** How the service is started. */
export interface OpenOpsOptions {
  /** Options of `colonnade serve`. */
  readonly args?: readonly string[];
  readonly configFile?: object;
  readonly opsDir?: string;
  readonly logger?: Logger;
  /** What the data service answers; what is missing rejects. */
  readonly answers?: Partial<DataServiceCalls>;
}

/** Opens the service for the suite or test that calls; it is closed behind its last test. */
export function openOps(options: OpenOpsOptions = {}): OpsUnderTest {
  const clock = new MovedClock();
  const opsDir = options.opsDir ?? makeTemporaryDirectory();
  const configArgs = options.configFile === undefined ? [] : ['--config', 'colonnade.json'];
  const config = loadConfig([...configArgs, ...(options.args ?? [])], {
    environment: {},
    readFile: () => JSON.stringify(options.configFile),
  });
  const open = () => {
    const opened = openOpsParts({
      data: { config, opsDir, version: '1.2.3', tls: undefined, connections: { data: 100, ops: 100 } },
      clock,
      logger: options.logger ?? createLogger('silent'),
      dataService: linkTo(options.answers ?? {}),
      turns: () => noTurns,
      connectionCount: () => 0,
      noteWork: () => {},
    });
    opened.setHealth('ready');
    return opened;
  };
  let parts = open();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await parts.close();
    isOpen = false;
  };
  after(close);
  const send = async (request: OpsAsk) => {
    const incoming = toRequest(request);
    return (await parts.answerHead(incoming)) ?? (await parts.answer(incoming));
  };
  return {
    get parts() {
      return parts;
    },
    clock,
    ask: async (request) => {
      const reply = await send(request);
      if (!('body' in reply)) throw new Error('the reply is a stream or a file');
      const isJson = reply.contentType === 'application/json';
      const text = bodyText(reply);
      const body = isJson ? JSON.parse(text) : text;
      await checkReply(toRequest(request), reply, body, () => send({ path: '/openapi.json' }));
      return { status: reply.status, text, body, headers: reply.headers ?? {} };
    },
    stream: async (request) => {
      const reply = await send(request);
      if (reply.start === undefined) throw new Error(`the reply is not a stream: ${reply.status}`);
      return reply;
    },
    close,
    reopen: async () => {
      await close();
      parts = open();
      isOpen = true;
    },
  };
}

/** The request as the listener hands it over. */
export function toRequest({
  method,
  path,
  body,
  headers = {},
  from = '127.0.0.1',
  onGone = () => {},
}: OpsAsk) {
  const [before = '', query = ''] = path.split('?');
  const bytes = Buffer.from(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
  const ofBody = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const all: Readonly<Record<string, string>> = {
    host: '127.0.0.1:8888',
    ...(body === undefined ? {} : ofBody),
    ...headers,
  };
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: before,
    query,
    remoteAddress: from,
    header: (name: string) => all[name],
    headers: () => new Map(Object.entries(all)),
    onGone,
    body: bytes,
  };
}

function linkTo(answers: Partial<DataServiceCalls>): DataServiceLink {
  const table = answers as Readonly<Record<string, (argument: unknown, signal: AbortSignal) => unknown>>;
  return {
    call: async (name, argument, signal = new AbortController().signal) => {
      const answer = table[name];
      if (answer === undefined) throw new Error(`the test answers no ${name}`);
      // The table has the types that `call` promises.
      return (await answer(argument, signal)) as never;
    },
  };
}
