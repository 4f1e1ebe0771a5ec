// Remembers the calls that are under way, so that a close can wait for them.

/** The calls of one object that have begun and not ended. */
export class CallsUnderWay {
  readonly #calls = new Set<Promise<unknown>>();

  get count(): number {
    return this.#calls.size;
  }

  /** Begins a call; resolves or rejects as it does. */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    const running = call();
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Resolves when the calls that are under way now have ended or failed. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}
