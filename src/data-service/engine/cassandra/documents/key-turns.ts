// Lets the writes of one document by this thread wait for each other: at the same time, only one of them could succeed.
import { EngineError } from '../../engine-error.js';

/** Writes of one document that wait for their turn. */
const mostWaiting = 1_000;

/** What a write comes to, and what it knows of the document at its end: nothing, if that is undefined. */
export interface Turned<Result, Left> {
  readonly result: Result;
  readonly left: Left | undefined;
}

/** The turns of all documents. `Left`: what a write leaves for the next one, which need not read it then. */
export class KeyTurns<Left> {
  /** The functions that begin the waiting writes, in their order, by the key of a document whose turn is taken. */
  readonly #waiting = new Map<string, ((left: Left | undefined) => void)[]>();

  /** Runs work behind the work on the same key. Rejects as it does, or with EngineError `overloaded`. */
  async run<Result>(
    key: string,
    work: (left: Left | undefined) => Promise<Turned<Result, Left>>,
  ): Promise<Result> {
    const waiting = this.#waiting.get(key);
    let left: Left | undefined;
    if (waiting === undefined) this.#waiting.set(key, []);
    else left = await this.#turn(waiting);
    let own: Left | undefined;
    try {
      const turned = await work(left);
      own = turned.left;
      return turned.result;
    } finally {
      const next = this.#waiting.get(key)?.shift();
      if (next === undefined) this.#waiting.delete(key);
      else next(own);
    }
  }

  #turn(waiting: ((left: Left | undefined) => void)[]): Promise<Left | undefined> {
    if (waiting.length >= mostWaiting) {
      const problem = `${mostWaiting} writes of the same document are already waiting`;
      return Promise.reject(new EngineError('overloaded', problem));
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  }
}
