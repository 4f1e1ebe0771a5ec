// The client of the thread for large requests, on the main thread. A few requests run at a time; others wait.
import type {
  EmbeddedTexts,
  Embedder,
  EmbedTexts,
  TextToEmbed,
} from '../../data-service/commands/embed-texts.js';
import type { Reranker } from '../../data-service/commands/rank-documents.js';
import type { ReadHeader } from '../../data-service/embedding/find-credential.js';
import type { CallCounter, EngineWatch } from '../../data-service/engine/checked-engine.js';
import type { HostedThread } from '../../data-service/engine/engine-module.js';
import {
  type LargeAnswer,
  type LargeRequest,
  type LargeRequests,
  NoRoomForLargeRequest,
} from '../../data-service/http/large-requests.js';
import { getOrMake } from '../../foundation/get-or-make.js';
import { NotBegun, type WhenGone, WorkQueue } from '../../foundation/limits/work-queue.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf, ThreadEnded, WorkerThread } from '../../foundation/threads/worker-thread.js';
import {
  type CountedCall,
  type LargeThreadCalls,
  type LargeThreadData,
  type LargeThreadHost,
  largeThreadErrors,
} from './large-request-messages.js';

/** What the thread client needs. */
export interface LargeRequestOptions {
  readonly data: LargeThreadData;
  /** See `OpenEngine`. */
  readonly hostThread: () => HostedThread<object>;
  readonly embedder: Pick<Embedder, 'embedTextsFor'>;
  readonly reranker: Pick<Reranker, 'rankPassagesFor'>;
  /** Learns of the calls of the engine in the thread. */
  readonly watch: Pick<EngineWatch, 'counter' | 'onWritten'>;
  /** Tests only: the maximum size of the thread's heap, in MiB. */
  readonly heapMb?: number;
}

/** The number of requests that run at the same time; one with a body over `halfBytes` takes all places. */
const places = 2;
const halfBytes = 4 * 1024 * 1024;
const mostWaiting = 256;
const longestWaitMs = 10_000;
/** After so long without large requests the thread ends and releases its memory. */
const idleMs = 10_000;
/** The whole process must stop within seconds. */
const closeTimeoutMs = 1000;
/** Room for a body with the maximum number of values, twice: parsed, and as column values. */
const ordinaryHeapMb = 512;
const youngHeapMb = 32;

interface Running {
  readonly link: ThreadLink<LargeThreadCalls, LargeThreadHost>;
  readonly thread: WorkerThread<LinkMessage, LinkMessage>;
}

/** Answers large requests in a thread, which runs only while there are any. */
export class LargeRequestThreadClient implements LargeRequests {
  readonly #options: LargeRequestOptions;
  readonly #queue = new WorkQueue({ places, mostWaiting, longestWaitMs });
  readonly #headers = new Map<number, ReadHeader>();
  /** What embeds the texts of each request, also where the thread plans it several times. */
  readonly #embedding = new Map<number, EmbedTexts>();
  #running: Running | undefined;
  #lastId = 0;
  /** Requests that have written or may have written. */
  readonly #writing = new Set<number>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LargeRequestOptions) {
    this.#options = options;
  }

  async answer(request: LargeRequest, onGone?: WhenGone): Promise<LargeAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#headers.set(id, request.header);
    try {
      const weight = request.body.length > halfBytes ? places : 1;
      return await this.#inQueue(weight, () => this.#ask(id, request), onGone);
    } finally {
      this.#headers.delete(id);
      this.#embedding.delete(id);
      this.#writing.delete(id);
    }
  }

  /**
   * Runs a native query whose rows are large: see `LargeThreadCalls`. One that waits leaves the queue when `signal` is
   * aborted.
   */
  async runNative(query: string, signal: AbortSignal): Promise<MovedResult<Uint8Array>> {
    const ask = () => this.#present().link.call('runNative', query);
    const whenGone: WhenGone = (listener) =>
      signal.aborted ? listener() : signal.addEventListener('abort', listener);
    const packed = await this.#inQueue(1, ask, whenGone);
    return new MovedResult(packed, ownMemoryOf(packed));
  }

  /**
   * Refuses waiting requests and ends the thread. All requests under way have been answered or are past their time
   * limit.
   */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#queue.close();
    await this.#endThread();
  }

  /** Runs `ask` when its turn comes. Rejects with NoRoomForLargeRequest if the queue is full or there is no memory. */
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

  async #ask(id: number, { body, address, user, onlyReads }: LargeRequest): Promise<LargeAnswer> {
    try {
      const { link } = this.#present();
      return await link.call('answer', { id, body, address, user, onlyReads }, undefined, ownMemoryOf(body));
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
    const { data, hostThread, reranker, watch } = this.#options;
    const host = hostThread();
    const calls = new ThreadCalls(watch.counter);
    const link = new ThreadLink<LargeThreadCalls, LargeThreadHost>(
      thread,
      {
        ...host.calls,
        beginWrite: (id) => this.#writing.add(id),
        noteWrite: (problem) => watch.onWritten?.(problem),
        embed: ({ id, texts }) => this.#embed(id, texts),
        rank: ({ id, passages }) =>
          reranker.rankPassagesFor((name) => this.#headers.get(id)?.(name))(passages),
        countCall: (call) => calls.count(call),
      },
      largeThreadErrors(data.config),
    );
    thread.listen({
      onReply: (message) => link.receive(message),
      onEnd: (ended) => {
        if (this.#running?.link === link) this.#running = undefined;
        calls.end();
        host.ended();
        link.end(ended);
      },
    });
    return { link, thread };
  }

  #embed(id: number, texts: readonly TextToEmbed[]): Promise<EmbeddedTexts> {
    const header = this.#headers.get(id) ?? (() => undefined);
    const { embedder } = this.#options;
    return getOrMake(this.#embedding, id, () => embedder.embedTextsFor(header))(texts);
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

  /** A thread that does not end in time works for disconnected clients; all its writes have reached the main thread. */
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
