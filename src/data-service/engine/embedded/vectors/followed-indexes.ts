// The vector indexes of the schema on the vector thread: opens and drops them, and works on them between requests.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { EngineError } from '../../engine-error.js';
import { removeSnapshot } from './snapshot.js';
import { type IndexSurroundings, LogTrimmed, type SaveOutcome, StoredIndex } from './stored-index.js';
import type { IndexPlace, VectorReply } from './vector-messages.js';

/** The steps of several indexes run in one turn while they take less than this; a search may wait for them. */
const workMs = 10;

/** The index failed while it was searched, and is not used any more: all rows are compared instead. */
export class IndexFailed extends Error {}

/** The indexes of a thread. */
export class FollowedIndexes {
  readonly #surroundings: IndexSurroundings;
  readonly #post: (reply: VectorReply) => void;
  readonly #indexes = new Map<string, StoredIndex>();
  /** Those that failed, by their logs: searches compare all rows. */
  readonly #failed = new Map<string, IndexPlace>();
  #isWorking = false;
  #isClosing = false;
  /** The rest of the present round, in which each index has a step, and whether there will be another round. */
  #round: Iterator<StoredIndex> | undefined;
  #hasMore = false;

  constructor(surroundings: IndexSurroundings, post: (reply: VectorReply) => void) {
    this.#surroundings = surroundings;
    this.#post = post;
  }

  /** The index with a log; undefined for one that is not used. */
  get(log: string): StoredIndex | undefined {
    return this.#indexes.get(log);
  }

  /** Uses these indexes from now on. `isOpening`: they may have snapshots. */
  follow(places: readonly IndexPlace[], isOpening: boolean): void {
    const present = new Set(places.map(({ log }) => log));
    for (const [log, index] of this.#indexes) {
      if (present.has(log)) continue;
      this.#indexes.delete(log);
      void index.drop();
    }
    for (const log of this.#failed.keys()) if (!present.has(log)) this.#failed.delete(log);
    this.#removeUnknownSnapshots(present);
    for (const place of places)
      if (!this.#indexes.has(place.log) && !this.#failed.has(place.log)) this.#open(place, isOpening);
    this.expectChanges();
  }

  /** Rows changed: the logs are read. */
  expectChanges(): void {
    for (const index of this.#indexes.values()) index.expectChanges();
    this.#startWork();
  }

  /** Loads an index from its rows again. Searches compare all rows until then. */
  async rebuild(log: string): Promise<void> {
    const index = this.#indexes.get(log);
    const place = index?.place ?? this.#failed.get(log);
    if (place === undefined) return;
    this.#indexes.delete(log);
    if (index !== undefined) await index.drop();
    if (this.#isClosing || this.#indexes.has(log)) return;
    this.#failed.delete(log);
    this.#open(place, false);
    this.#startWork();
  }

  /** Runs a search of an index. @throws IndexFailed, LogTrimmed, EngineError, DatabaseFailure */
  searched<Result>(index: StoredIndex, search: () => Result): Result {
    try {
      return search();
    } catch (error) {
      if (isOfData(error)) throw error;
      this.#giveUp(index, error);
      throw new IndexFailed('the index failed', { cause: error });
    }
  }

  /** Saves indexes with many changes. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const index of this.#indexes.values()) await index.close((outcome) => this.#saved(index, outcome));
  }

  #open(place: IndexPlace, isOpening: boolean): void {
    try {
      this.#indexes.set(place.log, new StoredIndex(place, this.#surroundings, isOpening));
    } catch (error) {
      // It was dropped, which the next message reports; otherwise the file cannot be read, and every read fails.
      if (error instanceof DatabaseFailure) return;
      this.#failed.set(place.log, place);
      this.#warnOfUnused(place, error);
    }
  }

  /** The thread and the other indexes remain: this one has no memory, or a defect. */
  #giveUp(index: StoredIndex, error: unknown): void {
    const { place } = index;
    if (this.#indexes.get(place.log) !== index) return;
    this.#indexes.delete(place.log);
    this.#failed.set(place.log, place);
    void index.release();
    this.#warnOfUnused(place, error);
  }

  #warnOfUnused({ log }: IndexPlace, error: unknown): void {
    const until = 'until the next start or a repair';
    const effects = 'searches compare all rows, and its log of changes grows in the data file';
    this.#surroundings.onWarning(`the vector index ${log} failed: ${effects}, ${until}`, error);
  }

  /** Removes the snapshots of dropped indexes. */
  #removeUnknownSnapshots(present: ReadonlySet<string>): void {
    const { directory, onWarning } = this.#surroundings;
    if (directory === undefined) return;
    let names: readonly string[] = [];
    try {
      names = readdirSync(directory);
    } catch (error) {
      // The first snapshot makes it.
      if (!isOfNone(error)) onWarning('the directory of snapshots of vector indexes cannot be read', error);
    }
    for (const name of names) {
      const log = name.replace(/\.graph(\.new)?$/, '');
      if (!present.has(log)) this.#removeSnapshot(log);
    }
  }

  #removeSnapshot(log: string): void {
    const { directory, onWarning } = this.#surroundings;
    if (directory === undefined) return;
    try {
      removeSnapshot(join(directory, `${log}.graph`));
    } catch (error) {
      onWarning(`the snapshot of the vector index ${log} was not removed`, error);
    }
  }

  #startWork(): void {
    this.#hasMore = this.#isWorking; // for those that have had their step of the present round
    if (this.#isWorking) return;
    this.#isWorking = true;
    setImmediate(() => this.#work());
  }

  /** A step for each index in each round, and turns between them, so that searches are answered. */
  #work(): void {
    if (this.#isClosing) return;
    const { clock } = this.#surroundings;
    const endMs = clock.monotonicMs() + workMs;
    const round = this.#round ?? this.#indexes.values();
    this.#round = round;
    for (let isDone = false; !isDone && clock.monotonicMs() < endMs; ) {
      const next = round.next();
      if (next.done !== true) {
        if (this.#step(next.value)) this.#hasMore = true;
        continue;
      }
      isDone = true;
      this.#round = undefined;
      if (!this.#hasMore) {
        this.#isWorking = false;
        this.#post({ kind: 'caughtUp' });
        return;
      }
      this.#hasMore = false;
    }
    setImmediate(() => this.#work());
  }

  #step(index: StoredIndex): boolean {
    try {
      return index.step((outcome) => this.#saved(index, outcome));
    } catch (error) {
      if (error instanceof LogTrimmed) return true;
      // It was dropped, which the next message reports, or the file cannot be read: then a search fails.
      if (!isOfData(error)) this.#giveUp(index, error);
      return false;
    }
  }

  #saved({ place: { log } }: StoredIndex, outcome: SaveOutcome): void {
    if (outcome.kind === 'saved') this.#post({ kind: 'saved', log, sequence: outcome.sequence });
    else this.#surroundings.onWarning(`the snapshot of the vector index ${log} was not saved`, outcome.error);
    if (!this.#isClosing) this.#startWork();
  }
}

/** Whether an error is one of the rows or their file, and not of an index. */
function isOfData(error: unknown): boolean {
  return error instanceof LogTrimmed || error instanceof DatabaseFailure || error instanceof EngineError;
}

function isOfNone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
