// Statements of one turn of the event loop are sent together.

/**
 * The driver writes what it is given without a pause as one packet. Requests arrive one after another, each in a
 * callback of its own: if they did not wait for the others of the turn, each statement would be a packet, for us to
 * send and for the node to receive. Bounded by the queue of statements, which gives them their turn.
 */
export class SendTurns {
  #waiting: (() => void)[] = [];

  /** Resolves at the end of this turn of the event loop, for all who wait at the same time. */
  next(): Promise<void> {
    if (this.#waiting.length === 0) setImmediate(() => this.#begin());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
