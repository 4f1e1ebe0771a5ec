// One vector index beside its rows: loaded from a snapshot or from the rows, and kept up with their log of changes.
import { join } from 'node:path';
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { vectorOf } from '../../../column-types/vector.js';
import { logBoundsText, logText, rowsText } from '../statements/vector-statements.js';
import { bestToWalkOn, type Find, type GraphShape } from './graph.js';
import { GraphIndex } from './graph-index.js';
import { removeSnapshot, removeUnfinished, restoreSnapshot, saveSnapshot } from './snapshot.js';
import type { IndexPlace } from './vector-messages.js';

/** Rows that one step of loading or following takes. */
const rowsPerStep = 256;
/** Rows that are linked at once. */
const linksAtOnce = 8;
/** Every search looks at all rows that wait: the more wait, the larger a part of the time is well spent on them. */
const shareOfWaitingPerStep = 1 / 256;
/** A search may have to wait for a step, which ends after this time. */
const linkingMs = 10;
/** A snapshot is due after so many changes, and a share of the rows. */
const changesToSave = { idle: 5_000, closing: 1_000 } as const;
const shareToSave = 0.25;
/** After one that failed, the next is not begun before: it may take long, and fail for the same reason. */
const pauseAfterFailureMs = 60_000;

const asArrays = { returnArrays: true } as const;

/** What an index works with. */
export interface IndexSurroundings {
  /** Of the rows. */
  readonly database: Database;
  /** Of the snapshots. */
  readonly directory: string;
  readonly clock: Clock;
}

/** How saving a snapshot went; `sequence`: it holds the changes up to this one. */
export type SaveOutcome =
  | { readonly kind: 'saved'; readonly sequence: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Belongs to the vector thread; so does the database. */
export class StoredIndex {
  readonly place: IndexPlace;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #snapshotPath: string;
  readonly #shape: GraphShape;
  readonly #logText: string;
  readonly #decode: (stored: SqlValue) => Float32Array;
  #index: GraphIndex;
  /** The last line of the log that the index holds. */
  #sequence = 0;
  /** Loading from the rows: those up to this number are in; undefined when all are. */
  #loadedTo: number | undefined;
  /** Changes that no snapshot holds, about. */
  #changes = 0;
  /** Whether the log may have lines that the index does not hold. */
  #mayBeBehind = true;
  /** Rises with every change of the index, see `IndexState`. */
  #version = 0;
  #saving: Promise<SaveOutcome> | undefined;
  #saveNotBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(place: IndexPlace, { database, directory, clock }: IndexSurroundings, maySnapshot: boolean) {
    this.place = place;
    this.#database = database;
    this.#clock = clock;
    this.#snapshotPath = join(directory, `${place.log}.graph`);
    const { dimension, metric, log, table, column } = place;
    this.#logText = logText(log, table, column);
    this.#shape = { dimension, metric, walksOn: bestToWalkOn(dimension), maxRows: 2 ** 22 };
    this.#decode = vectorOf(dimension).sql.decode as (stored: SqlValue) => Float32Array;
    const restored = maySnapshot ? restoreSnapshot(this.#snapshotPath, this.#shape) : undefined;
    const { first, last } = this.#logBounds();
    // The log must hold all that came after the snapshot.
    if (restored !== undefined && restored.sequence + 1 >= first && restored.sequence <= last) {
      this.#index = restored.index;
      this.#sequence = restored.sequence;
      // They are linked now, which the next snapshot is to have.
      this.#changes = restored.index.waitingCount;
      removeUnfinished(this.#snapshotPath);
      return;
    }
    removeSnapshot(this.#snapshotPath);
    this.#index = new GraphIndex(this.#shape);
    this.#sequence = last;
    this.#loadedTo = 0;
  }

  /** False while rows are missing that were there when the index was opened. */
  get isLoaded(): boolean {
    return this.#loadedTo === undefined;
  }

  /** Rows changed: the log is looked at before the next search. */
  expectChanges(): void {
    this.#mayBeBehind = true;
  }

  /** Takes all changes of rows over that this thread's database sees, if there may be some or if it is told to look. */
  follow(mustLook: boolean): void {
    if (!mustLook && !this.#mayBeBehind) return;
    do this.#followSome();
    while (this.#mayBeBehind);
  }

  /**
   * Does a little of what is to do; false when there is nothing. `onSaved` hears of a snapshot; then there may be
   * something to do again.
   */
  step(onSaved: (outcome: SaveOutcome) => void): boolean {
    if (this.#loadedTo !== undefined) {
      this.#loadSome(this.#loadedTo);
      return true;
    }
    if (this.#followSome()) return true;
    // While a snapshot is written, as little as possible changes: what does is written twice.
    if (this.#saving !== undefined) return false;
    if (this.#work()) return true;
    const isPausing = this.#clock.monotonicMs() < this.#saveNotBeforeMs;
    if (!isPausing && this.#isSaveDue(changesToSave.idle)) void this.#save().then(onSaved);
    return false;
  }

  /**
   * The nearest rows by their numbers, nearest first, at most `limit`, with every change that was followed; those that
   * `passing` has, if it is given.
   */
  search(query: Float32Array, limit: number, passing: Float64Array | undefined): readonly Find[] {
    const wanted = { limit, breadth: breadthFor(limit) };
    return this.#index.search(query, wanted, passing && this.#index.setFilter(passing));
  }

  /** Saves what a restart would take long to work out again. */
  async close(onSaved: (outcome: SaveOutcome) => void): Promise<void> {
    await this.#saving; // who stepped hears of that one
    if (!this.isLoaded || !this.#isSaveDue(changesToSave.closing)) return;
    onSaved(await this.#save());
  }

  /** The index is dropped: nothing of it stays. */
  async drop(): Promise<void> {
    await this.#saving; // the file goes in either case
    removeSnapshot(this.#snapshotPath);
    this.#index.release();
  }

  #loadSome(after: number): void {
    const { table, column } = this.place;
    const rows = this.#database.statement(rowsText(table, column), asArrays).all([after, rowsPerStep]);
    for (const row of rows) this.#put(row[0], row[1]);
    const last = rows.at(-1);
    this.#loadedTo = last === undefined ? undefined : Number(last[0]);
    this.#changes += rows.length;
  }

  /** Takes some changes of rows over; false when there are none. */
  #followSome(): boolean {
    const lines = this.#database.statement(this.#logText, asArrays).all([this.#sequence, rowsPerStep]);
    for (const [, rowId, vector] of lines) this.#put(rowId, vector);
    // Fewer lines are all that there were; who writes on does not keep a search from its end.
    this.#mayBeBehind = lines.length === rowsPerStep;
    const last = lines.at(-1);
    if (last === undefined) return false;
    this.#sequence = Number(last[0]);
    this.#changes += lines.length;
    return true;
  }

  #work(): boolean {
    this.#version += 1;
    const endMs = this.#clock.monotonicMs() + linkingMs;
    let rest = this.#index.waitingCount * shareOfWaitingPerStep;
    let hasMore: boolean;
    do {
      hasMore = this.#index.work(linksAtOnce);
      rest -= linksAtOnce;
    } while (hasMore && rest > 0 && this.#clock.monotonicMs() < endMs);
    return hasMore;
  }

  #put(rowId: SqlValue | undefined, vector: SqlValue | undefined): void {
    this.#version += 1;
    if (vector === null || vector === undefined) this.#index.remove(Number(rowId));
    else this.#index.put(Number(rowId), this.#decode(vector));
  }

  #isSaveDue(fewest: number): boolean {
    const share = fewest === changesToSave.closing ? shareToSave / 10 : shareToSave;
    return this.#saving === undefined && this.#changes >= Math.max(fewest, this.#index.rowCount * share);
  }

  #save(): Promise<SaveOutcome> {
    const saving = this.#saveOnce().finally(() => {
      this.#saving = undefined;
    });
    this.#saving = saving;
    return saving;
  }

  async #saveOnce(): Promise<SaveOutcome> {
    const changes = this.#changes;
    const stateOf = () => ({ sequence: this.#sequence, version: this.#version });
    try {
      const sequence = await saveSnapshot(this.#snapshotPath, this.#shape, this.#index, stateOf);
      this.#changes -= changes;
      return { kind: 'saved', sequence };
    } catch (error) {
      this.#saveNotBeforeMs = this.#clock.monotonicMs() + pauseAfterFailureMs;
      return { kind: 'failed', error };
    }
  }

  #logBounds(): { readonly first: number; readonly last: number } {
    const row: SqlRowArray | undefined = this.#database
      .statement(logBoundsText(this.place.log), asArrays)
      .get();
    return { first: Number(row?.[0] ?? 0), last: Number(row?.[1] ?? 0) };
  }
}

function breadthFor(limit: number): number {
  return Math.max(80, limit + Math.ceil(limit / 2));
}
