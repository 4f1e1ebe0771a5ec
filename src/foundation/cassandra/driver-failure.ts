// Failures of the driver as failures of the cluster. Its errors are known by their names and codes: it is loaded late.
import { CassandraFailure, type CassandraFailureKind, isOfMissing } from './session.js';

/** Codes of the native protocol. */
const kindsByCode: ReadonlyMap<number, CassandraFailureKind> = new Map([
  [0x0100, 'badCredentials'],
  [0x1000, 'unavailable'],
  [0x1001, 'overloaded'], // Overloaded
  [0x1002, 'overloaded'], // Is_bootstrapping
  [0x1100, 'unanswered'], // Write_timeout
  [0x1200, 'unanswered'], // Read_timeout
  [0x2000, 'refused'], // Syntax_error
  [0x2100, 'notPermitted'],
  [0x2200, 'refused'], // Invalid
  [0x2300, 'refused'], // Config_error
  [0x2400, 'refused'], // Already_exists
  [0x2500, 'unprepared'],
]);

/** Reasons of several hosts, the one that says most first. */
const byWeight: readonly CassandraFailureKind[] = [
  'unanswered',
  'failed',
  'badCredentials',
  'notPermitted',
  'refused',
  'overloaded',
  'unprepared',
  'unavailable',
];

/** Failures by which the node that answered did nothing. */
const withoutEffect: ReadonlySet<CassandraFailureKind> = new Set([
  'unreachable',
  'overloaded',
  'unprepared',
  'unavailable',
  'refused',
  'notPermitted',
  'badCredentials',
]);

/** What an error of the driver means; `mayBeDone` says that another node may have carried the statement out. */
export function toCassandraFailure(error: unknown, mayBeDone = false): CassandraFailure {
  if (error instanceof CassandraFailure) return error;
  const kind = kindOf(error);
  // An error that no host answered has the outcome of every one.
  const isOfOneNode = error instanceof Error && error.name !== 'NoHostAvailableError';
  const isUnknown = mayBeDone && isOfOneNode && withoutEffect.has(kind);
  return new CassandraFailure(isUnknown ? 'unanswered' : kind, wordsOf(error), error);
}

/** What went wrong in words; where no host answered, what the hosts said. */
export function wordsOf(error: unknown): string {
  const reasons = reasonsOf(error).map(([host, inner]) => `${host}: ${wordsOf(inner)}`);
  if (reasons.length > 0) return reasons.sort().join('; '); // hosts are tried in changing order
  if (isTooDeep(error)) return 'the statement is nested too deeply for the node';
  return error instanceof Error ? error.message : String(error);
}

/** A node parses by recursion, and answers so before it does anything: 5.0 takes some hundred levels. */
function isTooDeep(error: unknown): boolean {
  return error instanceof Error && error.name === 'ResponseError' && /StackOverflowError/.test(error.message);
}

/**
 * Whether a node that is just starting or stopping refused a request, before it began with it. A node that stops says
 * it by the code of one with too much to do.
 */
export function isOfLeavingNode(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ResponseError') return false;
  const code = memberOf(error, 'code');
  return code === 0x1002 || (code === 0x1001 && error.message === 'Server is shutting down');
}

/**
 * Whether a node refused a request because it does not have what the statement names. Other nodes may have it: a node
 * that was down or hung learns of changes of the schema up to a minute later.
 */
export function isOfLackingNode(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ResponseError') return false;
  return memberOf(error, 'code') === 0x2200 && isOfMissing(error.message);
}

/**
 * Whether a node refused a request because it has too much to do, before it began with it. A node that keeps too many
 * writes for others (hints) refuses by the same code, and may have sent the write to some replicas.
 */
export function isOfBusyNode(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ResponseError' || isOfLeavingNode(error)) return false;
  return memberOf(error, 'code') === 0x1001 && !isOfFullHints(error);
}

/** Whether a node refused a write because it keeps too many for other nodes; it may have sent it to some replicas. */
export function isOfFullHints({ message }: Error): boolean {
  return message.startsWith('Too many in flight hints');
}

function kindOf(error: unknown): CassandraFailureKind {
  if (!(error instanceof Error)) return 'unreachable'; // "Host considered as DOWN", of a host that was not asked
  switch (error.name) {
    case 'ResponseError':
      if (isTooDeep(error)) return 'refused';
      if (isOfFullHints(error)) return 'failed';
      return kindsByCode.get(memberOf(error, 'code') as number) ?? 'failed';
    case 'NoHostAvailableError': {
      const kinds = reasonsOf(error).map(([, inner]) => kindOf(inner));
      return byWeight.find((kind) => kinds.includes(kind)) ?? 'unreachable';
    }
    case 'OperationTimedOutError':
      return 'unanswered';
    case 'AuthenticationError':
      return 'badCredentials';
    case 'BusyConnectionError':
      return 'overloaded';
    // The driver itself failed, perhaps behind the reply of a node.
    case 'TypeError':
    case 'RangeError':
    case 'DriverInternalError':
      return 'failed';
    default:
      return kindOfSocketError(error);
  }
}

/** A socket error of a statement that was sent leaves open what became of it. */
function kindOfSocketError(error: Error): CassandraFailureKind {
  if (memberOf(error, 'requestNotWritten') === true) return 'unreachable';
  return memberOf(error, 'isSocketError') === true ? 'unanswered' : 'unreachable';
}

/** The reasons in an error that no host answered: host → its error, or a text. */
function reasonsOf(error: unknown): readonly (readonly [string, unknown])[] {
  if (!(error instanceof Error) || error.name !== 'NoHostAvailableError') return [];
  return Object.entries(memberOf(error, 'innerErrors') ?? {});
}

/** The address and port of the node that refused to carry a statement out; undefined for other errors. */
export function coordinatorOf(error: unknown): string | undefined {
  const address = error instanceof Error ? memberOf(error, 'coordinator') : undefined;
  return typeof address === 'string' ? address : undefined;
}

function memberOf(error: Error, name: string): unknown {
  return Reflect.get(error, name); // errors of the driver have members of their own
}
