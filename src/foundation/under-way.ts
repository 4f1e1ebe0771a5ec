// Work that was begun and is not done yet, such as requests to a thread.

/** The number of the newest ids that have a place in the ring. More work is rarely under way at once. */
const ringSize = 1_024;

/**
 * Work that was begun and is not done yet, by ascending ids. Each piece is removed once: when it is done, or with all
 * others.
 *
 * It is not a Map: V8 makes a new table for a Map after each few additions and removals, and the old tables keep what
 * was in them alive until the whole heap is collected. So all the work of a busy server would get old.
 */
export class UnderWay<Work> {
  /** The place of an id is its remainder. */
  readonly #ring: (Work | undefined)[] = Array<Work | undefined>(ringSize).fill(undefined);
  /** What was still under way when a newer id needed its place, by ascending ids. */
  readonly #older = new Map<number, Work>();
  #lastId = 0;
  /** No work in the ring has a smaller id. */
  #firstId = 1;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds work and returns its id. */
  add(work: Work): number {
    this.#lastId += 1;
    const place = this.#lastId % ringSize;
    const before = this.#ring[place];
    if (before !== undefined) this.#older.set(this.#lastId - ringSize, before);
    this.#ring[place] = work;
    this.#count += 1;
    return this.#lastId;
  }

  /** Removes and returns work; undefined if it was removed before. */
  take(id: number): Work | undefined {
    if (id > this.#lastId || id <= this.#lastId - ringSize) return this.#takeOlder(id);
    const place = id % ringSize;
    const work = this.#ring[place];
    if (work === undefined) return undefined;
    this.#ring[place] = undefined;
    this.#count -= 1;
    return work;
  }

  #takeOlder(id: number): Work | undefined {
    const work = this.#older.get(id);
    if (this.#older.delete(id)) this.#count -= 1;
    return work;
  }

  /** Removes and returns the oldest work: for threads that answer in the order of the requests. */
  takeFirst(): Work | undefined {
    const id = this.#oldestId();
    return id === undefined ? undefined : this.take(id);
  }

  /** Removes and returns the work up to an id, the oldest first: for threads that answer several requests at once. */
  *takeThrough(last: number): Iterable<readonly [id: number, work: Work]> {
    for (let id = this.#oldestId(); id !== undefined && id <= last; id = this.#oldestId()) {
      const work = this.take(id);
      if (work !== undefined) yield [id, work];
    }
  }

  /** Removes and returns all work, the oldest first. */
  takeAll(): readonly Work[] {
    return [...this.takeThrough(this.#lastId)].map(([, work]) => work);
  }

  /** All work, which is not removed, in any order. */
  *works(): Iterable<Work> {
    yield* this.#older.values();
    for (const work of this.#ring) if (work !== undefined) yield work;
  }

  #oldestId(): number | undefined {
    if (this.#count === 0) return undefined;
    for (const id of this.#older.keys()) return id;
    this.#firstId = Math.max(this.#firstId, this.#lastId - ringSize + 1);
    while (this.#ring[this.#firstId % ringSize] === undefined) this.#firstId += 1;
    return this.#firstId;
  }
}
