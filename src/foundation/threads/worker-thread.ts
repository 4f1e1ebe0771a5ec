// The owner's side of a worker thread: its start, the messages to it and from it, and its end.
// `serve-thread.ts` is the other side.
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { waitAtMost } from '../wait-at-most.js';

/** Memory that is moved with a message: the sender can no longer use it. */
export type Moved = readonly ArrayBuffer[];

/**
 * The memory of bytes that can be moved: none if they share it with other bytes, or if they are none. The same empty
 * bytes are used by many requests, and Node 24 moves them only once.
 */
export function ownMemoryOf({ buffer, byteLength }: Uint8Array): Moved {
  if (byteLength === 0) return [];
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** How a thread is started. */
export interface ThreadStart {
  /** For error messages: `the page thread`. */
  readonly name: string;
  /** The compiled module, which calls `serveThread`. */
  readonly module: URL;
  /** Plain data, copied to the thread at its start. */
  readonly settings: object;
  readonly resourceLimits?: ResourceLimits;
}

/** The owner's reactions to its thread. */
export interface ThreadListener<Reply> {
  /** Called for each message of the thread until it has ended. */
  onReply(reply: Reply): void;
  /**
   * Called once, when the thread has ended for any reason: no further reply comes. Requests under way must be
   * settled here.
   */
  onEnd(ended: ThreadEnded): void;
}

/** A thread has ended; its unanswered requests fail with this error. */
export class ThreadEnded extends Error {
  /** Whether its owner requested the end. */
  readonly wasAsked: boolean;
  /** Whether it needed more memory than its `resourceLimits` allow. */
  readonly isOutOfMemory: boolean;

  /** `cause` is the error that ended it; undefined for one that ended with an exit code. */
  constructor(message: string, wasAsked: boolean, cause?: Error) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasAsked = wasAsked;
    this.isOutOfMemory = cause !== undefined && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  }
}

/** A worker thread. Requests and replies are objects; strings are reserved for the lifecycle. */
export class WorkerThread<Request extends object, Reply extends object> {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** Resolves when the work of the thread is closed, which only has to end then. */
  readonly #workClosed: Promise<void>;
  #listener: ThreadListener<Reply> | undefined;
  #isReady = false;
  #isClosing = false;
  #ended: ThreadEnded | undefined;
  /** Resolves when the thread is ready. Rejects with ThreadEnded when it ends before that. */
  readonly ready: Promise<void>;

  /** Starts the thread, which loads while its owner continues. @throws Error if the system allows no thread */
  constructor({ name, module, settings, resourceLimits }: ThreadStart) {
    const worker = new Worker(module, {
      workerData: settings,
      // Options of the program that starts a server are not for its threads: --input-type fails, --import runs hooks.
      execArgv: [],
      ...(resourceLimits !== undefined && { resourceLimits }),
    });
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.on('exit', () => resolve()));
    let closed: () => void;
    this.#workClosed = new Promise((resolve) => {
      closed = resolve;
    });
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (message: Reply | 'ready' | 'closed') => {
        if (message === 'closed') closed();
        else if (message !== 'ready') {
          if (this.#ended === undefined) this.#listener?.onReply(message);
        } else {
          this.#isReady = true;
          resolve();
        }
      });
      const end = (problem: string, cause?: Error) => {
        if (this.#ended !== undefined) return;
        this.#ended = new ThreadEnded(`${name} ended${problem}`, this.#isClosing, cause);
        reject(this.#ended);
        this.#listener?.onEnd(this.#ended);
      };
      worker.on('error', (error: Error) => end(`: ${error.message}`, error));
      worker.on('exit', (code) => end(` with code ${code}`));
    });
    this.ready.catch(() => {}); // owners that do not wait for `ready` are notified by `onEnd`
  }

  /** Whether `ready` has resolved. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Sets the listener, before the first request. If the thread has ended already, `onEnd` is called. */
  listen(listener: ThreadListener<Reply>): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener.onEnd(this.#ended);
  }

  /** Sends a request, which is dropped once the thread has ended. @throws DataCloneError for what cannot be copied */
  post(request: Request, moved?: Moved): void {
    this.#worker.postMessage(request, moved);
  }

  /**
   * Ends the thread after the requests that were posted before; resolves when it has ended, with or without a failure.
   * After `timeoutMs`, if given, the thread is terminated.
   */
  async close(timeoutMs?: number): Promise<void> {
    this.#isClosing = true;
    this.#worker.postMessage('close');
    if (timeoutMs === undefined) {
      await this.#exited;
      return;
    }
    await waitAtMost(timeoutMs, this.#exited);
    await this.#worker.terminate();
  }

  /**
   * Closes a thread that a call of the system can keep for ever, such as one on a file server that does not answer. It
   * waits for the end of the work of the thread. If `isKept` returns true then, it waits for the thread for at most
   * `graceMs`. Returns whether the thread has ended.
   */
  async closeUnlessKept(isKept: () => boolean, graceMs: number): Promise<boolean> {
    let hasEnded = false;
    const end = this.close().then(() => {
      hasEnded = true;
    });
    await Promise.race([end, this.#workClosed]);
    if (isKept()) await waitAtMost(graceMs, end);
    else await end;
    return hasEnded;
  }
}
