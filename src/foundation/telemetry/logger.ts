// Structured logs: one JSON line per entry, without secrets. The only file that imports pino.
import { createRequire } from 'node:module';
import type { DestinationStream } from 'pino';
import { LineWriter } from './line-writer.js';

/** Least severe first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** The least severity that is written. */
export type LogLevel = (typeof logLevels)[number];

/** The members of an entry, without its message. `err` is an error: type, message, stack and causes are written. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes entries. Members with the name of a secret, to a depth of three, are written as `[redacted]`. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  fatal(fields: LogFields, message: string): void;
}

/**
 * A logger for `level` and above. Without `stream` it writes to stderr synchronously, so that a crash loses nothing;
 * failed writes are ignored. The first entry loads pino, even an entry below the level: log one before the server
 * accepts requests, because later no file descriptor may be left for loading. `members` are in every entry.
 */
export function createLogger(level: LogLevel, stream?: DestinationStream, members: LogFields = {}): Logger {
  let writer: Logger | undefined;
  const entry = (of: keyof Logger) => (fields: LogFields, message: string) => {
    writer ??= openWriter(level, stream, members);
    writer[of](fields, message);
  };
  return {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
    fatal: entry('fatal'),
  };
}

function openWriter(level: LogLevel, stream: DestinationStream | undefined, members: LogFields): Logger {
  // Not `import()`: the first entry may also be the last one before the process ends.
  const { pino, stdSerializers, stdTimeFunctions }: typeof import('pino') = createRequire(import.meta.url)(
    'pino',
  );
  const sayWhatIsLost = (lostEntries: number) =>
    writer.warn({ lostEntries }, 'entries of the log could not be written');
  const writer = pino(
    {
      level,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (err: unknown) =>
          err instanceof Error ? { ...stdSerializers.err(err), message: messageWithCauses(err) } : err,
      },
    },
    stream ?? openStderr(sayWhatIsLost),
  ).child(members);
  return writer;
}

/** The messages of an error and of its causes, each that the ones before do not have in them. */
function messageWithCauses(error: Error): string {
  const seen = new Set<unknown>([error]);
  let message = error.message;
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!message.includes(cause.message)) message = `${message}: ${cause.message}`;
  }
  return message;
}

/** Node makes pipes that it opens as streams non-blocking: a reader that does not read must not block the server. */
function openStderr(onLost: (entries: number) => void): LineWriter {
  void process.stderr;
  return new LineWriter(stderr, onLost);
}

/** In a thread `process.stderr` is a stream to the main thread, whose buffer is lost in a crash. */
const stderr = 2;

const secretNames = [
  'token',
  'Token',
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'sessionid',
  'opscenter-session',
  'providerKey',
  'metricsToken',
  'metrics-token',
  'x-cassandra-token',
  'x-embedding-api-key',
  'x-embedding-access-id',
  'x-embedding-secret-id',
  'reranking-api-key',
  'x-rerank-api-key',
];

const redactedPaths = secretNames.flatMap((name) => {
  const member = `["${name}"]`;
  return [member, `*${member}`, `*.*${member}`];
});
