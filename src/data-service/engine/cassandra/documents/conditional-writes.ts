// Conditional writes of one document up to a known outcome: what a node leaves open is found out before it is answered
// or repeated.
import { setTimeout as wait } from 'node:timers/promises';
import type { CqlPage, CqlSession, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure, type CassandraFailureKind } from '../../../../foundation/cassandra/session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { apiError } from '../../../errors/api-error.js';
import type { Collection } from '../../../schema/collection.js';
import { EngineError } from '../../engine-error.js';
import { readFailure, writeFailure } from '../engine-failure.js';
import {
  type FoundRow,
  isApplied,
  mayBeMark,
  readStatement,
  rowIn,
  type VersionedDocument,
} from './document-statements.js';

/** A pause after a lost race, at most: twice as long after each further one. */
const firstPauseMs = 4;
const longestPauseMs = 250;
/**
 * The share of the time that is left for a statement, so that its outcome can still be found out, or another node can
 * be asked.
 */
const timeShare = 0.5;

/** Failures behind which nodes may have carried a conditional write out, or may still do so. */
const leavesOpen: ReadonlySet<CassandraFailureKind> = new Set([
  'unanswered',
  'failed',
  'noAgreement',
  'unavailable', // a node can find it out after the decision
]);

/** What conditional writes are made with. */
export interface ConditionalTools {
  readonly session: Pick<CqlSession, 'run'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** A random UUID. */
  readonly newId: () => string;
}

/** What a conditional write came to: carried out or not, or `open` where no node said it. */
export type SentWrite = boolean | 'open';

/** The statements of a write of one document, up to a time. */
export class ConditionalWrite {
  readonly #tools: ConditionalTools;
  readonly #collection: Collection;
  readonly #key: Uint8Array;
  /** The monotonic time at which it is given up. */
  readonly #endMs: number;
  #pauses = 0;
  /** The last failure that left open what became of a statement, as long as nodes may still carry it out. */
  #open: CassandraFailure | undefined;
  #isUnanswered = false;
  #reply: CqlPage | undefined;

  constructor(tools: ConditionalTools, collection: Collection, key: Uint8Array, endMs: number) {
    this.#tools = tools;
    this.#collection = collection;
    this.#key = key;
    this.#endMs = endMs;
  }

  /** The document with every write that was acknowledged. @throws EngineError: also `large` beyond these bytes */
  async read(mostBytes: number): Promise<VersionedDocument | undefined> {
    const page = await this.#read('LOCAL_QUORUM', this.#leftMs()).catch((error: unknown) => {
      throw readFailure(error);
    });
    if (page.bytes > mostBytes)
      throw new EngineError('large', 'the document is too large to be changed here');
    return rowIn(this.#collection, page).row;
  }

  /** Whether nodes may carry out a statement that was sent before: they may begin with it later than with another. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /**
   * Whether a node that did not answer may still begin with a statement, however much later: one that hangs does so
   * when it continues. Behind every other failure the node has ended it.
   */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Whether the row that an insert found, which was sent last, may be the mark of a deletion. */
  get mayBeMark(): boolean {
    return this.#reply !== undefined && mayBeMark(this.#reply);
  }

  /** Says that nothing that was sent can take effect any more. */
  settle(): void {
    this.#open = undefined;
    this.#isUnanswered = false;
  }

  /**
   * Sends a conditional statement.
   * @throws EngineError where nothing was done, or `writeTimeout` if an earlier statement is open
   */
  async send(statement: CqlStatement): Promise<SentWrite> {
    const { cql, values, isIdempotent, isConditional } = statement;
    const timeoutMs = Math.ceil(this.#leftMs() * timeShare);
    try {
      this.#reply = await this.#tools.session.run({ cql, values, isIdempotent, isConditional, timeoutMs });
      return isApplied(this.#reply);
    } catch (error) {
      if (error instanceof CassandraFailure && leavesOpen.has(error.kind)) {
        this.#open = error;
        this.#isUnanswered ||= error.kind === 'unanswered';
        return 'open';
      }
      throw this.isOpen ? this.undecided() : writeFailure(error);
    }
  }

  /**
   * The row behind a write that was not carried out, or that may have been: the read ends every write that nodes have
   * begun. Nodes that do not answer are asked again. @throws EngineError, ApiError FAILED_CONCURRENT_OPERATIONS
   */
  async readBehind(): Promise<FoundRow> {
    for (;;) {
      // Who came first is probably not alone.
      if (!this.isOpen || this.#pauses > 0) await this.#pause();
      const leftMs = this.#leftMs();
      try {
        return rowIn(this.#collection, await this.#read('LOCAL_SERIAL', leftMs * timeShare));
      } catch (error) {
        if (!(error instanceof CassandraFailure && leavesOpen.has(error.kind)))
          throw this.isOpen ? this.undecided() : readFailure(error);
        this.#pauses += 1;
      }
    }
  }

  /** The error where it cannot be found out whether a statement that is open was carried out. */
  undecided(): EngineError {
    const reason = this.#open?.message ?? '';
    const problem = `the Cassandra cluster did not say whether the document was written: ${reason}`;
    return new EngineError('writeTimeout', problem, writeFailure(this.#open));
  }

  #read(consistency: 'LOCAL_QUORUM' | 'LOCAL_SERIAL', timeMs: number): Promise<CqlPage> {
    const { cql, values, isIdempotent } = readStatement(this.#collection, this.#key, consistency);
    const timeoutMs = Math.ceil(timeMs);
    return this.#tools.session.run({ cql, values, isIdempotent, consistency, timeoutMs });
  }

  /** @throws ApiError FAILED_CONCURRENT_OPERATIONS, or EngineError where it is not known what the write came to */
  #leftMs(): number {
    const leftMs = this.#endMs - this.#tools.clock.monotonicMs();
    if (leftMs > 0) return leftMs;
    if (this.isOpen) throw this.undecided();
    const { keyspace, name: table } = this.#collection;
    throw apiError('database', 'FAILED_CONCURRENT_OPERATIONS', { keyspace, table });
  }

  async #pause(): Promise<void> {
    const mostMs = Math.min(firstPauseMs * 2 ** this.#pauses, longestPauseMs);
    this.#pauses += 1;
    // Its first digits are random: writers that met once must not meet again.
    const share = Number.parseInt(this.#tools.newId().slice(0, 4), 16) / 0x10000;
    await wait(mostMs * share);
  }
}
