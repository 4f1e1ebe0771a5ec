// Structured logs: one JSON line per entry, secrets blanked. The only file that imports pino.
import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino';

/** Least severe first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** How grave a line must be to be written. */
export type LogLevel = (typeof logLevels)[number];

/** What an entry carries beside its message. An error goes under `err`: type, message, stack and causes are written. */
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
 * A logger for `level` and above. Without `stream` it writes to stderr, at once, so that nothing is lost in a
 * crash.
 */
export function createLogger(level: LogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? destination({ fd: stderr, sync: true }),
  );
}

/** In a thread `process.stderr` is a stream to the main thread, and what it holds is lost in a crash. */
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
];

const redactedPaths = secretNames.flatMap((name) => {
  const member = `["${name}"]`;
  return [member, `*${member}`, `*.*${member}`];
});
