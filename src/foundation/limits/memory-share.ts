// A share of the memory that the process spends on requests and replies under way: who takes some gives it back.

/** Memory that was taken. */
export interface Lease {
  /** What is held, in bytes. */
  readonly bytes: number;
  /** Gives back what is held beyond `bytes`; does nothing where less is held. */
  shrinkTo(bytes: number): void;
  /** Gives all of it back. Doing so again does nothing. */
  release(): void;
}

interface Waiting {
  readonly bytes: number;
  readonly take: (lease: Lease) => void;
}

/**
 * Counts the bytes that are taken. Of those that wait for some, the one that came first and the smallest get theirs in
 * turn: a small one does not wait behind many large ones, and a stream of small ones keeps no large one waiting.
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

  /** Taken and not given back. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether somebody waits for memory that others hold. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** How often there was none for somebody who did not wait. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * Takes memory at once; undefined where it does not fit or others wait for theirs. `beyondBytes`: how far above the
   * total it may go, for small things that need not wait behind large ones.
   */
  tryTake(bytes: number, beyondBytes = 0): Lease | undefined {
    const isNext = beyondBytes > 0 || this.#waiting.size === 0;
    if (isNext && this.#usedBytes + bytes <= this.totalBytes + beyondBytes) return this.takeAnyway(bytes);
    this.#refusals += 1;
    return undefined;
  }

  /** Takes memory whether or not it fits: for what exists already and must not be thrown away. */
  takeAnyway(bytes: number): Lease {
    this.#usedBytes += bytes;
    return new Taken(bytes, (given) => this.#giveBack(given));
  }

  /**
   * Takes memory as soon as its turn comes and it fits; `onTaken` may be called at once. What is larger than
   * the whole share gets the whole share. The result stops the waiting.
   */
  takeWhenFree(bytes: number, onTaken: (lease: Lease) => void): () => void {
    const waiting: Waiting = { bytes: Math.min(bytes, this.totalBytes), take: onTaken };
    this.#waiting.add(waiting);
    this.#handOut();
    return () => {
      if (this.#waiting.delete(waiting)) this.#handOut();
    };
  }

  #giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#handOut();
  }

  #handOut(): void {
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
  readonly #giveBack: (bytes: number) => void;

  constructor(bytes: number, giveBack: (bytes: number) => void) {
    this.#bytes = bytes;
    this.#giveBack = giveBack;
  }

  get bytes(): number {
    return this.#bytes;
  }

  shrinkTo(bytes: number): void {
    const surplus = this.#bytes - bytes;
    if (surplus <= 0) return;
    this.#bytes = bytes;
    this.#giveBack(surplus);
  }

  release(): void {
    this.shrinkTo(0);
  }
}
