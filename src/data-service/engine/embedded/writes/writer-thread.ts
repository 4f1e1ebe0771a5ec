// The writer thread: the only connection that writes. Jobs that arrive while a commit runs share the next commit.
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../../foundation/threads/serve-thread.js';
import { changeFunctions } from '../file/change-functions.js';
import { loadTableVersions } from '../file/schema-store.js';
import { sqlFunctions } from '../file/sql-functions.js';
import { JobCommits, setsOf } from './commit-jobs.js';
import { IdleCheckpoint } from './idle-checkpoint.js';
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

/** Fewer checkpoints than by SQLite's default: with random keys the write rate is 1.4 times as high. */
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
  const commits = new JobCommits(database, loadTableVersions(database), settings.commitDelayMs);
  const idleCheckpoint = new IdleCheckpoint(database);
  return {
    receive: (first) => {
      const requests = [first, ...owner.takeWaiting()];
      const jobs = requests.flatMap(jobsOf);
      for (const reply of commits.carryOut(jobs)) owner.post(reply);
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

serveThread(serveWrites);
