// Failures of a cluster as failures of the engine.
import { CassandraFailure, isOfMissing } from '../../../foundation/cassandra/session.js';
import { EngineError } from '../engine-error.js';

/**
 * What a node says of a row, of the request for it, or of a value in it (a guardrail), that is larger than it is
 * configured to take.
 */
const tooLarge = /oversized mutation|request is too big|exceeds the failure threshold/i;

/** The failure of the login of a user, by which nothing was done. */
export function loginFailure(error: unknown): unknown {
  if (!(error instanceof CassandraFailure)) return error;
  if (error.kind === 'badCredentials') return new EngineError('unauthenticated', error.message, error);
  return undone(error) ?? new EngineError('unreachable', error.message, error);
}

/** The failure of a read; other errors stay as they are. */
export function readFailure(error: unknown): unknown {
  if (!(error instanceof CassandraFailure)) return error;
  const { kind, message } = error;
  if (kind === 'unanswered')
    return new EngineError('timeout', `the Cassandra cluster did not answer: ${message}`, error);
  return undone(error) ?? new EngineError('readFailed', inCassandraWords(error), error);
}

/** The error of the engine for a failed write. */
export function writeFailure(error: unknown): unknown {
  if (!(error instanceof CassandraFailure)) return error;
  const { kind, message } = error;
  if (kind === 'unanswered' || kind === 'failed' || kind === 'noAgreement') {
    const problem = `the Cassandra cluster did not confirm the write, which may have been carried out: ${message}`;
    return new EngineError('writeTimeout', problem, error);
  }
  if (kind === 'refused' && tooLarge.test(message))
    return new EngineError('tooLarge', inCassandraWords(error), error);
  return undone(error) ?? new EngineError('writeFailed', inCassandraWords(error), error);
}

/** Why Cassandra did not carry a statement out, in the words of its node. */
export function inCassandraWords({ kind, message }: CassandraFailure): string {
  return `${kind === 'refused' ? 'Cassandra refuses it' : 'the request to Cassandra failed'}: ${message}`;
}

/** The error for a failure by which nothing was done; undefined for others. */
function undone(error: CassandraFailure): EngineError | undefined {
  const { kind, message } = error;
  switch (kind) {
    case 'unreachable':
    case 'badCredentials':
      return new EngineError('unreachable', message, error);
    case 'overloaded':
      return new EngineError('overloaded', `the Cassandra cluster has too much to do: ${message}`, error);
    case 'unprepared':
      return new EngineError('schemaChanged', message, error);
    case 'unavailable':
      return new EngineError('unavailable', `the Cassandra cluster cannot do it now: ${message}`, error);
    case 'notPermitted':
      return new EngineError('notPermitted', message, error);
    case 'refused':
      return isOfMissing(message) ? new EngineError('schemaChanged', message, error) : undefined;
    case 'unanswered':
    case 'failed':
    case 'noAgreement':
      return undefined;
  }
}
