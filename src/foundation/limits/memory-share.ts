// A share of the memory for requests and replies under way: code that takes memory must release it.

/** Memory that was taken. */
export interface Lease {
  /** The bytes that are held. */
  readonly bytes: number;
  /** Releases what is held beyond `bytes`; does nothing if less is held. */
  shrinkTo(bytes: number): void;
  /** Releases all of it. A second call does nothing. */
  release(): void;
}

interface Waiting {
  readonly bytes: number;
  readonly take: (lease: Lease) => void;
}

/**
 * Counts the bytes that are taken. Of the waiting requests, the oldest and the smallest get memory
 * alternately: a small one does not wait for many large ones, and many small ones do not delay a large one forever.
 */
export class MemoryShare {
  readonly totalBytes: number;
  #usedBytes = 0;
  #refusals = 0;
  #isSmallestNext = true;
  readonly #waiting = new Set<Waiting>();

  constructor(totalBytes: number) {
    this.totalBytes = totalBytes;
  }

  /** Bytes that were taken and not released. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether a request waits for memory that others hold. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** How often a request that could not wait got no memory. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * Takes memory immediately; undefined if it does not fit or others wait. `beyondBytes`: how far above the
   * total it may go, for small requests that need not wait for large ones.
   */
  tryTake(bytes: number, beyondBytes = 0): Lease | undefined {
    const isNext = beyondBytes > 0 || this.#waiting.size === 0;
    if (isNext && this.#usedBytes + bytes <= this.totalBytes + beyondBytes) return this.takeAnyway(bytes);
    this.#refusals += 1;
    return undefined;
  }

  /** Takes memory whether or not it fits: for data that exists already and must not be discarded. */
  takeAnyway(bytes: number): Lease {
    this.#usedBytes += bytes;
    return new Taken(bytes, (given) => this.#returnBytes(given));
  }

  /**
   * Takes memory when it is first in the queue and fits; `onTaken` may be called immediately. A request larger than
   * the whole share gets the whole share. The result cancels the waiting.
   */
  takeWhenFree(bytes: number, onTaken: (lease: Lease) => void): () => void {
    const waiting: Waiting = { bytes: Math.min(bytes, this.totalBytes), take: onTaken };
    this.#waiting.add(waiting);
    this.#grantWaiting();
    return () => {
      if (this.#waiting.delete(waiting)) this.#grantWaiting();
    };
  }

  #returnBytes(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#usedBytes + next.bytes > this.totalBytes) return;
      this.#waiting.delete(next);
      this.#isSmallestNext = !this.#isSmallestNext;
      next.take(this.takeAnyway(next.bytes));
    }
  }

  #next(): Waiting | undefined {
    let [next] = this.#waiting;
    if (!this.#isSmallestNext) return next;
    for (const waiting of this.#waiting) if (next === undefined || waiting.bytes < next.bytes) next = waiting;
    return next;
  }
}

class Taken implements Lease {
  #bytes: number;
  readonly #onReturn: (bytes: number) => void;

  constructor(bytes: number, onReturn: (bytes: number) => void) {
    this.#bytes = bytes;
    this.#onReturn = onReturn;
  }

  get bytes(): number {
    return this.#bytes;
  }

  shrinkTo(bytes: number): void {
    const surplus = this.#bytes - bytes;
    if (surplus <= 0) return;
    this.#bytes = bytes;
    this.#onReturn(surplus);
  }

  release(): void {
    this.shrinkTo(0);
  }
}
