// Lets the writes of one document by this thread wait for each other: at the same time, only one of them could succeed.
import { EngineError } from '../../engine-error.js';

/** Writes of one document that wait for their turn. */
const mostWaiting = 1_000;

/** What a write comes to, and what it knows of the document at its end: nothing, if that is undefined. */
export interface Turned<Result, Left> {
  readonly result: Result;
  readonly left: Left | undefined;
}

/** A write that waits for its turn. */
interface WaitingWrite<Left> {
  readonly session: object;
  readonly begin: (left: Left | undefined) => void;
}

/** The turns of all documents. `Left`: what a write leaves for the next one, which need not read it then. */
export class KeyTurns<Left> {
  /** The waiting writes in their order, by the key of a document whose turn is taken. */
  readonly #waiting = new Map<string, WaitingWrite<Left>[]>();

  /**
   * Runs work behind the work on the same key. Work in another session gets nothing that was left: its user may not be
   * permitted to read it. Rejects as the work does, or with EngineError `overloaded`.
   */
  async run<Result>(
    key: string,
    session: object,
    work: (left: Left | undefined) => Promise<Turned<Result, Left>>,
  ): Promise<Result> {
    const waiting = this.#waiting.get(key);
    let left: Left | undefined;
    if (waiting === undefined) this.#waiting.set(key, []);
    else left = await this.#turn(waiting, session);
    let own: Left | undefined;
    try {
      const turned = await work(left);
      own = turned.left;
      return turned.result;
    } finally {
      const next = this.#waiting.get(key)?.shift();
      if (next === undefined) this.#waiting.delete(key);
      else next.begin(next.session === session ? own : undefined);
    }
  }

  #turn(waiting: WaitingWrite<Left>[], session: object): Promise<Left | undefined> {
    if (waiting.length >= mostWaiting) {
      const problem = `${mostWaiting} writes of the same document are already waiting`;
      return Promise.reject(new EngineError('overloaded', problem));
    }
    return new Promise((begin) => {
      waiting.push({ session, begin });
    });
  }
}
