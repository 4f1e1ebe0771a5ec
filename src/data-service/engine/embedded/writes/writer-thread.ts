// The writer thread: the only connection that writes. Jobs that arrive while a commit runs share the next commit.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { prepareSums } from '../../../../foundation/sqlite/prepare-sums.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../../foundation/threads/serve-thread.js';
import { changeFunctions } from '../file/change-functions.js';
import { loadTableVersions } from '../file/schema-store.js';
import { sqlFunctions } from '../file/sql-functions.js';
import { prepareDataFile } from '../opening/prepare-data-file.js';
import { JobCommits, setsOf } from './commit-jobs.js';
import { IdleCheckpoint } from './idle-checkpoint.js';
import { LargeJobs, largeBytes } from './large-jobs.js';
import { runStep } from './maintenance-runs.js';
import type { MergesLeft } from './segment-merges.js';
import { TextAnalysis } from './text-analysis.js';
import { unpackJobs, unpackStatements, type WriteJob } from './write-batch.js';
import { writeErrors } from './write-errors.js';
import type { WriterMessage, WriterRequest, WriterSettings } from './writer-messages.js';

/** Larger than SQLite's default, for fewer checkpoints: with random keys the write rate is 1.4 times as high. */
const walAutocheckpointPages = 30_000;
/** How long the writer waits for another program that has locked the file; maintenance does not wait. */
const busyTimeoutMs = 5_000;
const cacheSizeBytes = 16 * 1024 * 1024;

async function serveWrites(
  settings: WriterSettings,
  owner: OwnerPort<WriterRequest, WriterMessage>,
): Promise<ThreadWork<WriterRequest>> {
  const database = await openDataFile(settings, owner);
  if (database === undefined) return { receive: () => {}, close: () => {} };
  const commits = new JobCommits(database, loadTableVersions(database), settings);
  const idleCheckpoint = new IdleCheckpoint(database, settings.path);
  const merging = new Merging(commits, () => idleCheckpoint.noteMany());
  const analysis = new TextAnalysis((error) =>
    owner.post({ analysisFailure: packError(error, writeErrors) }),
  );
  const large = new LargeJobs(
    commits,
    analysis,
    (message) => owner.post(message),
    (job, elapsedMs) => {
      merging.noteWrites(true, elapsedMs);
      idleCheckpoint.noteSets(setsOf(job));
    },
  );
  return {
    receive: (first) => {
      const requests = [first, ...owner.takeWaiting()];
      const jobs = requests.flatMap(jobsOf);
      const beganMs = systemClock.monotonicMs();
      for (const commit of commits.carryOut(jobs, largeBytes)) {
        large.add(commit);
        owner.post(commit.reply);
      }
      if (jobs.length > 0) {
        const hasDocuments = jobs.some(({ documents }) => documents !== undefined);
        merging.noteWrites(hasDocuments, systemClock.monotonicMs() - beganMs);
        idleCheckpoint.noteSets(jobs.reduce((sum, job) => sum + setsOf(job), 0));
        if (jobs.some(({ tableVersions }) => tableVersions !== undefined)) idleCheckpoint.noteMany();
      }
      for (const request of requests) {
        if (!('step' in request)) continue;
        runStep({ database, commits, analysis }, request, (reply) => owner.post(reply));
        if (request.step === 'buildEntries') merging.noteWrites(true, 0);
        idleCheckpoint.noteMany();
      }
    },
    close: async () => {
      await analysis.close();
      large.close();
      merging.close();
      idleCheckpoint.close();
      database.close();
    },
  };
}

/** Undefined after a failure, which the owner gets as a message: an error that ends the thread loses its class. */
async function openDataFile(
  { path, shippedLog }: WriterSettings,
  owner: OwnerPort<WriterRequest, WriterMessage>,
): Promise<Database | undefined> {
  let database: Database | undefined;
  try {
    await prepareSums(path, (makingSums) => owner.post({ makingSums }));
    database = openDatabase({
      ...{ path, walAutocheckpointPages, cacheSizeBytes, busyTimeoutMs, shippedLog, hasPageSums: true },
      functions: { ...sqlFunctions, ...changeFunctions },
    });
    prepareDataFile(database, path, {
      onUpgrade: (upgrade) => owner.post({ upgrade }),
      onUnknownObjects: (unknownObjects) => owner.post({ unknownObjects }),
    });
    if (shippedLog === undefined) emptyLog(database);
    return database;
  } catch (error) {
    owner.post({ openingFailure: packError(error, writeErrors) });
    try {
      database?.close();
    } catch {
      // The first error says more, and the end of the thread closes the connection, too.
    }
    return undefined;
  }
}

/** The log of a killed server or of an upgrade is not left to the first writes. On a full disk it stays. */
function emptyLog(database: Database): void {
  try {
    database.checkpoint('TRUNCATE');
  } catch (error) {
    // Nothing is lost: the rows are in the log.
    if (!(error instanceof DatabaseFailure)) throw error;
  }
}

function jobsOf(request: WriterRequest): readonly WriteJob[] {
  if ('step' in request) return [];
  if ('documentJobs' in request)
    return request.documentJobs.map(({ id, table, documents }) => ({ id, table, statements: [], documents }));
  if (!('packed' in request)) return unpackJobs(request);
  const { packed, ...job } = request;
  return [{ ...job, ...unpackStatements(packed) }];
}

/** The time without writes before more is merged. */
const restMs = 1_000;
/** Merges take this part of the time of writes, and at rest of a core; if they are behind, as much time as writes. */
const shareOfTime = 0.25;
/** The longest time in which merges that are behind keep writes waiting. */
const mostMsBehind = { underLoad: 50, atRest: 10 } as const;

/** Whether so many ms from now are over. */
function timeFrom(ms: number): () => boolean {
  const endMs = systemClock.monotonicMs() + ms;
  return () => systemClock.monotonicMs() >= endMs;
}

/** Merges index entries of documents: in steps between commits, and more at rest. */
class Merging {
  readonly #commits: JobCommits;
  readonly #noteStep: () => void;
  #left: MergesLeft = 'none';
  /** The time of the last step, and that of writes since then. */
  #stepMs = 1;
  #writesMs = 0;
  #rest: NodeJS.Timeout | undefined;

  constructor(commits: JobCommits, noteStep: () => void) {
    this.#commits = commits;
    this.#noteStep = noteStep;
    // What an earlier process left.
    this.#mergeAtRestIn(restMs);
  }

  /** Notes that something was written, in so many ms. */
  noteWrites(hasDocuments: boolean, tookMs: number): void {
    if (hasDocuments) {
      this.#writesMs += tookMs;
      const share = this.#left === 'many' ? 1 : shareOfTime;
      if (this.#writesMs * share >= this.#stepMs) this.#merge(false, this.#writesMs);
    }
    if (hasDocuments || this.#rest !== undefined) this.#mergeAtRestIn(restMs);
  }

  close(): void {
    clearTimeout(this.#rest);
  }

  #mergeAtRestIn(ms: number): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#merge(true, mostMsBehind.atRest);
      if (this.#left === 'none') return;
      this.#mergeAtRestIn(this.#left === 'many' ? 0 : this.#stepMs / shareOfTime - this.#stepMs);
    }, ms);
  }

  #merge(isAtRest: boolean, mostMs: number): void {
    const beganMs = systemClock.monotonicMs();
    const isTime = timeFrom(Math.min(mostMs, mostMsBehind.underLoad));
    this.#left = this.#commits.mergeSome(isAtRest, isTime);
    this.#writesMs = 0;
    if (this.#left === 'none') return;
    this.#stepMs = systemClock.monotonicMs() - beganMs;
    this.#noteStep();
  }
}

serveThread(serveWrites);
