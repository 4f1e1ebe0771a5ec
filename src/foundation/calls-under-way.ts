// Remembers the calls that are under way, so that a close or a change can wait for them.

import { UnderWay } from './under-way.js';

interface Call<About> {
  readonly running: Promise<unknown>;
  readonly about: About | undefined;
}

/** The calls of one object that have begun and not ended, each with what it is about. */
export class CallsUnderWay<About = unknown> {
  readonly #calls = new UnderWay<Call<About>>();

  get count(): number {
    return this.#calls.count;
  }

  /** Begins a call; resolves or rejects as it does. */
  async run<Result>(call: () => Promise<Result>, about?: About): Promise<Result> {
    const running = call();
    const id = this.#calls.add({ running, about });
    try {
      return await running;
    } finally {
      this.#calls.take(id);
    }
  }

  /** Resolves when the calls that are under way now, all or those that are meant, have ended or failed. */
  async ended(isMeant: (about: About | undefined) => boolean = () => true): Promise<void> {
    const meant = [...this.#calls.works()].filter(({ about }) => isMeant(about));
    await Promise.allSettled(meant.map(({ running }) => running));
  }
}
