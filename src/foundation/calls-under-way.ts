// Remembers the calls that are under way, so that a close or a change can wait for them.

/** The calls of one object that have begun and not ended, each with what it is about. */
export class CallsUnderWay<About = unknown> {
  readonly #calls = new Map<Promise<unknown>, About | undefined>();

  get count(): number {
    return this.#calls.size;
  }

  /** Begins a call; resolves or rejects as it does. */
  async run<Result>(call: () => Promise<Result>, about?: About): Promise<Result> {
    const running = call();
    this.#calls.set(running, about);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Resolves when the calls that are under way now, all or those that are meant, have ended or failed. */
  async ended(isMeant: (about: About | undefined) => boolean = () => true): Promise<void> {
    await Promise.allSettled([...this.#calls].filter(([, about]) => isMeant(about)).map(([call]) => call));
  }
}
