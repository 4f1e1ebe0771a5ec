// The writer thread: the only connection that writes. Jobs that wait while a commit runs share the next commit.
import { DatabaseFailure, type DatabaseFailureKind } from '../../../../foundation/sqlite/database-failure.js';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { type PackedError, packError } from '../../../../foundation/threads/crossing-error.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../../foundation/threads/serve-thread.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import { changeFunctions } from '../file/change-functions.js';
import { fitsInRow } from '../file/row-size.js';
import { loadTableVersions } from '../file/schema-store.js';
import { sqlFunctions } from '../file/sql-functions.js';
import type { WriteStatement } from '../statements/write-statements.js';
import { IdleCheckpoint } from './idle-checkpoint.js';
import { maintenanceSteps, writerBusyTimeoutMs } from './maintenance-steps.js';
import { runStatement } from './run-statement.js';
import { unpackJobs, unpackStatements, type WriteJob } from './write-batch.js';
import { FailedCheck, RowsTooLarge, writeErrors } from './write-errors.js';
import type {
  StepReply,
  StepRequest,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-messages.js';

/** Sets of values run in one transaction at most, so that no commit grows without bound. */
const maxSetsPerCommit = 5_000;
/** Larger logs are checkpointed rarer, which is 1.4 times the write rate of SQLite's default with random keys. */
const walAutocheckpointPages = 30_000;
const cacheSizeBytes = 16 * 1024 * 1024;

function serveWrites(
  settings: WriterSettings,
  owner: OwnerPort<WriterRequest, WriterReply | StepReply>,
): ThreadWork<WriterRequest> {
  const database = openDatabase({
    path: settings.path,
    walAutocheckpointPages,
    cacheSizeBytes,
    busyTimeoutMs: writerBusyTimeoutMs,
    functions: { ...sqlFunctions, ...changeFunctions },
  });
  const tableVersions = loadTableVersions(database);
  const writer = new Writer(database, tableVersions, settings.commitDelayMs);
  const idleCheckpoint = new IdleCheckpoint(database);
  return {
    receive: (first) => {
      const requests = [first, ...owner.takeWaiting()];
      const jobs = requests.flatMap(jobsOf);
      for (const reply of writer.carryOut(jobs)) owner.post(reply);
      for (const job of jobs) {
        if (job.tableVersions === undefined) idleCheckpoint.noteSets(setsOf(job));
        else idleCheckpoint.noteMany();
      }
      for (const request of requests) {
        if (!('step' in request)) continue;
        owner.post(runStep(database, request));
        idleCheckpoint.noteMany();
      }
    },
    close: () => {
      idleCheckpoint.close();
      database.close();
    },
  };
}

function jobsOf(request: WriterRequest): readonly WriteJob[] {
  if ('step' in request) return [];
  if (!('packed' in request)) return unpackJobs(request);
  const { packed, ...job } = request;
  return [{ ...job, statements: unpackStatements(packed) }];
}

function runStep(database: Database, { stepId, step, argument }: StepRequest): StepReply {
  try {
    // The argument was made for this very step, see `Writer.runStep` of the main thread.
    const run = maintenanceSteps[step] as (database: Database, argument: unknown) => unknown;
    return { stepId, result: run(database, argument), failure: undefined };
  } catch (error) {
    return { stepId, result: undefined, failure: packError(error, writeErrors) };
  }
}

class Writer {
  readonly #database: Database;
  readonly #tableVersions: Map<number, number>;
  readonly #commitDelayMs: number;

  constructor(database: Database, tableVersions: Map<number, number>, commitDelayMs: number) {
    this.#database = database;
    this.#tableVersions = tableVersions;
    this.#commitDelayMs = commitDelayMs;
  }

  /** Carries jobs out in order; a reply per commit. */
  *carryOut(jobs: readonly WriteJob[]): Iterable<WriterReply> {
    let group: WriteJob[] = [];
    let sets = 0;
    for (const job of jobs) {
      const standsAlone = job.tableVersions !== undefined;
      if (group.length > 0 && (standsAlone || sets >= maxSetsPerCommit)) {
        yield this.#commitGroup(group);
        group = [];
        sets = 0;
      }
      if (standsAlone) {
        yield this.#commitGroup([job]);
      } else {
        group.push(job);
        sets += setsOf(job);
      }
    }
    if (group.length > 0) yield this.#commitGroup(group);
  }

  #commitGroup(group: readonly WriteJob[]): WriterReply {
    const failures: (readonly [number, PackedError])[] = [];
    try {
      this.#database.transaction(() => {
        for (const job of group) {
          const refusal = this.#refusal(job) ?? this.#run(job);
          if (refusal !== undefined) failures.push([job.id, packError(refusal, writeErrors)]);
        }
        if (this.#commitDelayMs > 0) sleep(this.#commitDelayMs);
      });
      this.#keepVersions(group);
    } catch (error) {
      // One job must not fail its neighbours: each tries again alone, unless the file fails all of them alike.
      if (group.length > 1 && !failsAll(error)) return merge(group.map((job) => this.#commitGroup([job])));
      const failure = packError(error, writeErrors);
      return { doneThrough: lastId(group), failures: group.map(({ id }) => [id, failure]) };
    }
    return { doneThrough: lastId(group), failures };
  }

  #refusal({ table }: WriteJob): DatabaseFailure | undefined {
    if (table === undefined || this.#tableVersions.get(table.id) === table.version) return undefined;
    return new DatabaseFailure('schema', 'the table changed');
  }

  /** The result says which sets of values were too large; the others are carried out. */
  #run({ statements }: WriteJob): RowsTooLarge | undefined {
    const tooLargeSets: number[] = [];
    let set = 0;
    for (const statement of statements) {
      const { sql, valueSets, isCheck, tooLarge } = statement;
      if (isCheck === true) {
        this.#check(statement);
        continue;
      }
      if (tooLarge === undefined) {
        runStatement(this.#database, statement);
        set += valueSets.length;
        continue;
      }
      const prepared = this.#database.statement(sql);
      for (const values of valueSets) {
        if (!fitsInRow(values) || prepared.run(values).changes === 0) {
          tooLargeSets.push(set);
          if (tooLarge === 'skipRest') return tooLargeRows(tooLargeSets);
        }
        set += 1;
      }
    }
    return tooLargeSets.length === 0 ? undefined : tooLargeRows(tooLargeSets);
  }

  #check({ sql, valueSets }: WriteStatement): void {
    const statement = this.#database.statement(sql, { returnArrays: true, readBigInts: true });
    const found = valueSets.flatMap((values) => statement.all(values));
    if (found.length > 0) throw new FailedCheck(found);
  }

  #keepVersions(group: readonly WriteJob[]): void {
    for (const [tableId, version] of group.flatMap(({ tableVersions = [] }) => tableVersions)) {
      if (version === null) this.#tableVersions.delete(tableId);
      else this.#tableVersions.set(tableId, version);
    }
  }
}

/** Failures of the file or the disk: trying each job alone would only take as many times as long. */
const failuresOfAll: ReadonlySet<DatabaseFailureKind> = new Set(['busy', 'io', 'corrupt', 'readOnly']);

function failsAll(error: unknown): boolean {
  return error instanceof DatabaseFailure && failuresOfAll.has(error.kind);
}

function tooLargeRows(sets: readonly number[]): RowsTooLarge {
  return new RowsTooLarge(
    `the row would have more than ${maxRowBytes} bytes with all that is stored of it`,
    sets,
  );
}

function setsOf({ statements }: WriteJob): number {
  return statements.reduce((sum, { valueSets }) => sum + valueSets.length, 0);
}

function lastId(group: readonly WriteJob[]): number {
  return group.at(-1)?.id ?? 0;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function merge(replies: readonly WriterReply[]): WriterReply {
  return {
    doneThrough: replies.at(-1)?.doneThrough ?? 0,
    failures: replies.flatMap(({ failures }) => failures),
  };
}

serveThread(serveWrites);
