// The writer thread: the only connection that writes. Jobs that wait while a commit runs share the next commit.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import {
  type Database,
  openDatabase,
  type SqlRowArray,
} from '../../../../foundation/sqlite/open-database.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import { changeFunctions } from '../file/change-functions.js';
import { fitsInRow } from '../file/row-size.js';
import { loadTableVersions } from '../file/schema-store.js';
import { sqlFunctions } from '../file/sql-functions.js';
import type { WriteStatement } from '../statements/write-statements.js';
import { IdleCheckpoint } from './idle-checkpoint.js';
import { maintenanceSteps, writerBusyTimeoutMs } from './maintenance-steps.js';
import { unpackStatements } from './packed-statements.js';
import { runStatement } from './run-statement.js';
import { unpackJobs, type WriteJob } from './write-batch.js';
import type {
  StepReply,
  StepRequest,
  WriteFailure,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-messages.js';

/** Sets of values run in one transaction at most, so that no commit grows without bound. */
const maxSetsPerCommit = 5_000;
/** Larger logs are checkpointed rarer, which is 1.4 times the write rate of SQLite's default with random keys. */
const walAutocheckpointPages = 30_000;
const cacheSizeBytes = 16 * 1024 * 1024;

function serveWrites(port: MessagePort, settings: WriterSettings): void {
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
  port.on('message', (first: WriterRequest) => {
    const requests = [first, ...takeWaiting(port)];
    const jobs = requests.flatMap(jobsOf);
    for (const reply of writer.carryOut(jobs)) port.postMessage(reply);
    for (const job of jobs) {
      if (job.tableVersions === undefined) idleCheckpoint.noteSets(setsOf(job));
      else idleCheckpoint.noteMany();
    }
    for (const request of requests) {
      if (request === 'close' || !('step' in request)) continue;
      port.postMessage(runStep(database, request));
      idleCheckpoint.noteMany();
    }
    if (!requests.includes('close')) return;
    idleCheckpoint.close();
    database.close();
    // The thread ends by itself: ending it from outside while a statement runs would abort the process.
    port.close();
  });
  port.postMessage('ready');
}

function jobsOf(request: WriterRequest): readonly WriteJob[] {
  if (request === 'close' || 'step' in request) return [];
  if (!('packed' in request)) return unpackJobs(request);
  const { packed, ...job } = request;
  return [{ ...job, statements: unpackStatements(packed) }];
}

function* takeWaiting(port: MessagePort): Iterable<WriterRequest> {
  for (;;) {
    const received: { message: WriterRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    yield received.message;
  }
}

function runStep(database: Database, { stepId, step, argument }: StepRequest): StepReply {
  try {
    // The argument was made for this very step, see `Writer.runStep` of the main thread.
    const run = maintenanceSteps[step] as (database: Database, argument: unknown) => unknown;
    return { stepId, result: run(database, argument), failure: undefined };
  } catch (error) {
    return { stepId, result: undefined, failure: toFailure(error) };
  }
}

/** A check of a job found these rows. */
class FailedCheck extends Error {
  readonly rows: readonly SqlRowArray[];

  constructor(rows: readonly SqlRowArray[]) {
    super(`a check found ${rows.length} rows`);
    this.rows = rows;
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
    const failures: (readonly [number, WriteFailure])[] = [];
    try {
      this.#database.transaction(() => {
        for (const job of group) {
          const refusal = this.#refusal(job) ?? this.#run(job);
          if (refusal !== undefined) failures.push([job.id, refusal]);
        }
        if (this.#commitDelayMs > 0) sleep(this.#commitDelayMs);
      });
      this.#keepVersions(group);
    } catch (error) {
      const failure = toFailure(error);
      // One job must not fail its neighbours: each tries again alone, unless the file fails all of them alike.
      if (group.length > 1 && !failsAll.has(failure.kind))
        return merge(group.map((job) => this.#commitGroup([job])));
      return { doneThrough: lastId(group), failures: group.map(({ id }) => [id, failure]) };
    }
    return { doneThrough: lastId(group), failures };
  }

  #refusal({ table }: WriteJob): WriteFailure | undefined {
    if (table === undefined || this.#tableVersions.get(table.id) === table.version) return undefined;
    return { kind: 'stale', message: 'the table changed' };
  }

  /** A failure says which sets of values were too large; the others are carried out. */
  #run({ statements }: WriteJob): WriteFailure | undefined {
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
const failsAll: ReadonlySet<WriteFailure['kind']> = new Set(['busy', 'io', 'corrupt', 'readOnly']);

function tooLargeRows(tooLargeSets: readonly number[]): WriteFailure {
  const message = `the row would have more than ${maxRowBytes} bytes with all that is stored of it`;
  return { kind: 'tooLarge', message, tooLargeSets };
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

function toFailure(error: unknown): WriteFailure {
  if (error instanceof FailedCheck) return { kind: 'check', message: error.message, rows: error.rows };
  if (error instanceof DatabaseFailure) return { kind: error.kind, message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

if (parentPort !== null) serveWrites(parentPort, workerData as WriterSettings); // set by the thread's only maker
