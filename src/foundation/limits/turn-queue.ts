// Lets a few things happen at the same time; others wait for their turn, in order, and not for ever.

/** How many run and wait. */
export interface TurnLimits {
  /** What those that run may weigh together. */
  readonly places: number;
  readonly mostWaiting: number;
  readonly longestWaitMs: number;
}

/** No turn came: too many wait, or the wait was too long, or the queue is closed. The message says which. */
export class NoTurn extends Error {}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
  readonly refuse: (problem: string) => void;
}

/** A queue for places. */
export class TurnQueue {
  readonly #limits: TurnLimits;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  #isClosed = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.#taken === 0 && this.#waiting.size === 0;
  }

  /**
   * Runs work when its turn comes; `weight`: how many places it takes. Rejects with NoTurn, or as the work does.
   */
  async run<Result>(weight: number, work: () => Promise<Result>): Promise<Result> {
    await this.#takeTurn(weight);
    try {
      return await work();
    } finally {
      this.#taken -= weight;
      this.#beginNext();
    }
  }

  /** Refuses what waits and what comes; what runs goes on. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.refuse('the server is shutting down');
  }

  #takeTurn(weight: number): Promise<void> {
    const { places, mostWaiting, longestWaitMs } = this.#limits;
    if (this.#isClosed) return Promise.reject(new NoTurn('the server is shutting down'));
    if (this.#waiting.size === 0 && this.#taken + weight <= places) {
      this.#taken += weight;
      return Promise.resolve();
    }
    if (this.#waiting.size >= mostWaiting)
      return Promise.reject(new NoTurn(`${mostWaiting} requests wait already`));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
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
          reject(new NoTurn(problem));
        },
      };
      const timer = setTimeout(() => {
        waiting.refuse(`its turn did not come within ${longestWaitMs} ms`);
        this.#beginNext();
      }, longestWaitMs);
      this.#waiting.add(waiting);
    });
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#taken + waiting.weight > this.#limits.places) return;
      waiting.begin();
    }
  }
}
