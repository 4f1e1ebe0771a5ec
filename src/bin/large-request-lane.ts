// The main thread's side of the thread for large requests: few run at a time, others wait for a while.
import { Worker } from 'node:worker_threads';
import type { Embedder } from '../data-service/commands/embed-texts.js';
import type { Address } from '../data-service/commands/run-command.js';
import type { ReadHeader } from '../data-service/embedding/find-credential.js';
import type { EngineHost } from '../data-service/engine/embedded/engine-host.js';
import {
  type LargeAnswer,
  type LargeRequests,
  NoRoomForLargeRequest,
} from '../data-service/http/large-requests.js';
import { NoTurn, TurnQueue, type WhenGone } from '../foundation/limits/turn-queue.js';
import { ThreadLink } from '../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../foundation/threads/worker-thread.js';
import { waitAtMost } from '../foundation/wait-at-most.js';
import {
  type CountedCall,
  type LargeThreadCalls,
  type LargeThreadData,
  type LargeThreadHost,
  largeThreadErrors,
} from './large-request-messages.js';
import type { CallCounter } from './measure-engine.js';

/** What the lane works with. */
export interface LargeRequestOptions {
  readonly data: LargeThreadData;
  readonly host: EngineHost;
  readonly embedder: Embedder;
  readonly counter: CallCounter;
  /** Tests only: how large the heap of the thread may get. */
  readonly heapMb?: number;
}

/** Requests that run at the same time; one with a body over `halfBytes` counts as all of them. */
const places = 2;
const halfBytes = 4 * 1024 * 1024;
const mostWaiting = 256;
const longestWaitMs = 10_000;
/** What the thread holds is given back when nobody has needed it for a while. */
const idleMs = 10_000;
/** The whole process has to stop within seconds. */
const closeTimeoutMs = 1000;
/** A body of the most values, twice: as it was parsed, and as values of columns. */
const ordinaryHeapMb = 512;
const youngHeapMb = 32;

interface Running {
  readonly link: ThreadLink<LargeThreadCalls, LargeThreadHost>;
  readonly worker: Worker;
  readonly exited: Promise<void>;
}

/** Answers large requests in a thread that is there as long as there are some. */
export class LargeRequestLane implements LargeRequests {
  readonly #options: LargeRequestOptions;
  readonly #turns = new TurnQueue({ places, mostWaiting, longestWaitMs });
  readonly #headers = new Map<number, ReadHeader>();
  #thread: Running | undefined;
  #lastId = 0;
  /** Requests that have written, or may have. */
  readonly #writing = new Set<number>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LargeRequestOptions) {
    this.#options = options;
  }

  async answer(body: Buffer, address: Address, header: ReadHeader, onGone?: WhenGone): Promise<LargeAnswer> {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#headers.set(id, header);
    try {
      const weight = body.length > halfBytes ? places : 1;
      return await this.#turns.run(weight, () => this.#ask(id, body, address), onGone);
    } catch (error) {
      if (error instanceof NoTurn) throw new NoRoomForLargeRequest(error.message);
      throw error;
    } finally {
      this.#headers.delete(id);
      this.#writing.delete(id);
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => {
        if (this.#turns.isIdle) void this.#endThread();
      }, idleMs).unref();
    }
  }

  /** Refuses what waits, ends the thread. Requests under way have been answered by then, or their time is over. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#turns.close();
    await this.#endThread();
  }

  async #ask(id: number, body: Buffer, address: Address): Promise<LargeAnswer> {
    this.#thread ??= this.#startThread();
    const { link } = this.#thread;
    try {
      return await link.call('answer', { id, body, address }, undefined, ownMemoryOf(body));
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      if (!this.#writing.has(id)) throw new NoRoomForLargeRequest(error.message, { cause: error });
      throw new Error('the thread for large requests ended beside a write, which may have been done', {
        cause: error,
      });
    }
  }

  #startThread(): Running {
    const worker = this.#makeWorker();
    const { host, embedder, counter } = this.#options;
    const calls = new ThreadCalls(counter);
    const link = new ThreadLink<LargeThreadCalls, LargeThreadHost>(
      worker,
      {
        ...host,
        beginWrite: (id) => this.#writing.add(id),
        embed: ({ id, texts }) => embedder.embedTextsFor((name) => this.#headers.get(id)?.(name))(texts),
        countCall: (call) => calls.count(call),
      },
      largeThreadErrors,
    );
    const end = (cause: Error) => {
      if (this.#thread?.link === link) this.#thread = undefined;
      calls.end();
      link.end(isOutOfMemory(cause) ? new OutOfMemory(cause) : cause);
    };
    worker.on('error', end);
    const exited = new Promise<void>((resolve) => {
      worker.on('exit', (code) => {
        end(new Error(`the thread for large requests ended with code ${code}`));
        resolve();
      });
    });
    return { link, worker, exited };
  }

  #makeWorker(): Worker {
    try {
      const file = new URL('./large-request-thread.js', import.meta.url);
      const { data, heapMb = ordinaryHeapMb } = this.#options;
      const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb };
      return new Worker(file, { workerData: data, resourceLimits });
    } catch (cause) {
      throw new NoRoomForLargeRequest('its thread could not be started', { cause });
    }
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined) return;
    thread.link.tell('close', undefined);
    await waitAtMost(closeTimeoutMs, thread.exited);
    // It computes for somebody who is gone: what it had to store, the main thread has.
    await thread.worker.terminate();
  }
}

/** A request took more memory than large requests may take: the thread ended, and all that ran in it with it. */
class OutOfMemory extends Error {
  constructor(cause: Error) {
    super('large requests exceeded their memory limit', { cause });
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Counts the calls of the engine in a thread, and ends those that are under way when the thread ends. */
class ThreadCalls {
  readonly #counter: CallCounter;
  readonly #running: Record<CountedCall['kind'], number> = { read: 0, write: 0 };

  constructor(counter: CallCounter) {
    this.#counter = counter;
  }

  count(call: CountedCall): void {
    this.#running[call.kind] += call.step === 'begin' ? 1 : -1;
    switch (call.step) {
      case 'begin':
        this.#counter.beginCall(call.kind);
        return;
      case 'suspend':
        this.#counter.suspendCall(call.kind);
        return;
      case 'end':
        this.#counter.endCall(call.kind, call.elapsedMs, call.keyspace, call.table);
    }
  }

  end(): void {
    for (const kind of ['read', 'write'] as const) {
      for (; this.#running[kind] > 0; this.#running[kind] -= 1) this.#counter.suspendCall(kind);
    }
  }
}
