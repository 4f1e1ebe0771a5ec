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
}

interface Waiting {
  readonly resolve: (result: SliceResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends slices to the scan thread; closed before the data file is. */
export class Scanner {
  readonly #settings: ScanSettings;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Promise<Worker> | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(settings: ScanSettings) {
    this.#settings = settings;
  }

  /** Runs statements in one snapshot on the scan thread. Rejects with an EngineError. */
  async runSlice(statements: readonly SelectStatement[]): Promise<SliceResult> {
    if (this.#isClosed) throw closed();
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    if (this.#isClosed) throw closed();
    this.#lastId += 1;
    const request: ScanRequest = {
      id: this.#lastId,
      statements: statements.map(({ sql, values, columns }) => ({
        sql,
        values,
        readBigInts: columns.some(({ type }) => type.sql.readsBigInt),
      })),
    };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.postMessage(request);
    });
  }

  /** Refuses further slices, waits for the running one, ends the thread. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
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
    worker.on('message', (reply: ScanReply) => this.#settle(reply));
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

  #settle(reply: ScanReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (waiting === undefined) return;
    if ('rows' in reply) waiting.resolve(reply);
    else waiting.reject(toError(reply.failure));
  }

  #failAll(error: EngineError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
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
