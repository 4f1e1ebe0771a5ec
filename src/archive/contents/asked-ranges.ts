// The side of the main thread of `RangeReader`.
import type { RangesOrProblem, ReadRanges } from './range-reader.js';

/** The archive cannot be read now. The message is for the user. */
export class RangesNotRead extends Error {}

interface Waiting {
  readonly promise: Promise<ReadRanges>;
  readonly resolve: (ranges: ReadRanges) => void;
  readonly reject: (error: Error) => void;
}

/** Asks a thread for the ranges of its archive, once at a time. */
export class AskedRanges {
  readonly #ask: () => void;
  #waiting: Waiting | undefined;
  #hasEnded = false;

  /** `ask` sends the request to the thread. */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  /** Calls before the answer share it. @throws RangesNotRead */
  read(): Promise<ReadRanges> {
    if (this.#waiting === undefined) {
      let [resolve, reject]: [Waiting['resolve'], Waiting['reject']] = [() => {}, () => {}];
      const promise = new Promise<ReadRanges>((...settle) => {
        [resolve, reject] = settle;
      });
      this.#waiting = { promise, resolve, reject };
      if (this.#hasEnded) this.end();
      else this.#ask();
      return promise;
    }
    return this.#waiting.promise;
  }

  /** Takes the answer of the thread. */
  answer(answer: RangesOrProblem): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if ('ranges' in answer) waiting?.resolve(answer.ranges);
    else waiting?.reject(new RangesNotRead(answer.problem));
  }

  /** The thread has ended. */
  end(): void {
    this.#hasEnded = true;
    this.answer({ problem: 'the server closes its archive: try again' });
  }
}
