// Bounds work on files that may never end: a file server that does not answer keeps a call of the system for ever.

/** Work was given up, because the file system did not answer. */
export class NoAnswer extends Error {}

/** Shows work whether its caller still waits for it. */
export interface Wanted {
  /** Call it between two steps that change something. @throws NoAnswer if nobody waits any more */
  expectWanted(): void;
}

type Work<Result> = (wanted: Wanted) => Promise<Result>;

/** One object is at most 8 MiB. A disk that was asleep needs some seconds. */
const usualLimitMs = 20_000;
/** While a call hangs, others are likely to hang, too. */
const limitBehindHangingMs = 1_000;

/** Does a few pieces of work at a time, and gives up those that take too long. */
export class BoundedCalls {
  readonly #mostAtOnce: number;
  readonly #limitMs: number;
  #running = 0;
  /** Work that was given up, and continues until the system answers. */
  #hanging = 0;
  readonly #waiting = new Set<Call>();

  /** `mostAtOnce`: each call of the system that hangs keeps one of the four threads which Node has for them. */
  constructor(mostAtOnce: number, limitMs = usualLimitMs) {
    this.#mostAtOnce = mostAtOnce;
    this.#limitMs = limitMs;
  }

  /** Whether work that was given up has not ended. */
  get hangs(): boolean {
    return this.#hanging > 0;
  }

  /** How many pieces of work wait for their turn. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with the result of the work. When the time is over or the signal aborts, it rejects with NoAnswer; the
   * work then ends at its next `expectWanted`. Rejects with the error of the work.
   */
  async run<Result>(work: Work<Result>, signal?: AbortSignal): Promise<Result> {
    const call = new Call();
    const limitMs = this.#hanging > 0 ? Math.min(limitBehindHangingMs, this.#limitMs) : this.#limitMs;
    const timer = setTimeout(() => call.giveUp(), limitMs);
    const abort = () => call.giveUp();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) call.giveUp();
    try {
      return await Promise.race([this.#perform(call, work), call.givenUp]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #perform<Result>(call: Call, work: Work<Result>): Promise<Result> {
    call.expectWanted();
    if (this.#running < this.#mostAtOnce) this.#running += 1;
    else {
      this.#waiting.add(call);
      // Behind work that hangs for days, what was given up must not be kept.
      call.onGiveUp = () => this.#waiting.delete(call);
      await call.turn;
    }
    let hangs = false;
    call.onGiveUp = () => {
      hangs = true;
      this.#hanging += 1;
    };
    try {
      call.expectWanted();
      return await work(call);
    } finally {
      call.onGiveUp = undefined;
      if (hangs) this.#hanging -= 1;
      this.#next();
    }
  }

  /** The next work has the place of the one that ended. */
  #next(): void {
    const [call] = this.#waiting;
    if (call === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(call);
    call.begin();
  }
}

/** One piece of work, which waits, runs, or was given up. */
class Call implements Wanted {
  /** Resolves when it may run. */
  readonly turn: Promise<void>;
  /** It never resolves. */
  readonly givenUp: Promise<never>;
  isWanted = true;
  /** Called if it is given up. */
  onGiveUp: (() => void) | undefined;
  #begin: () => void = () => {};
  #reject: (error: NoAnswer) => void = () => {};

  constructor() {
    this.turn = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.givenUp = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.givenUp.catch(() => {}); // it may be given up when its result is there already
  }

  begin(): void {
    this.#begin();
  }

  giveUp(): void {
    if (!this.isWanted) return;
    this.isWanted = false;
    this.onGiveUp?.();
    this.#reject(new NoAnswer('it does not answer'));
  }

  expectWanted(): void {
    if (!this.isWanted) throw new NoAnswer('it does not answer');
  }
}
