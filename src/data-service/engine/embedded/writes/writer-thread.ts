// The writer thread: the only connection that writes. Jobs that arrive while a commit runs share the next commit.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../../foundation/threads/serve-thread.js';
import { changeFunctions } from '../file/change-functions.js';
import { loadTableVersions } from '../file/schema-store.js';
import { sqlFunctions } from '../file/sql-functions.js';
import { JobCommits, setsOf } from './commit-jobs.js';
import { maintenanceSteps, writerBusyTimeoutMs } from './maintenance-steps.js';
import { unpackJobs, unpackStatements, type WriteJob } from './write-batch.js';
import { writeErrors } from './write-errors.js';
import type {
  StepReply,
  StepRequest,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-messages.js';

/** Larger than SQLite's default, for fewer checkpoints: with random keys the write rate is 1.4 times as high. */
const walAutocheckpointPages = 30_000;
const cacheSizeBytes = 16 * 1024 * 1024;

/** The time without writes before a checkpoint: after many sets of values, and after fewer, which may be large. */
const restMs = { many: 1_000, few: 10_000 } as const;
/** A log with fewer sets hardly slows reads, and a checkpoint flushes the disk twice. */
const manySets = 1_000;

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
  const commits = new JobCommits(database, loadTableVersions(database), settings);
  const idleCheckpoint = new IdleCheckpoint(database);
  const merging = new Merging(commits, () => idleCheckpoint.noteMany());
  return {
    receive: (first) => {
      const requests = [first, ...owner.takeWaiting()];
      const jobs = requests.flatMap(jobsOf);
      for (const reply of commits.carryOut(jobs)) owner.post(reply);
      if (jobs.length > 0) merging.noteWrites(jobs.some(({ documents }) => documents !== undefined));
      for (const job of jobs) {
        if (job.tableVersions === undefined) idleCheckpoint.noteSets(setsOf(job));
        else idleCheckpoint.noteMany();
      }
      for (const request of requests) {
        if (!('step' in request)) continue;
        owner.post(runStep(database, commits, request));
        if (request.step === 'buildEntries') merging.noteWrites(true);
        idleCheckpoint.noteMany();
      }
    },
    close: () => {
      merging.close();
      idleCheckpoint.close();
      database.close();
    },
  };
}

function jobsOf(request: WriterRequest): readonly WriteJob[] {
  if ('step' in request) return [];
  if ('documentJobs' in request) return request.documentJobs.map((job) => ({ ...job, statements: [] }));
  if (!('packed' in request)) return unpackJobs(request);
  const { packed, ...job } = request;
  return [{ ...job, statements: unpackStatements(packed) }];
}

function runStep(
  database: Database,
  commits: JobCommits,
  { stepId, step, argument }: StepRequest,
): StepReply {
  try {
    // The argument is of this step's type, see `Writer.runStep` of the main thread.
    const run = maintenanceSteps[step] as (
      database: Database,
      argument: unknown,
      commits: JobCommits,
    ) => unknown;
    return { stepId, result: run(database, argument, commits), failure: undefined };
  } catch (error) {
    return { stepId, result: undefined, failure: packError(error, writeErrors) };
  }
}

/** Merges index entries of documents: a step after each commit that leaves much to merge, and more at rest. */
class Merging {
  readonly #commits: JobCommits;
  readonly #noteStep: () => void;
  #step: NodeJS.Immediate | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isAtRest = false;

  constructor(commits: JobCommits, noteStep: () => void) {
    this.#commits = commits;
    this.#noteStep = noteStep;
  }

  /** Notes that something was written: a write waits for the step that runs, and no other. */
  noteWrites(hasDocuments: boolean): void {
    this.#isAtRest = false;
    if (hasDocuments) this.#schedule();
    if (hasDocuments && this.#rest === undefined)
      this.#rest = setTimeout(() => this.#beginRest(), restMs.many);
    else this.#rest?.refresh();
  }

  close(): void {
    clearImmediate(this.#step);
    clearTimeout(this.#rest);
  }

  #beginRest(): void {
    this.#isAtRest = true;
    this.#schedule();
  }

  /** Messages that have arrived meanwhile come before the next step. */
  #schedule(): void {
    this.#step ??= setImmediate(() => {
      this.#step = undefined;
      if (!this.#commits.mergeSome(this.#isAtRest)) return;
      this.#noteStep();
      this.#schedule();
    });
  }
}

/**
 * Moves the write-ahead log into the data file when nothing was written for some time: a long log slows reads.
 */
class IdleCheckpoint {
  readonly #database: Database;
  #sets = 0;
  #timer: NodeJS.Timeout | undefined;
  #waitsForMany = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes that so many sets of values were written. */
  noteSets(count: number): void {
    this.#sets += count;
    this.#wait();
  }

  /** Notes that much was written which was not counted. */
  noteMany(): void {
    this.noteSets(manySets);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const isMany = this.#sets >= manySets;
    if (this.#timer === undefined || isMany !== this.#waitsForMany) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#run(), isMany ? restMs.many : restMs.few);
      this.#waitsForMany = isMany;
    } else this.#timer.refresh();
  }

  /** Does not wait for readers: the part of the log that they need stays until the next checkpoint. */
  #run(): void {
    try {
      const { busy, log, checkpointed } =
        this.#database.statement('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
      if (busy === 0 && log === checkpointed) this.#sets = 0;
      else this.#wait();
    } catch (error) {
      // Nothing is lost: the rows are in the log. The next write meets the same failure and reports it.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}

serveThread(serveWrites);
