// Shares the turns of the event loop: kinds of work that wait at the same time get the same time.
import type { Clock } from './telemetry/clock.js';

/**
 * Runs waiting work: at least one item, and more while `mayGoOn`. Returns whether more waits. Time that the items take
 * before the event loop continues, such as for the reply to a request, also counts for this kind.
 */
export type RunPiece = (mayGoOn: () => boolean) => boolean;

/** A kind of work that shares turns with others. */
export interface TurnShare {
  /**
   * Reports that an item arrived. The work of the thread since the last one, such as reading and checking a request,
   * counts for its kind.
   */
  arrive(): void;
  /** Reports that work waits. */
  wake(): void;
}

interface Kind {
  /** Undefined for new connections, whose work the event loop does. */
  readonly runPiece: RunPiece | undefined;
  /** The factor by which its time counts. */
  readonly weight: number;
  isWaiting: boolean;
  /** The time used, multiplied by the weight. */
  usedMs: number;
  lastRanMs: number;
}

/** The maximum time of one turn; a piece that has begun runs to its end. */
const turnMs = 20;
/** If a kind ran this recently, its clients will probably send more soon: kinds that are ahead wait for it. */
const recentMs = 30;
/** A piece ends after so many items, because the time of what they cause is only measured at its end. */
const itemsPerPiece = 32;
const pieceMs = 1;
/** A kind that did not use its time while nothing waited may use this much of it later. */
const creditMs = 4;
/**
 * A kind counts as at most this much ahead of the others, which is more than most pieces take. The time after a turn
 * for new connections counts for them; without this limit they would wait for seconds.
 */
const debtMs = 16;
/**
 * The maximum time before an item that counts for its kind: the event loop also reads input that belongs to no waiting
 * work, such as requests of a connection that is about to be closed. After a turn for new connections the rest counts
 * for them.
 */
const arrivalMs = 0.5;

/**
 * If only one kind has work, it gets all the time. If several have work, the one that used the least time runs first.
 * So requests that are numerous or slow delay requests of other kinds by at most as much time as those take themselves.
 * A turn ends early when only kinds that are ahead have work left: the others get their next items sooner.
 */
export class SharedTurns {
  readonly #clock: Clock;
  readonly #kinds: Kind[] = [];
  readonly #connections: Kind;
  #hasNewConnection = false;
  #isScheduled = false;
  #isInTurn = false;
  #turnEndsMs = 0;
  /** All time up to here is counted. */
  #countedToMs = 0;
  #running: Kind | undefined;
  /** The time that the running kind had used: kinds that begin to wait start from this value. */
  #reachedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#connections = this.#add(undefined);
  }

  /**
   * Adds a kind of work. With a `weight` of 2 it gets half of the time that a kind of weight 1 gets, if both have work.
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
   * Reports that a connection was accepted. The event loop accepts one in each turn: many connections at once need many
   * turns, so some turns do nothing else.
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
    if (this.#isInTurn || !this.#isScheduled) return; // the time until now may include time in which the thread waited
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

  /** The first piece of a turn always runs, whatever the time: the thread may have been stopped in between. */
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
    // Runs after everything that the items caused: a tick that a microtask requests waits for all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#runPiece()));
  }

  #endTurn(): void {
    this.#isInTurn = false;
    this.#isScheduled = false;
    if (this.#kinds.some(({ isWaiting }) => isWaiting)) this.#schedule();
  }

  /** Counts the time since the last piece began for its kind. */
  #charge(): number {
    const nowMs = this.#clock.monotonicMs();
    if (this.#running !== undefined)
      this.#running.usedMs += (nowMs - this.#countedToMs) * this.#running.weight;
    this.#running = undefined;
    this.#countedToMs = nowMs;
    return nowMs;
  }

  /** Whether a kind used more time than one that is idle at the moment. */
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

/** Runs work when it is the turn of its kind, and returns its result. */
export type RunInTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A separate kind for work that takes the thread some milliseconds before its first wait. */
export function turnsForWork(turns: SharedTurns): RunInTurn {
  const waiting: (() => void)[] = [];
  const share = turns.share(() => {
    waiting.shift()?.(); // one for each piece: the time of its promises is only counted at the end of the piece
    return waiting.length > 0;
  });
  return (work) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(work()));
      share.arrive();
      share.wake();
    });
}
