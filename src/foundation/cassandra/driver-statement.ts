// One statement of a data session by Apache's driver: its options, its weight in the queue and its reply.
import driver from 'cassandra-driver';
import type { CqlPage, CqlStatement } from './cql-session.js';
import type { DataClient } from './driver-data-client.js';
import { coordinatorOf, isOfLackingNode, isOfLeavingNode, toCassandraFailure } from './driver-failure.js';
import { type Attempts, isUnsent, mayBeDone } from './driver-policies.js';
import { CassandraFailure } from './session.js';
import { unlessSilent } from './unless-silent.js';

/** The smallest statements count as so much, so that they are not too many. */
export const leastBytes = 32 * 1024;
const ordinaryPageRows = 1_000;

const consistencies = {
  LOCAL_QUORUM: driver.types.consistencies.localQuorum,
  LOCAL_ONE: driver.types.consistencies.localOne,
  LOCAL_SERIAL: driver.types.consistencies.localSerial,
  QUORUM: driver.types.consistencies.quorum,
  SERIAL: driver.types.consistencies.serial,
} as const;

/** How often a statement is sent again because its node stops or starts, or lacks what the statement names. */
const mostRefusals = 3;
/** A node that lacks something answers other questions. It is passed by for so long, also if others lack it, too. */
const lackingMs = 1_000;

/** Runs a statement now. `timeoutMs`: of the whole statement, instead of its own limit. @throws CassandraFailure */
export async function execute(
  client: DataClient,
  statement: CqlStatement,
  timeoutMs: number,
  more: driver.QueryOptions,
): Promise<CqlPage> {
  const { cql, values, isIdempotent, consistency = 'LOCAL_QUORUM' } = statement;
  const { pageRows = ordinaryPageRows, timestampMicros, isConditional = false } = statement;
  const options: CountedOptions = {
    prepare: true,
    isIdempotent,
    consistency: consistencies[consistency],
    serialConsistency: consistency === 'QUORUM' ? consistencies.SERIAL : consistencies.LOCAL_SERIAL,
    fetchSize: pageRows,
    autoPage: false,
    readTimeout: timeoutMs,
    timestamp: timestampMicros as number, // undefined stands for the present time, which never falls
    replyBytes: 0,
    started: 0,
    undone: 0,
    isSentOnce: isConditional,
    node: undefined,
    answersBefore: 0,
    ...more,
  };
  // Where there is one node only, nobody else can say what became of the statement.
  const isOfAnyNode = more.host === undefined;
  const isWatched = isConditional && isOfAnyNode && client.hosts.length > 1;
  for (let refusals = 0; ; refusals += 1) {
    try {
      const sent = client.execute(cql, values as (Buffer | null)[], options);
      const result = await (isWatched
        ? unlessSilent(sent, options, client.passed, client.seconds.delayMs)
        : sent);
      return pageOf(result, options.replyBytes);
    } catch (error) {
      // The driver itself sends only statements again that may be carried out twice.
      if (isOfAnyNode && refusals < mostRefusals && isUndoneByOne(error, client)) {
        noteRefusal(error, options, client);
        continue;
      }
      const failure = toCassandraFailure(error, mayBeDone(options));
      const isUndone = failure.kind === 'unanswered' && isOfAnyNode && isUnsent(options);
      if (!isUndone) throw failure;
      throw new CassandraFailure('unreachable', `no node prepared the statement: ${failure.message}`, error);
    }
  }
}

/** Whether a node did nothing, and another one may do it. */
function isUndoneByOne(error: unknown, { hosts }: DataClient): boolean {
  return isOfLeavingNode(error) || (isOfLackingNode(error) && hosts.length > 1);
}

/** The node that refused is not asked next. The driver names it, except where it was asked to prepare the statement. */
function noteRefusal(error: unknown, options: CountedOptions, { hosts, passed }: DataClient): void {
  const passedMs = isOfLackingNode(error) ? lackingMs : 0;
  const address = coordinatorOf(error);
  if (address === undefined) {
    passed.passByPreparing(passedMs);
    return;
  }
  options.undone += 1;
  const host = hosts.get(address);
  if (host !== undefined) passed.passBy(host, passedMs);
}

/** Options of a statement, in which the driver's hooks count its attempts and the bytes of its reply. */
interface CountedOptions extends driver.QueryOptions, Attempts {
  replyBytes: number;
}

/** The size of a statement. */
export function bytesOf({ cql, values }: CqlStatement): number {
  let bytes = cql.length;
  for (const value of values) bytes += value?.length ?? 0;
  return bytes;
}

/** By the names of columns: the driver's own list of values is in another order where names are numbers. */
function pageOf({ columns, rows, pageState }: driver.types.ResultSet, bytes: number): CqlPage {
  // Their declaration says that they are always there.
  if (columns === null || columns === undefined) return { rows: [], next: null, bytes };
  const names = columns.map(({ name }) => name);
  return { rows: (rows ?? []).map((row) => names.map((name) => row[name])), next: pageState ?? null, bytes };
}
