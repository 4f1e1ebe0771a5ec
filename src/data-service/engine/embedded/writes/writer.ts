// The main thread's side of the writer thread: collects the writes of one turn, and settles them when they are durable.
import type { SharedTurns, TurnShare } from '../../../../foundation/shared-turns.js';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { WritesRefused, WriteUncertain } from '../../../../foundation/sqlite/write-permit.js';
import { type PackedError, packError, unpackError } from '../../../../foundation/threads/crossing-error.js';
import { ownMemoryOf, type ThreadEnded, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { UnderWay } from '../../../../foundation/under-way.js';
import { EngineError, engineClosed } from '../../engine-error.js';
import { storageFailure } from '../file/storage-failure.js';
import type { DataFileListener } from '../opening/prepare-data-file.js';
import type { DocumentResult, DocumentWork } from './document-work.js';
import type { StepArgument, StepName, StepResult } from './maintenance-steps.js';
import { packJobs, type WriteJob } from './write-batch.js';
import { FailedCheck, RowsTooLarge, writeErrors } from './write-errors.js';
import type {
  DocumentJob,
  LateReply,
  PackedJob,
  StepReply,
  WriterMessage,
  WriterReply,
  WriterRequest,
  WriterSettings,
} from './writer-messages.js';

/** A job without an id. */
export type WriteRequest = Omit<WriteJob, 'id'>;
/** A request whose statements were packed by a guest. */
export type PackedRequest = Omit<PackedJob, 'id'>;

/** Garbage of jobs can be collected as cheaply in a small space, which then stays small after large loads. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 } as const;
/** Sent at once when this number is reached, so that the writer starts while the main thread reads further requests. */
const jobsPerMessage = 16;

/** More than 1, because on few processors the writer thread also takes time from the main thread. */
const weightOfWrites = 1.7;

/** Called once, in the order of the jobs except late ones; `result` is that of a job on documents. */
type Settle = (error: Error | null, result?: DocumentResult) => void;

interface WaitingStep {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface DoneJob {
  readonly settle: Settle;
  readonly failure: PackedError | undefined;
  readonly result: DocumentResult | undefined;
}

type WriterThread = WorkerThread<WriterRequest, WriterMessage>;

/** The reactions to failures that concern no single write. */
export interface WriterListener extends DataFileListener {
  /** Called if the thread ends without a request: nothing can be stored any more. */
  readonly onFatal: (error: Error) => void;
  /** Called for a failure that makes work or the next start slower, but loses nothing. */
  readonly onWarning?: (error: Error) => void;
  /** Resolves when the archive has what was committed. Absent: writes do not wait for it. */
  readonly whenShipped?: (() => Promise<void>) | undefined;
}

/** Starts the thread, which creates or migrates the file; rejects with the error of its start. */
export async function startWriter(
  settings: WriterSettings,
  turns: SharedTurns,
  listener: WriterListener,
): Promise<Writer> {
  const thread: WriterThread = new WorkerThread({
    name: 'the writer thread',
    module: new URL('./writer-thread.js', import.meta.url),
    settings,
    resourceLimits,
  });
  let failure: Error | undefined;
  thread.listen({
    onReply: (message) => {
      if ('openingFailure' in message) failure = unpackError(message.openingFailure, writeErrors);
      else noteOpening(message, listener);
    },
    onEnd: () => {}, // `ready` rejects
  });
  await thread.ready.catch((ended: ThreadEnded) => {
    throw failure ?? ended.cause ?? ended;
  });
  if (failure !== undefined) {
    await thread.close();
    throw failure;
  }
  return new Writer(thread, turns, listener);
}

function noteOpening(
  message: WriterMessage,
  { onMakingSums, onUpgrade, onUnknownObjects }: DataFileListener,
) {
  if ('makingSums' in message) onMakingSums?.(message.makingSums);
  else if ('upgrade' in message) onUpgrade?.(message.upgrade);
  else if ('unknownObjects' in message) onUnknownObjects?.(message.unknownObjects);
}

/** Sends jobs to the writer thread and reports their results to the callers. */
export class Writer {
  readonly #thread: WriterThread;
  readonly #listener: WriterListener;
  readonly #waiting = new UnderWay<Settle>();
  /** Jobs that the thread does later than others with larger ids. */
  readonly #late = new Map<number, Settle>();
  #collected: WriteJob[] = [];
  #collectedDocuments: DocumentJob[] = [];
  readonly #done: DoneJob[] = [];
  readonly #steps = new UnderWay<WaitingStep>();
  /** Replies to writes share the turns of the event loop with reads. */
  readonly #turns: TurnShare;
  #isClosed = false;

  constructor(thread: WriterThread, turns: SharedTurns, listener: WriterListener) {
    this.#thread = thread;
    this.#listener = listener;
    this.#turns = turns.share((mayGoOn) => this.#settleSome(mayGoOn), weightOfWrites);
    thread.listen({
      onReply: (reply) => {
        if ('stepId' in reply) this.#settleStep(reply);
        else if ('lateIds' in reply) this.#keepLate(reply.lateIds);
        else if ('lateId' in reply) this.#settleLate(reply);
        else if ('analysisFailure' in reply) this.#warn(reply.analysisFailure);
        else if ('doneThrough' in reply) this.#settle(reply);
      },
      onEnd: (ended) => this.#end(ended),
    });
  }

  /** Resolves when the statements are durable; rejects with an EngineError if none, or not all, were run. */
  write(request: WriteRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      this.writeThen(request, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Like `write`; `settle` is called when the job is done, before any later job is settled. */
  writeThen(request: WriteRequest | PackedRequest, settle: Settle): void {
    if (this.#isClosed) {
      settle(engineClosed());
      return;
    }
    this.#turns.arrive();
    const id = this.#waiting.add(settle);
    if ('packed' in request) {
      this.#send();
      this.#thread.post({ id, ...request }, ownMemoryOf(request.packed));
      return;
    }
    if (this.#collectedDocuments.length > 0) this.#send();
    this.#collected.push(Object.assign({ id }, request));
    if (this.#collected.length >= jobsPerMessage) this.#send();
    // A smaller number of jobs is sent at the end of this turn of the event loop.
    else if (this.#collected.length === 1) setImmediate(this.#send);
  }

  /** Writes documents; the result is of the kind of the work. Rejects with an EngineError. */
  writeDocuments(table: DocumentJob['table'], documents: DocumentWork): Promise<DocumentResult> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    return new Promise((resolve, reject) => {
      this.#turns.arrive();
      const settle: Settle = (error, result) => {
        if (error === null && result !== undefined) resolve(result);
        else reject(error ?? new TypeError('a job on documents has a result'));
      };
      if (this.#collected.length > 0) this.#send();
      this.#collectedDocuments.push({ id: this.#waiting.add(settle), table, documents });
      if (this.#collectedDocuments.length >= jobsPerMessage) this.#send();
      else if (this.#collectedDocuments.length === 1) setImmediate(this.#send);
    });
  }

  /**
   * Runs a step of maintenance after the jobs that were accepted before, except late ones. Rejects with an
   * EngineError.
   */
  runStep<Name extends StepName>(step: Name, argument: StepArgument<Name>): Promise<StepResult<Name>> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    this.#send();
    return new Promise((resolve, reject) => {
      const stepId = this.#steps.add({ resolve, reject });
      this.#thread.post({ stepId, step, argument });
    });
  }

  /** Runs the accepted jobs, then ends the thread. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#send();
    }
    await this.#thread.close();
    while (this.#settleSome(() => true)) {}
  }

  readonly #send = (): void => {
    if (this.#collected.length > 0) {
      this.#thread.post(packJobs(this.#collected));
      this.#collected = [];
    }
    if (this.#collectedDocuments.length === 0) return;
    this.#thread.post({ documentJobs: this.#collectedDocuments });
    this.#collectedDocuments = [];
  };

  #settle({ doneThrough, failures, results }: WriterReply): void {
    const failed = new Map(failures);
    const resultOf = new Map(results);
    const done = Array.from(this.#waiting.takeThrough(doneThrough), ([id, settle]) => ({
      ...{ settle, failure: failed.get(id), result: resultOf.get(id) },
    }));
    this.#finish(done);
  }

  /** Jobs of one commit: with an archive that writes wait for, they are done when it has them. */
  #finish(done: readonly DoneJob[]): void {
    // What was refused is in no log.
    const isStored = done.some(({ failure }) => failure?.kind !== 'writes-refused');
    const shipped = isStored ? this.#listener.whenShipped?.() : undefined;
    if (shipped === undefined) {
      this.#done.push(...done);
      this.#turns.wake();
      return;
    }
    shipped.then(
      () => {
        this.#done.push(...done);
        this.#turns.wake();
      },
      (error) => {
        const failure = packError(new WriteUncertain(error.message), writeErrors);
        this.#done.push(...done.map((job) => ({ ...job, failure: job.failure ?? failure })));
        this.#turns.wake();
      },
    );
  }

  #keepLate(ids: readonly number[]): void {
    for (const id of ids) {
      const settle = this.#waiting.take(id);
      if (settle !== undefined) this.#late.set(id, settle);
    }
  }

  #settleLate({ lateId, failure, result }: LateReply): void {
    const settle = this.#late.get(lateId);
    if (settle === undefined) return;
    this.#late.delete(lateId);
    this.#finish([{ settle, failure, result }]);
  }

  #settleStep({ stepId, result, failure }: StepReply): void {
    const waiting = this.#steps.take(stepId);
    // The result is that of the requested step.
    if (failure === undefined) waiting?.resolve(result as never);
    else waiting?.reject(toError(failure));
  }

  #warn(failure: PackedError): void {
    const cause = unpackError(failure, writeErrors);
    this.#listener.onWarning?.(new Error('other writes wait for the analysis of long texts', { cause }));
  }

  #end(ended: ThreadEnded): void {
    this.#isClosed = true;
    const error = new EngineError('writeFailed', 'the writer ended', ended);
    for (const settle of [...this.#late.values(), ...this.#waiting.takeAll()]) settle(error);
    this.#late.clear();
    for (const { reject } of this.#steps.takeAll()) reject(error);
    if (!ended.wasAsked || ended.cause !== undefined) this.#listener.onFatal(ended);
  }

  #settleSome(mayGoOn: () => boolean): boolean {
    do {
      const done = this.#done.shift();
      done?.settle(done.failure === undefined ? null : toError(done.failure), done.result);
    } while (this.#done.length > 0 && mayGoOn());
    return this.#done.length > 0;
  }
}

function toError(failure: PackedError): Error {
  const error = unpackError(failure, writeErrors);
  if (error instanceof RowsTooLarge || error instanceof FailedCheck) return error;
  if (error instanceof WritesRefused) return new EngineError('readOnly', error.message, error);
  if (error instanceof WriteUncertain) return new EngineError('writeTimeout', error.message, error);
  return storageFailure('write', error instanceof DatabaseFailure ? error.kind : 'bug', error);
}
