// Limits how much work runs at the same time; other work waits in order, for a limited time.

/** Limits of running and waiting work. */
export interface WorkQueueLimits {
  /** The maximum sum of the weights of running work. */
  readonly places: number;
  readonly mostWaiting: number;
  /** The maximum sum of the weights of waiting work. Default: unlimited. */
  readonly mostWaitingWeight?: number;
  /** Without it, work waits without a time limit. */
  readonly longestWaitMs?: number;
}

/** The work was not begun: too many wait, or the wait was too long, or the queue is closed. The message says which. */
export class NotBegun extends Error {}

/** Registers a listener for the cancellation of the work. */
export type WhenGone = (listener: () => void) => void;

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
  readonly refuse: (problem: string) => void;
}

/** A queue for concurrent work. */
export class WorkQueue {
  readonly #limits: WorkQueueLimits;
  readonly #waiting = new Set<Waiting>();
  readonly #onIdle: (() => void)[] = [];
  #count = 0;
  #taken = 0;
  #waitingWeight = 0;
  #isClosed = false;

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits;
  }

  /** Whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** The number of pieces of work that run or wait. */
  get count(): number {
    return this.#count;
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  /**
   * Runs work when it is first in the queue; `weight`: how much of the limit it takes. Cancelled work leaves the
   * queue. Rejects with NotBegun, or as the work does.
   */
  async run<Result>(weight: number, work: () => Promise<Result>, whenGone?: WhenGone): Promise<Result> {
    this.#count += 1;
    try {
      await this.#takePlace(weight, whenGone);
      try {
        return await work();
      } finally {
        this.#taken -= weight;
        this.#beginNext();
      }
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  /** Refuses waiting and later work; running work continues. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.refuse('the server is shutting down');
  }

  #takePlace(weight: number, whenGone?: WhenGone): Promise<void> {
    const { places, mostWaiting, mostWaitingWeight = Number.POSITIVE_INFINITY, longestWaitMs } = this.#limits;
    if (this.#isClosed) return Promise.reject(new NotBegun('the server is shutting down'));
    if (this.#waiting.size === 0 && this.#taken + weight <= places) {
      this.#taken += weight;
      return Promise.resolve();
    }
    if (this.#waiting.size >= mostWaiting)
      return Promise.reject(new NotBegun(`${mostWaiting} requests are already waiting`));
    if (this.#waitingWeight + weight > mostWaitingWeight)
      return Promise.reject(new NotBegun('the requests that are already waiting are too large'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        this.#waitingWeight -= weight;
      };
      const waiting: Waiting = {
        weight,
        begin: () => {
          leave();
          this.#taken += weight;
          resolve();
        },
        refuse: (problem) => {
          leave();
          reject(new NotBegun(problem));
          this.#beginNext();
        },
      };
      const timer =
        longestWaitMs === undefined
          ? undefined
          : setTimeout(() => waiting.refuse(`it waited longer than ${longestWaitMs} ms`), longestWaitMs);
      this.#waiting.add(waiting);
      this.#waitingWeight += weight;
      whenGone?.(() => {
        if (this.#waiting.has(waiting)) waiting.refuse('its client disconnected');
      });
    });
  }

  #beginNext(): void {
    if (this.#isClosed) return;
    for (const waiting of this.#waiting) {
      if (this.#taken + waiting.weight > this.#limits.places) return;
      waiting.begin();
    }
  }
}
