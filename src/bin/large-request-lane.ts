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
import { NoTurn, TurnQueue } from '../foundation/limits/turn-queue.js';
import { ownMemoryOf, ThreadLink } from '../foundation/threads/thread-link.js';
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
}

/** Requests that run at the same time; one with a body over `halfBytes` counts as all of them. */
const places = 2;
const halfBytes = 4 * 1024 * 1024;
const mostWaiting = 256;
const longestWaitMs = 10_000;
/** What the thread holds is given back when nobody has needed it for a while. */
const idleMs = 10_000;
/** A body of the most values, twice: as it was parsed, and as values of columns. */
const resourceLimits = { maxOldGenerationSizeMb: 640, maxYoungGenerationSizeMb: 32 } as const;

interface Running {
  readonly link: ThreadLink<LargeThreadCalls, LargeThreadHost>;
  readonly exited: Promise<void>;
}

/** Answers large requests in a thread that is there as long as there are some. */
export class LargeRequestLane implements LargeRequests {
  readonly #options: LargeRequestOptions;
  readonly #turns = new TurnQueue({ places, mostWaiting, longestWaitMs });
  readonly #headers = new Map<number, ReadHeader>();
  #thread: Running | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LargeRequestOptions) {
    this.#options = options;
  }

  async answer(body: Buffer, address: Address, header: ReadHeader): Promise<LargeAnswer> {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#headers.set(id, header);
    try {
      const weight = body.length > halfBytes ? places : 1;
      return await this.#turns.run(weight, () => this.#ask(id, body, address));
    } catch (error) {
      if (error instanceof NoTurn) throw new NoRoomForLargeRequest(error.message);
      throw error;
    } finally {
      this.#headers.delete(id);
      if (this.#turns.isIdle) this.#idle = setTimeout(() => void this.#endThread(), idleMs).unref();
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
    return link.call('answer', { id, body, address }, undefined, ownMemoryOf(body));
  }

  #startThread(): Running {
    const worker = this.#makeWorker();
    const { host, embedder, counter } = this.#options;
    const link = new ThreadLink<LargeThreadCalls, LargeThreadHost>(
      worker,
      {
        ...host,
        embed: ({ id, texts }) => embedder.embedTextsFor((name) => this.#headers.get(id)?.(name))(texts),
        countCall: (call) => count(call, counter),
      },
      largeThreadErrors,
    );
    const end = (cause: Error) => {
      if (this.#thread?.link === link) this.#thread = undefined;
      link.end(new NoRoomForLargeRequest('it took more memory than large requests may take', { cause }));
    };
    worker.on('error', end);
    const exited = new Promise<void>((resolve) => {
      worker.on('exit', (code) => {
        end(new Error(`the thread for large requests ended with code ${code}`));
        resolve();
      });
    });
    return { link, exited };
  }

  #makeWorker(): Worker {
    try {
      const file = new URL('./large-request-thread.js', import.meta.url);
      return new Worker(file, { workerData: this.#options.data, resourceLimits });
    } catch (cause) {
      throw new NoRoomForLargeRequest('its thread could not be started', { cause });
    }
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.link.tell('close', undefined);
    await thread?.exited;
  }
}

function count(call: CountedCall, counter: CallCounter): void {
  switch (call.step) {
    case 'begin':
      counter.beginCall(call.kind);
      return;
    case 'suspend':
      counter.suspendCall(call.kind);
      return;
    case 'end':
      counter.endCall(call.kind, call.elapsedMs, call.keyspace, call.table);
  }
}
