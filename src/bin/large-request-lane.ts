// The main thread's side of the thread for large requests: a few run at a time, others wait in a queue.
import type { Embedder } from '../data-service/commands/embed-texts.js';
import type { Address } from '../data-service/commands/run-command.js';
import type { ReadHeader } from '../data-service/embedding/find-credential.js';
import type { EngineHost } from '../data-service/engine/embedded/guest-engine.js';
import {
  type LargeAnswer,
  type LargeRequests,
  NoRoomForLargeRequest,
} from '../data-service/http/large-requests.js';
import { NotBegun, type WhenGone, WorkQueue } from '../foundation/limits/work-queue.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../foundation/threads/thread-link.js';
import { ownMemoryOf, ThreadEnded, WorkerThread } from '../foundation/threads/worker-thread.js';
import {
  type CountedCall,
  type LargeThreadCalls,
  type LargeThreadData,
  type LargeThreadHost,
  largeThreadErrors,
} from './large-request-messages.js';
import type { CallCounter } from './measure-engine.js';

/** What the lane needs. */
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
/** The thread ends, and releases its memory, when there were no large requests for so long. */
const idleMs = 10_000;
/** The whole process has to stop within seconds. */
const closeTimeoutMs = 1000;
/** A body of the most values, twice: as it was parsed, and as values of columns. */
const ordinaryHeapMb = 512;
const youngHeapMb = 32;

interface Running {
  readonly link: ThreadLink<LargeThreadCalls, LargeThreadHost>;
  readonly thread: WorkerThread<LinkMessage, LinkMessage>;
}

/** Answers large requests in a thread that runs while there are any. */
export class LargeRequestLane implements LargeRequests {
  readonly #options: LargeRequestOptions;
  readonly #queue = new WorkQueue({ places, mostWaiting, longestWaitMs });
  readonly #headers = new Map<number, ReadHeader>();
  #running: Running | undefined;
  #lastId = 0;
  /** Requests that wrote or may have written. */
  readonly #writing = new Set<number>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LargeRequestOptions) {
    this.#options = options;
  }

  async answer(body: Buffer, address: Address, header: ReadHeader, onGone?: WhenGone): Promise<LargeAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#headers.set(id, header);
    try {
      const weight = body.length > halfBytes ? places : 1;
      return await this.#inQueue(weight, () => this.#ask(id, body, address), onGone);
    } finally {
      this.#headers.delete(id);
      this.#writing.delete(id);
    }
  }

  /** Runs a native query whose rows are large: see `LargeThreadCalls`. */
  async runNative(query: string): Promise<MovedResult<Uint8Array>> {
    const packed = await this.#inQueue(1, () => this.#present().link.call('runNative', query));
    return new MovedResult(packed, ownMemoryOf(packed));
  }

  /** Refuses waiting requests and ends the thread. Requests under way were answered before, or their time is over. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#queue.close();
    await this.#endThread();
  }

  /** Runs `ask` when its turn comes. Rejects with NoRoomForLargeRequest where there is none, or no memory. */
  async #inQueue<Result>(weight: number, ask: () => Promise<Result>, onGone?: WhenGone): Promise<Result> {
    clearTimeout(this.#idle);
    try {
      return await this.#queue.run(weight, ask, onGone);
    } catch (error) {
      if (error instanceof NotBegun) throw new NoRoomForLargeRequest(error.message);
      if (error instanceof ThreadEnded && error.isOutOfMemory)
        throw new NoRoomForLargeRequest('large requests exceeded their memory limit', { cause: error });
      throw error;
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => {
        if (this.#queue.isIdle) void this.#endThread();
      }, idleMs).unref();
    }
  }

  async #ask(id: number, body: Buffer, address: Address): Promise<LargeAnswer> {
    try {
      return await this.#present().link.call('answer', { id, body, address }, undefined, ownMemoryOf(body));
    } catch (error) {
      if (!(error instanceof ThreadEnded && error.isOutOfMemory && this.#writing.has(id))) throw error;
      throw new Error('the thread for large requests ended during a write, which may have been committed', {
        cause: error,
      });
    }
  }

  #present(): Running {
    this.#running ??= this.#startThread();
    return this.#running;
  }

  #startThread(): Running {
    const thread = this.#makeThread();
    const { host, embedder, counter } = this.#options;
    const calls = new ThreadCalls(counter);
    const link = new ThreadLink<LargeThreadCalls, LargeThreadHost>(
      thread,
      {
        ...host,
        beginWrite: (id) => this.#writing.add(id),
        embed: ({ id, texts }) => embedder.embedTextsFor((name) => this.#headers.get(id)?.(name))(texts),
        countCall: (call) => calls.count(call),
      },
      largeThreadErrors,
    );
    thread.listen({
      onReply: (message) => link.receive(message),
      onEnd: (ended) => {
        if (this.#running?.link === link) this.#running = undefined;
        calls.end();
        link.end(ended);
      },
    });
    return { link, thread };
  }

  #makeThread(): WorkerThread<LinkMessage, LinkMessage> {
    const { data, heapMb = ordinaryHeapMb } = this.#options;
    try {
      return new WorkerThread({
        name: 'the thread for large requests',
        module: new URL('./large-request-thread.js', import.meta.url),
        settings: data,
        resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
      });
    } catch (cause) {
      throw new NoRoomForLargeRequest('its thread could not be started', { cause });
    }
  }

  /** A thread that does not end in time works for disconnected clients; the main thread has all of its writes. */
  async #endThread(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.thread.close(closeTimeoutMs);
  }
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
