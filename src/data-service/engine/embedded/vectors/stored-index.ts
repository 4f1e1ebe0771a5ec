// One vector index: loaded from a snapshot or from the rows, and updated by the log of their changes.
import { join } from 'node:path';
import type { VectorQuantization } from '../../../../foundation/config/engines/embedded.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { vectorOf } from '../../../column-types/vector.js';
import { statementOf } from '../file/stored-rows.js';
import { logBoundsText, logText, nextRowText, rowsText } from '../statements/vector-statements.js';
import { bestToWalkOn, type GraphShape } from './graph.js';
import { GraphIndex } from './graph-index.js';
import { removeSnapshot, removeUnfinished, restoreSnapshot, saveSnapshot } from './snapshot.js';
import type { FoundRows, IndexPlace, VectorSearchRequest } from './vector-messages.js';

/** The number of rows that one step of loading or following processes. */
const rowsPerStep = 256;
/** The number of row numbers among which a step of loading looks for vectors: about a millisecond without any. */
const rowsLookedAt = 2_000;
/** The number of rows that are linked at once. */
const linksAtOnce = 8;
/** Each search measures all waiting rows, so a step links more rows if more wait. */
const shareOfWaitingPerStep = 1 / 256;
/** A step ends after this time, because a search may wait for it. */
const linkingMs = 10;
/** A snapshot is due after this number of changes and a share of the rows. */
const changesToSave = { idle: 5_000, closing: 1_000 } as const;
const shareToSave = 0.25;
/** The pause after a snapshot failed: the next attempt may take long, and fail for the same reason. */
const pauseAfterFailureMs = 60_000;

/** The common inputs of all indexes of a thread. */
export interface IndexSurroundings {
  /** The database with the rows. */
  readonly database: Database;
  /** See `VectorSettings`. */
  readonly directory: string | undefined;
  readonly quantization: VectorQuantization;
  readonly clock: Clock;
  /** Called for a problem that leaves the thread and the rows as they are. */
  readonly onWarning: (problem: string, error: unknown) => void;
}

/** A search of one index. `hasMoreChanges`: the log has entries that the thread was not notified of. */
export type IndexSearch = Pick<VectorSearchRequest, 'query' | 'hitCount' | 'hasMoreChanges'>;

/** The outcome of saving a snapshot; `sequence`: the last change that it contains. */
export type SaveOutcome =
  | { readonly kind: 'saved'; readonly sequence: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The log has lost entries that the index lacks. It is loaded from the rows again, and not searched until then. */
export class LogTrimmed extends Error {}

/** A vector index on the vector thread, whose database it reads. */
export class StoredIndex {
  readonly place: IndexPlace;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #onWarning: IndexSurroundings['onWarning'];
  /** Undefined if the index is only in memory. */
  readonly #snapshotPath: string | undefined;
  readonly #shape: GraphShape;
  readonly #logText: string;
  readonly #decode: (stored: SqlValue) => Float32Array;
  #index: GraphIndex;
  /** The last log entry that the index contains. */
  #sequence = 0;
  /** While it is loaded from the rows: rows up to this number are in the index. Undefined when all are. */
  #loadedTo: number | undefined;
  /** The approximate number of changes that are not in the snapshot. */
  #changes = 0;
  /** Whether the log may have entries that the index does not contain. */
  #mayBeBehind = true;
  /** Increases with every change of the index, see `IndexState`. */
  #version = 0;
  #saving: Promise<SaveOutcome> | undefined;
  #saveNotBeforeMs = Number.NEGATIVE_INFINITY;

  /** @throws DatabaseFailure, or RangeError if there is no memory for another index */
  constructor(place: IndexPlace, surroundings: IndexSurroundings, maySnapshot: boolean) {
    const { database, directory, quantization, clock } = surroundings;
    this.#onWarning = surroundings.onWarning;
    this.place = place;
    this.#database = database;
    this.#clock = clock;
    this.#snapshotPath = directory && join(directory, `${place.log}.graph`);
    const { dimension, metric, log, table, column } = place;
    this.#logText = logText(log, table, column);
    this.#shape = { dimension, metric, walksOn: bestToWalkOn(dimension, quantization), maxRows: 2 ** 22 };
    this.#decode = vectorOf(dimension).sql.decode as (stored: SqlValue) => Float32Array;
    // What the disk does not give is made again.
    const restore = (path: string) => restoreSnapshot(path, this.#shape);
    const restored = maySnapshot ? this.#withFile('cannot be read', restore) : undefined;
    const { first, last } = this.#logBounds();
    // The log must contain all changes after the snapshot.
    if (restored !== undefined && restored.sequence + 1 >= first && restored.sequence <= last) {
      this.#index = restored.index;
      this.#sequence = restored.sequence;
      // They are linked from now on, which counts towards the next snapshot.
      this.#changes = restored.index.waitingCount;
      this.#withFile('has an unfinished one beside it, which cannot be removed', removeUnfinished);
      return;
    }
    restored?.index.release();
    this.#withFile('cannot be removed', removeSnapshot);
    this.#index = new GraphIndex(this.#shape);
    this.#sequence = last;
    this.#loadedTo = 0;
  }

  /** False while rows are missing that existed when the index was opened. */
  get isLoaded(): boolean {
    return this.#loadedTo === undefined;
  }

  /** Rows changed: the log is read before the next search. */
  expectChanges(): void {
    this.#mayBeBehind = true;
  }

  /**
   * Does a short step of the work; false if there is none. `onSaved` is called when a snapshot that the step began has
   * been saved or has failed; after that there may be work again.
   */
  step(onSaved: (outcome: SaveOutcome) => void): boolean {
    if (this.#loadedTo !== undefined) {
      this.#loadSome(this.#loadedTo);
      return true;
    }
    if (this.#followSome()) return true;
    // Changes during a snapshot are avoided, because changed parts are written twice.
    if (this.#saving !== undefined) return false;
    if (this.#work()) return true;
    const isPausing = this.#clock.monotonicMs() < this.#saveNotBeforeMs;
    const due = isPausing ? undefined : this.#dueSnapshot(changesToSave.idle);
    if (due !== undefined) void this.#save(due).then(onSaved);
    return false;
  }

  /**
   * The nearest rows by their numbers, nearest first, including every change that this thread's database sees; if
   * `passing` is given, only rows with these numbers. @throws LogTrimmed
   */
  search(
    { query, hitCount: limit, hasMoreChanges }: IndexSearch,
    passing?: Float64Array | undefined,
  ): FoundRows {
    const areKeysExact = this.#shape.walksOn !== 'codesAlone';
    // Only exact keys show afterwards that a row had changed.
    if (hasMoreChanges || !areKeysExact || this.#isOfOther) this.#mayBeBehind = true;
    while (this.#mayBeBehind) this.#followSome();
    const wanted = { limit, breadth: breadthFor(limit) };
    const hits = this.#index.search(query, wanted, passing && this.#index.setFilter(passing));
    return { hits, areKeysExact };
  }

  /** Saves a snapshot if the next start would otherwise take long. */
  async close(onSaved: (outcome: SaveOutcome) => void): Promise<void> {
    await this.#saving; // `onSaved` of its step reports it
    const due = this.isLoaded ? this.#dueSnapshot(changesToSave.closing) : undefined;
    if (due !== undefined) onSaved(await this.#save(due));
  }

  /** It is not used any more: releases its memory when no snapshot of it is being saved. */
  async release(): Promise<void> {
    await this.#saving; // its file can be removed then
    this.#index.release();
  }

  /** Removes the snapshot of a dropped index, and releases its memory. */
  async drop(): Promise<void> {
    await this.release();
    this.#withFile('cannot be removed', removeSnapshot);
  }

  /** Uses the file of the snapshot, if the index has one. What the disk refuses is reported. */
  #withFile<Result>(problem: string, use: (path: string) => Result): Result | undefined {
    try {
      return this.#snapshotPath === undefined ? undefined : use(this.#snapshotPath);
    } catch (error) {
      this.#onWarning(`the snapshot of the vector index ${this.place.log} ${problem}`, error);
      return undefined;
    }
  }

  #loadSome(after: number): void {
    const { table, column } = this.place;
    const next = Number(statementOf(this.#database, nextRowText(table), false).get([after])?.[0] ?? 0);
    // In a damaged table, whose rows are in another order, the same rows would come again and again.
    if (next <= after) {
      this.#loadedTo = undefined;
      return;
    }
    // Rows without vectors are bounded too: there can be millions before one with a vector.
    const end = next + rowsLookedAt - 1;
    const rows = statementOf(this.#database, rowsText(table, column), false).all([next, end, rowsPerStep]);
    for (const row of rows) this.#put(row[0], row[1]);
    this.#loadedTo = rows.length === rowsPerStep ? Math.max(next, Number(rows.at(-1)?.[0])) : end;
    this.#changes += rows.length;
  }

  /** Whether another server changes the file, which does not say what has changed. */
  get #isOfOther(): boolean {
    return this.#snapshotPath === undefined;
  }

  /** Applies some changes of rows; false when there are none. @throws LogTrimmed */
  #followSome(): boolean {
    const lines = statementOf(this.#database, this.#logText, false).all([this.#sequence, rowsPerStep]);
    if (this.#isOfOther) this.#expectNext(lines[0]?.[0]);
    for (const [, rowId, vector] of lines) this.#put(rowId, vector);
    // With fewer entries than a full step, all were read. Later ones are left to the next search, so that this one
    // ends.
    this.#mayBeBehind = lines.length === rowsPerStep;
    const last = lines.at(-1);
    if (last === undefined) return false;
    this.#sequence = Number(last[0]);
    this.#changes += lines.length;
    return true;
  }

  /**
   * Another server trims the log when a snapshot of its own has the entries, and keeps the last of them. `sequence`: of
   * the first entry that was read. @throws LogTrimmed
   */
  #expectNext(sequence: SqlValue | undefined): void {
    if (sequence === undefined || Number(sequence) === this.#sequence + 1) return;
    const { last } = this.#logBounds();
    this.#index.release();
    this.#index = new GraphIndex(this.#shape);
    this.#version += 1;
    this.#sequence = last;
    this.#loadedTo = 0;
    throw new LogTrimmed();
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

  /** The path of a snapshot that is to be saved now. */
  #dueSnapshot(fewest: number): string | undefined {
    const share = fewest === changesToSave.closing ? shareToSave / 10 : shareToSave;
    const isDue =
      this.#saving === undefined && this.#changes >= Math.max(fewest, this.#index.rowCount * share);
    return isDue ? this.#snapshotPath : undefined;
  }

  #save(path: string): Promise<SaveOutcome> {
    const saving = this.#saveOnce(path).finally(() => {
      this.#saving = undefined;
    });
    this.#saving = saving;
    return saving;
  }

  async #saveOnce(path: string): Promise<SaveOutcome> {
    const changes = this.#changes;
    const stateOf = () => ({ sequence: this.#sequence, version: this.#version });
    try {
      const sequence = await saveSnapshot(path, this.#shape, this.#index, stateOf);
      this.#changes -= changes;
      return { kind: 'saved', sequence };
    } catch (error) {
      this.#saveNotBeforeMs = this.#clock.monotonicMs() + pauseAfterFailureMs;
      return { kind: 'failed', error };
    }
  }

  #logBounds(): { readonly first: number; readonly last: number } {
    const [first, last] = statementOf(this.#database, logBoundsText(this.place.log), false).get() ?? [];
    return { first: Number(first ?? 0), last: Number(last ?? 0) };
  }
}

function breadthFor(limit: number): number {
  return Math.max(80, limit + Math.ceil(limit / 2));
}
