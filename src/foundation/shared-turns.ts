// Shares the turns of the event loop: kinds of work that wait at the same time get the same time.
import type { Clock } from './telemetry/clock.js';

/**
 * Runs waiting work: at least one item, and more while `mayGoOn`. Returns whether more waits. The time of
 * what the items cause before the event loop continues, such as the reply to a request, counts as theirs.
 */
export type RunPiece = (mayGoOn: () => boolean) => boolean;

/** A kind of work that shares turns with others. */
export interface TurnShare {
  /**
   * Reports that an item came in. The work of the thread since the last one, such as reading and checking a request,
   * counts as its kind's.
   */
  arrive(): void;
  /** Reports that work waits. */
  wake(): void;
}

interface Kind {
  /** Undefined for new connections, whose work the event loop does. */
  readonly runPiece: RunPiece | undefined;
  /** How many times its time counts. */
  readonly weight: number;
  isWaiting: boolean;
  /** Weighted. */
  usedMs: number;
  lastRanMs: number;
}

/** How long the work of one turn may take; a piece that has begun runs to its end. */
const turnMs = 20;
/** Clients of a kind that ran this recently are about to send more: the others wait for them once they are ahead. */
const recentMs = 30;
/** A piece ends after so many items, because what they cause is not measured before its end. */
const itemsPerPiece = 32;
const pieceMs = 1;
/** Time that a kind did not use while nothing waited may be made up for, up to this. */
const creditMs = 4;
/**
 * A kind counts as having used at most this much more than the others, which is more than most pieces take: the time
 * after a turn for new connections counts as theirs, and they would wait for seconds.
 */
const debtMs = 16;
/**
 * The maximum time before an item that counts as its own: the event loop also reads input that belongs to no work that
 * waits, such as requests of a connection that is about to be closed. After a turn for new connections the rest is
 * theirs.
 */
const arrivalMs = 0.5;

/**
 * One kind alone gets all the time. Where several have work, the one that used least goes first, so that requests of
 * which more are waiting, or which take longer, do not delay the others by more than as much time again. A turn ends
 * early when only kinds that are ahead have work left: the others get their next items sooner.
 */
export class SharedTurns {
  readonly #clock: Clock;
  readonly #kinds: Kind[] = [];
  readonly #connections: Kind;
  #hasNewConnection = false;
  #isScheduled = false;
  #isInTurn = false;
  #turnEndsMs = 0;
  /** Until here all time is counted. */
  #countedToMs = 0;
  #running: Kind | undefined;
  /** What the kind that runs had used: those that begin to wait start from here. */
  #reachedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#connections = this.#add(undefined);
  }

  /**
   * Adds a kind of work. With a `weight` of 2 it gets half of the time that a kind of weight 1 gets, where both have
   * work.
   */
  share(runPiece: RunPiece, weight = 1): TurnShare {
    const kind = this.#add(runPiece, weight);
    return {
      arrive: () => this.#countArrival(kind),
      wake: () => {
        this.#wait(kind);
        this.#schedule();
      },
    };
  }

  /**
   * Reports that a connection was accepted. The event loop accepts one in each turn: where many come at once they need
   * many turns, so some turns do nothing else.
   */
  noteConnection(): void {
    this.#hasNewConnection = true;
  }

  #add(runPiece: RunPiece | undefined, weight = 1): Kind {
    const kind = { runPiece, weight, isWaiting: false, usedMs: 0, lastRanMs: Number.NEGATIVE_INFINITY };
    this.#kinds.push(kind);
    return kind;
  }

  #wait(kind: Kind): void {
    if (kind.isWaiting) return;
    kind.isWaiting = true;
    kind.usedMs = Math.max(kind.usedMs, this.#reachedMs - creditMs);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#countedToMs = this.#clock.monotonicMs(); // the thread may have waited until now
    setImmediate(() => this.#startTurn());
  }

  #countArrival(kind: Kind): void {
    if (this.#isInTurn || !this.#isScheduled) return; // the time until now may be that of a thread that waited
    const nowMs = this.#clock.monotonicMs();
    const elapsedMs = nowMs - this.#countedToMs;
    const ownMs = Math.min(elapsedMs, arrivalMs);
    kind.usedMs += ownMs * kind.weight;
    if (this.#running !== undefined) this.#running.usedMs += (elapsedMs - ownMs) * this.#running.weight;
    this.#countedToMs = nowMs;
  }

  #startTurn(): void {
    this.#charge();
    this.#isInTurn = true;
    if (this.#hasNewConnection) this.#wait(this.#connections);
    else this.#connections.isWaiting = false;
    this.#hasNewConnection = false;
    this.#turnEndsMs = this.#clock.monotonicMs() + turnMs;
    this.#runPiece(true);
  }

  /** The first piece of a turn runs whatever the time is: the thread may have been stopped in between. */
  #runPiece(isFirst = false): void {
    const nowMs = this.#charge();
    const next = this.#next();
    const kind = isFirst || (nowMs < this.#turnEndsMs && !this.#isAhead(next, nowMs)) ? next : undefined;
    if (kind !== undefined) {
      kind.lastRanMs = nowMs;
      this.#running = kind;
      this.#reachedMs = Math.max(this.#reachedMs, kind.usedMs);
    }
    if (kind?.runPiece === undefined) {
      this.#endTurn();
      return;
    }
    let itemsLeft = itemsPerPiece;
    kind.isWaiting = kind.runPiece(() => {
      itemsLeft -= 1;
      return itemsLeft > 0 && this.#clock.monotonicMs() - nowMs < pieceMs;
    });
    // Behind everything that the items caused: a tick that a microtask asks for waits for all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#runPiece()));
  }

  #endTurn(): void {
    this.#isInTurn = false;
    this.#isScheduled = false;
    if (this.#kinds.some(({ isWaiting }) => isWaiting)) this.#schedule();
  }

  /** Counts the time since the last piece began as its kind's. */
  #charge(): number {
    const nowMs = this.#clock.monotonicMs();
    if (this.#running !== undefined)
      this.#running.usedMs += (nowMs - this.#countedToMs) * this.#running.weight;
    this.#running = undefined;
    this.#countedToMs = nowMs;
    return nowMs;
  }

  /** Whether a kind used more than one that has nothing to do for the moment. */
  #isAhead(kind: Kind | undefined, nowMs: number): boolean {
    if (kind === undefined) return false;
    return this.#kinds.some(
      ({ runPiece, isWaiting, usedMs, lastRanMs }) =>
        runPiece !== undefined && !isWaiting && usedMs < kind.usedMs && nowMs - lastRanMs < recentMs,
    );
  }

  #next(): Kind | undefined {
    let next: Kind | undefined;
    for (const kind of this.#kinds) {
      if (kind.isWaiting && (next === undefined || kind.usedMs < next.usedMs)) next = kind;
    }
    if (next === undefined) return undefined;
    const mostMs = next.usedMs + debtMs;
    for (const kind of this.#kinds) kind.usedMs = Math.min(kind.usedMs, mostMs);
    return next;
  }
}

/** Runs work when the time of its kind has come, and returns its result. */
export type RunInTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A separate kind for work that takes the thread some milliseconds up to its first wait. */
export function turnsForWork(turns: SharedTurns): RunInTurn {
  const waiting: (() => void)[] = [];
  const share = turns.share(() => {
    waiting.shift()?.(); // one for each piece: what it does in promises counts at the end of the piece only
    return waiting.length > 0;
  });
  return (work) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(work()));
      share.arrive();
      share.wake();
    });
}
