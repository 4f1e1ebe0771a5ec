// The main thread's side of the scan thread, which is started by the first long read.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DatabaseFailure } from '../../../foundation/sqlite/database-failure.js';
import type { SqlRowArray } from '../../../foundation/sqlite/open-database.js';
import { EngineError } from '../engine-error.js';
import { toReadError } from './reader.js';
import type { ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';
import type { SelectStatement } from './select-statement.js';

/** What one slice of a long read found. */
export interface SliceResult {
  /** As stored; a list per statement. */
  readonly rows: readonly (readonly SqlRowArray[])[];
  readonly elapsedMs: number;
  /** The rows of the first statement were too large to give all of them. */
  readonly isCut: boolean;
}

interface Waiting {
  readonly request: ScanRequest;
  readonly resolve: (result: SliceResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends slices to the scan thread, one at a time; closed before the data file is. */
export class Scanner {
  readonly #settings: ScanSettings;
  #queue: Waiting[] = [];
  #running: Waiting | undefined;
  #worker: Promise<Worker> | undefined;
  #isClosed = false;

  constructor(settings: ScanSettings) {
    this.#settings = settings;
  }

  /** Runs statements in one snapshot on the scan thread; the first may give many rows. Rejects with an EngineError. */
  async runSlice(statements: readonly SelectStatement[], maxBytes: number): Promise<SliceResult> {
    if (this.#isClosed) throw closed();
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    if (this.#isClosed) throw closed();
    const request: ScanRequest = {
      maxBytes,
      statements: statements.map(({ sql, values, columns }) => ({
        sql,
        values,
        readBigInts: columns.some(({ type }) => type.sql.readsBigInt),
      })),
    };
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#runNext(worker);
    });
  }

  /** Refuses the slices that wait and further ones, waits for the running one, ends the thread. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#queue.splice(0)) reject(closed());
    // One that could not start has nothing to end.
    const worker = await this.#worker?.catch(() => undefined);
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    worker.postMessage('close');
    await exited;
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(new URL('./scan-thread.js', import.meta.url), { workerData: this.#settings });
    try {
      await once(worker, 'message');
    } catch (error) {
      this.#worker = undefined; // the next long read tries again
      throw new EngineError('readFailed', 'the scan thread could not start', error);
    }
    worker.on('message', (reply: ScanReply) => this.#settle(worker, reply));
    worker.on('error', (error) =>
      this.#failAll(new EngineError('readFailed', 'the scan thread failed', error)),
    );
    worker.on('exit', () => {
      // The next long read starts another one.
      this.#worker = undefined;
      this.#failAll(closed());
    });
    return worker;
  }

  #runNext(worker: Worker): void {
    if (this.#running !== undefined) return;
    this.#running = this.#queue.shift();
    if (this.#running !== undefined) worker.postMessage(this.#running.request);
  }

  #settle(worker: Worker, reply: ScanReply): void {
    const settled = this.#running;
    this.#running = undefined;
    this.#runNext(worker);
    if ('rows' in reply) settled?.resolve(reply);
    else settled?.reject(toError(reply.failure));
  }

  #failAll(error: EngineError): void {
    this.#running?.reject(error);
    this.#running = undefined;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }
}

function toError({ kind, message }: Extract<ScanReply, { failure: unknown }>['failure']): unknown {
  return kind === 'bug'
    ? new Error(`a read failed in the scan thread: ${message}`)
    : toReadError(new DatabaseFailure(kind, message));
}

function closed(): EngineError {
  return new EngineError('closed', 'the server is shutting down');
}
