// Work that was sent to a thread and is not answered yet.

/** Pieces of work by ascending ids. Each is removed once: by its answer, or when the thread has ended. */
export class UnderWay<Work> {
  readonly #works = new Map<number, Work>();
  #lastId = 0;

  get count(): number {
    return this.#works.size;
  }

  /** Adds work and returns its id. */
  add(work: Work): number {
    this.#lastId += 1;
    this.#works.set(this.#lastId, work);
    return this.#lastId;
  }

  /** Removes and returns work; undefined if it was removed before. */
  take(id: number): Work | undefined {
    const work = this.#works.get(id);
    this.#works.delete(id);
    return work;
  }

  /** Removes and returns the oldest work: for threads that answer in the order of the requests. */
  takeFirst(): Work | undefined {
    for (const id of this.#works.keys()) return this.take(id);
    return undefined;
  }

  /** Removes and returns the work up to an id, the oldest first: for threads that answer several requests at once. */
  *takeThrough(id: number): Iterable<readonly [id: number, work: Work]> {
    for (const entry of this.#works) {
      if (entry[0] > id) return;
      this.#works.delete(entry[0]);
      yield entry;
    }
  }

  /** Removes and returns all work, the oldest first. */
  takeAll(): readonly Work[] {
    const works = [...this.#works.values()];
    this.#works.clear();
    return works;
  }
}
