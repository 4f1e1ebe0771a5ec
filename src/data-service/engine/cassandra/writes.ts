// Carries writes out: one statement for each row or slice, with times in the order of the calls.
import type { CqlSession, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../../query/write.js';
import type { Table } from '../../schema/table.js';
import type { InsertOutcome } from '../engine.js';
import { EngineError } from '../engine-error.js';
import { writeFailure } from './engine-failure.js';
import { changeStatement, deleteStatements, insertStatement } from './statements/write-statements.js';
import type { WriteTimes } from './write-times.js';

/** Statements of one plan that are under way at the same time. */
const mostUnderWay = 64;

/** What writes are carried out with. */
export interface WriteTools {
  readonly session: Pick<CqlSession, 'run'>;
  /** @throws EngineError `schemaChanged` for a table that is gone or changed */
  readonly refuseOutdated: (table: Table) => void;
  readonly clock: Clock;
  readonly times: WriteTimes;
  /** After which a plan is given up. */
  readonly timeoutMs: number;
}

/** Carries out plans that change rows. Every method rejects with an EngineError. */
export class Writes {
  readonly #tools: WriteTools;
  /** Results of refused commands, so that a repeated plan does not store rows twice. */
  readonly #decided = new WeakMap<object, DecidedRows>();

  constructor(tools: WriteTools) {
    this.#tools = tools;
  }

  async insertRows({ table, rows, isOrdered = false, command }: InsertPlan): Promise<InsertOutcome> {
    this.#tools.refuseOutdated(table);
    const decided = command === undefined ? undefined : this.#decided.get(command);
    const statements = rows.map((row) => this.#timed(insertStatement(table, row)));
    const isInOrder = isOrdered || statements.length === 1;
    const failures = isInOrder
      ? await this.#runInOrder(statements, decided)
      : await this.#runAll(statements, decided);
    const [first] = failures;
    if (first != null && failures.every((failure) => failure?.kind === 'overloaded')) throw first;
    const outdated = failures.find((failure) => failure?.kind === 'schemaChanged');
    if (outdated == null) return { rows: failures };
    if (command !== undefined) this.#decided.set(command, decidedRows(statements, failures));
    throw outdated;
  }

  async changeRow(plan: ChangePlan): Promise<void> {
    this.#tools.refuseOutdated(plan.table);
    const failure = await this.#failureOf(this.#timed(changeStatement(plan)));
    if (failure !== null) throw failure;
  }

  /** Slices are deleted one by one: where one fails, others may be gone. */
  async deleteRows(plan: DeletePlan): Promise<void> {
    this.#tools.refuseOutdated(plan.table);
    const statements = deleteStatements(plan).map((statement) => this.#timed(statement));
    const isOne = statements.length === 1;
    const failures = await (isOne ? this.#runInOrder(statements) : this.#runAll(statements));
    const failure = failures.find((each) => each !== null);
    if (failure == null) return;
    const isPartDone = failures.includes(null) && failure.kind !== 'schemaChanged';
    throw isPartDone
      ? new EngineError('writeTimeout', `only a part is deleted: ${failure.message}`, failure)
      : failure;
  }

  #endMs(): number {
    return this.#tools.clock.monotonicMs() + this.#tools.timeoutMs;
  }

  /** The time of a write decides which of two writes of a value stays: the later call. */
  #timed(statement: CqlStatement): TimedWrite {
    return { statement, timestampMicros: this.#tools.times.next(), endMs: this.#endMs() };
  }

  /** Why each statement failed; those behind the first failure are not sent and have the same. */
  async #runInOrder(statements: readonly TimedWrite[], decided?: DecidedRows): Promise<RowFailures> {
    for (const [at, statement] of statements.entries()) {
      const failure = await this.#failureOf(statement, decided);
      if (failure !== null) return statements.map((_, place) => (place < at ? null : failure));
    }
    return statements.map(() => null);
  }

  async #runAll(statements: readonly TimedWrite[], decided?: DecidedRows): Promise<RowFailures> {
    const failures = new Array<EngineError | null>(statements.length).fill(null);
    const waiting = statements.entries();
    const runNext = async () => {
      for (const [at, statement] of waiting) failures[at] = await this.#failureOf(statement, decided);
    };
    await Promise.all(Array.from({ length: Math.min(mostUnderWay, statements.length) }, runNext));
    return failures;
  }

  /** Runs a statement, unless it is known what became of it. */
  async #failureOf(write: TimedWrite, decided?: DecidedRows): Promise<EngineError | null> {
    const known = decided?.get(inWriting(write));
    if (known !== undefined) return known;
    const { session, clock, timeoutMs: wholeMs } = this.#tools;
    const { statement, timestampMicros, endMs } = write;
    const leftMs = Math.ceil(endMs - clock.monotonicMs());
    if (leftMs <= 0)
      return new EngineError('overloaded', `the rows before it took ${wholeMs} ms: it was not sent`);
    // Literals: copying the members of another object takes longer, for each row.
    const { cql, values, isIdempotent, timeoutMs = leftMs } = statement;
    try {
      await session.run({ cql, values, isIdempotent, timeoutMs, timestampMicros });
      return null;
    } catch (error) {
      const failure = writeFailure(error);
      if (failure instanceof EngineError) return failure;
      throw failure;
    }
  }
}

type RowFailures = readonly (EngineError | null)[];

/** Statements in writing, and what became of them, as in outcomes. */
type DecidedRows = ReadonlyMap<string, EngineError | null>;

function decidedRows(statements: readonly TimedWrite[], failures: RowFailures): DecidedRows {
  return new Map(
    statements.flatMap((statement, at) => {
      const failure = failures[at] ?? null;
      return failure?.kind === 'schemaChanged' ? [] : [[inWriting(statement), failure] as const];
    }),
  );
}

/** Different for different statements. */
function inWriting({ statement: { cql, values } }: TimedWrite): string {
  return JSON.stringify([cql, ...values.map((value) => value?.toString('latin1') ?? null)]);
}

/** A statement with the time of its write, and the monotonic time at which it is given up. */
interface TimedWrite {
  readonly statement: CqlStatement;
  readonly timestampMicros: number;
  readonly endMs: number;
}
