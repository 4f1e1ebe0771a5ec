// The main thread's side of the writer thread: collects the writes of one turn and settles them when they are durable.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SharedTurns, TurnShare } from '../../../../foundation/shared-turns.js';
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { ownMemoryOf } from '../../../../foundation/threads/worker-thread.js';
import { EngineError } from '../../engine-error.js';
import { storageFailure } from '../file/storage-failure.js';
import type { StepArgument, StepName, StepResult } from './maintenance-steps.js';
import { RowsTooLarge } from './rows-too-large.js';
import { packJobs, type WriteJob } from './write-batch.js';
import type {
  PackedJob,
  StepReply,
  WriteFailure,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-messages.js';

/** A job that has no id yet. */
export type WriteRequest = Omit<WriteJob, 'id'>;

/** What jobs leave behind is collected as cheaply in a small space, which large loads do not make larger for good. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 } as const;
/** Enough for a message: the writer can start while the main thread still reads the requests behind them. */
const jobsPerMessage = 16;

/** Above 1: writes have a thread of their own, which takes time from the main thread where processors are few. */
const weightOfWrites = 1.7;

interface Waiting {
  readonly id: number;
  /** Called once, in the order of the jobs. */
  readonly settle: (error: Error | null) => void;
}

interface WaitingStep {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the thread; resolves when it can write. `onDeath` hears of an end that nobody asked for. */
export async function startWriter(
  settings: WriterSettings,
  turns: SharedTurns,
  onDeath: (error: Error) => void,
): Promise<Writer> {
  const worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
    workerData: settings,
    resourceLimits,
  });
  await once(worker, 'message');
  return new Writer(worker, turns, onDeath);
}

/** Hands jobs to the writer thread and tells their callers what became of them. */
export class Writer {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #waiting: Waiting[] = [];
  #collected: WriteJob[] = [];
  readonly #done: { readonly settle: Waiting['settle']; readonly failure: WriteFailure | undefined }[] = [];
  readonly #steps = new Map<number, WaitingStep>();
  /** Replies to writes share the turns of the event loop with the reads. */
  readonly #turns: TurnShare;
  #lastId = 0;
  #isClosed = false;

  constructor(worker: Worker, turns: SharedTurns, onDeath: (error: Error) => void) {
    this.#worker = worker;
    this.#turns = turns.share((mayGoOn) => this.#settleSome(mayGoOn), weightOfWrites);
    this.#exited = once(worker, 'exit');
    worker.on('message', (reply: WriterReply | StepReply) => {
      if ('stepId' in reply) this.#settleStep(reply);
      else this.#settle(reply);
    });
    const die = (error: Error) => {
      this.#isClosed = true;
      for (const { settle } of this.#waiting.splice(0))
        settle(new EngineError('writeFailed', 'the writer ended', error));
      for (const { reject } of this.#steps.values())
        reject(new EngineError('writeFailed', 'the writer ended', error));
      onDeath(error);
    };
    worker.on('error', die);
    worker.on('exit', (code) => {
      if (!this.#isClosed) die(new Error(`the writer thread ended with code ${code}`));
    });
  }

  /** Resolves when the statements are durable; rejects with an EngineError when none, or not all, were carried out. */
  write(request: WriteRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      this.writeThen(request, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** As `write`; `settle` is called when the job is done, before any later job is settled. */
  writeThen(request: WriteRequest, settle: (error: Error | null) => void): void {
    if (!this.#accept(settle)) return;
    this.#collected.push(Object.assign({ id: this.#lastId }, request));
    if (this.#collected.length >= jobsPerMessage) this.#send();
    // What arrives in this turn of the event loop and is less than that goes over at its end.
    else if (this.#collected.length === 1) setImmediate(() => this.#send());
  }

  /** As `writeThen`, for statements that another thread packed. */
  writePackedThen(job: Omit<PackedJob, 'id'>, settle: (error: Error | null) => void): void {
    if (!this.#accept(settle)) return;
    const id = this.#lastId;
    this.#send();
    this.#worker.postMessage({ id, ...job } satisfies WriterRequest, ownMemoryOf(job.packed));
  }

  /** Takes a job in under the next id. */
  #accept(settle: Waiting['settle']): boolean {
    if (this.#isClosed) {
      settle(new EngineError('closed', 'the server is shutting down'));
      return false;
    }
    this.#turns.arrive();
    this.#lastId += 1;
    this.#waiting.push({ id: this.#lastId, settle });
    return true;
  }

  /** Runs a step of maintenance behind what was accepted before. Rejects with an EngineError. */
  runStep<Name extends StepName>(step: Name, argument: StepArgument<Name>): Promise<StepResult<Name>> {
    if (this.#isClosed) return Promise.reject(new EngineError('closed', 'the server is shutting down'));
    this.#send();
    this.#lastId += 1;
    const stepId = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#steps.set(stepId, { resolve, reject });
      this.#post({ stepId, step, argument });
    });
  }

  /** Carries out what was accepted, then ends the thread. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#send();
      this.#post('close');
    }
    await this.#exited;
    while (this.#settleSome(() => true)) {}
  }

  #send(): void {
    if (this.#collected.length === 0) return;
    this.#post(packJobs(this.#collected));
    this.#collected = [];
  }

  #post(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #settle({ doneThrough, failures }: WriterReply): void {
    const failed = new Map(failures);
    const open = this.#waiting.findIndex(({ id }) => id > doneThrough);
    for (const { id, settle } of this.#waiting.splice(0, open < 0 ? this.#waiting.length : open)) {
      this.#done.push({ settle, failure: failed.get(id) });
    }
    this.#turns.wake();
  }

  #settleStep({ stepId, result, failure }: StepReply): void {
    const waiting = this.#steps.get(stepId);
    this.#steps.delete(stepId);
    // The thread ran the step that was asked for.
    if (failure === undefined) waiting?.resolve(result as never);
    else waiting?.reject(toError(failure));
  }

  #settleSome(mayGoOn: () => boolean): boolean {
    do {
      const done = this.#done.shift();
      done?.settle(done.failure === undefined ? null : toError(done.failure));
    } while (this.#done.length > 0 && mayGoOn());
    return this.#done.length > 0;
  }
}

/** A check of a job found these rows, given as stored: nothing of the job was carried out. */
export class FailedCheck extends Error {
  readonly rows: readonly SqlRowArray[];

  constructor(message: string, rows: readonly SqlRowArray[]) {
    super(message);
    this.rows = rows;
  }
}

function toError({ kind, message, rows = [], tooLargeSets = [] }: WriteFailure): Error {
  if (kind === 'tooLarge') return new RowsTooLarge(message, tooLargeSets);
  if (kind === 'check') return new FailedCheck(message, rows);
  return storageFailure('write', kind === 'stale' ? 'schema' : kind, new Error(message));
}
