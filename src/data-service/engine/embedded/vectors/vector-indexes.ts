// The main thread's side of the vector thread, which is started by the first vector index.

import { type Clock, systemClock } from '../../../../foundation/telemetry/clock.js';
import { type ThreadEnded, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { UnderWay } from '../../../../foundation/under-way.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table, VectorIndex } from '../../../schema/table.js';
import { engineClosed } from '../../engine-error.js';
import { sqlColumn, sqlTable, sqlVectorLog } from '../file/sql-names.js';
import { unpackReadError } from '../file/storage-failure.js';
import type { TakenRows } from '../file/take-rows.js';
import type {
  IndexPlace,
  NearestWanted,
  PackedHits,
  RowsWanted,
  SearchAnswer,
  SearchResult,
  VectorReply,
  VectorRequest,
  VectorSettings,
} from './vector-messages.js';
import type { IndexedSearch } from './vector-search.js';

/** Notified of events of the indexes. */
export interface VectorListener {
  /** A snapshot contains the changes in a log up to a number: the log can be trimmed. */
  onSaved(log: string, sequence: number): void;
  /** A snapshot cannot be used or saved, so that a start takes longer, or an index is not used. */
  onWarning(error: Error): void;
  /** The thread ended unexpectedly: searches compare every row until another one has loaded the indexes. */
  onFailure(error: Error): void;
}

interface Waiting {
  readonly resolve: (result: SearchResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What ended a thread, such as a lack of memory, may end the next one as well. */
const usualPauseMs = 10_000;
const mostPauseMs = 3_600_000;
/** A thread that works for so long has another reason to end than the one before it. */
const soundMs = 3_600_000;

/** The vector indexes of a data file; must be closed before the file. */
export class VectorIndexes {
  readonly #settings: VectorSettings;
  readonly #listener: VectorListener;
  readonly #waiting = new UnderWay<Waiting>();
  #thread: WorkerThread<VectorRequest, VectorReply> | undefined;
  /** Whether the thread was notified of changed rows, and whether more rows changed since. */
  #changes: 'none' | 'notified' | 'notifiedAndMore' = 'none';
  #isClosing = false;
  #places: readonly IndexPlace[] = [];
  /** Set while there is no thread because one ended unexpectedly. */
  #restart: NodeJS.Timeout | undefined;
  readonly #firstPauseMs: number;
  readonly #clock: Clock;
  #pauseMs: number;
  #startedMs = 0;

  /**
   * `pauseMs`: the time until a thread that ended unexpectedly is started again, then twice as long each time, until
   * one has worked for an hour.
   */
  constructor(
    settings: VectorSettings,
    listener: VectorListener,
    { pauseMs = usualPauseMs, clock = systemClock }: { pauseMs?: number | undefined; clock?: Clock } = {},
  ) {
    this.#settings = settings;
    this.#listener = listener;
    this.#firstPauseMs = pauseMs;
    this.#pauseMs = pauseMs;
    this.#clock = clock;
  }

  /** Uses the indexes of a schema from now on. `isOpening`: they may have snapshots. */
  follow(schema: Schema, isOpening = false): void {
    const tables = [...schema.keyspaces.values()].flatMap(({ tables: own }) => [...own.values()]);
    this.#places = tables.flatMap((table) => placesOf(table));
    if (this.#restart === undefined) this.#follow(isOpening);
  }

  #follow(isOpening: boolean): void {
    if (this.#isClosing || (this.#places.length === 0 && this.#thread === undefined)) return;
    this.#thread ??= this.#start();
    this.#post({ kind: 'follow', indexes: this.#places, isOpening });
    this.#changes = 'notified';
  }

  /** Notifies the thread that rows of a table changed, so that it updates the indexes before the next search. */
  changed(table: Table): void {
    if (this.#thread === undefined || !table.indexes.some(({ kind }) => kind === 'vector')) return;
    if (this.#changes !== 'none') {
      this.#changes = 'notifiedAndMore';
      return;
    }
    this.#changes = 'notified';
    this.#post({ kind: 'changed' });
  }

  /** Lets the thread look for changes of another server in the data file. */
  lookForChanges(): void {
    if (this.#thread === undefined || this.#changes !== 'none') return;
    this.#changes = 'notified';
    this.#post({ kind: 'changed' });
  }

  /** Builds an index again from its rows; until then searches compare all of them. */
  rebuild(table: Table, index: VectorIndex): void {
    this.#post({ kind: 'rebuild', log: sqlVectorLog(table, index) });
  }

  /** The best rows; null if the index is not ready. Rejects with an EngineError. */
  async nearestRows({ nearest, rows }: IndexedSearch): Promise<TakenRows | null> {
    const result = await this.#ask(nearest, rows, this.#changes === 'notifiedAndMore');
    return 'taken' in result ? result.taken : null;
  }

  /**
   * The nearest rows for a guest, which reads them; null if the index is not ready. `isAgain`: the rows did not match
   * the hits of the first call. Rejects with an EngineError.
   */
  async findNearest(nearest: NearestWanted, isAgain: boolean): Promise<PackedHits | null> {
    const hasMoreChanges = isAgain || this.#changes === 'notifiedAndMore';
    const result = await this.#ask(nearest, undefined, hasMoreChanges);
    return 'taken' in result ? null : result.found;
  }

  #ask(
    { log, query, hitCount, filter, time }: NearestWanted,
    rows: RowsWanted | undefined,
    hasMoreChanges: boolean,
  ): Promise<SearchResult> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) throw engineClosed();
      if (this.#thread === undefined) {
        resolve({ taken: null }); // it ended unexpectedly
        return;
      }
      const id = this.#waiting.add({ resolve, reject });
      this.#post({ kind: 'search', id, log, query, hitCount, filter, rows, hasMoreChanges, time });
    });
  }

  /** Rejects the searches under way, saves snapshots of indexes with many changes, and ends the thread. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearTimeout(this.#restart);
    for (const { reject } of this.#waiting.takeAll()) reject(engineClosed());
    await this.#thread?.close();
  }

  #post(request: VectorRequest): void {
    if (!this.#isClosing) this.#thread?.post(request);
  }

  #start(): WorkerThread<VectorRequest, VectorReply> {
    const thread = new WorkerThread<VectorRequest, VectorReply>({
      name: 'the vector thread',
      module: new URL('./vector-thread.js', import.meta.url),
      settings: this.#settings,
    });
    this.#startedMs = this.#clock.monotonicMs();
    thread.listen({ onReply: (reply) => this.#receive(reply), onEnd: (ended) => this.#end(ended) });
    return thread;
  }

  #receive(reply: VectorReply): void {
    switch (reply.kind) {
      case 'answers':
        for (const answer of reply.answers) this.#settle(answer);
        return;
      case 'saved':
        // An index that was dropped meanwhile has no log.
        if (this.#places.some(({ log }) => log === reply.log))
          this.#listener.onSaved(reply.log, reply.sequence);
        return;
      case 'warning':
        this.#listener.onWarning(new Error(reply.message));
        return;
      case 'caughtUp':
        if (this.#changes === 'notifiedAndMore') this.#post({ kind: 'changed' });
        this.#changes = this.#changes === 'notifiedAndMore' ? 'notified' : 'none';
    }
  }

  #settle(answer: SearchAnswer): void {
    const waiting = this.#waiting.take(answer.id);
    if ('failure' in answer)
      waiting?.reject(unpackReadError(answer.failure, 'a search failed in the vector thread'));
    else waiting?.resolve(answer);
  }

  #end(ended: ThreadEnded): void {
    if (this.#isClosing) return;
    this.#thread = undefined;
    for (const { resolve } of this.#waiting.takeAll()) resolve({ taken: null }); // all rows are compared instead
    if (this.#clock.monotonicMs() - this.#startedMs >= soundMs) this.#pauseMs = this.#firstPauseMs;
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.#follow(true);
    }, this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, mostPauseMs);
    this.#listener.onFailure(ended);
  }
}

function placesOf(table: Table): readonly IndexPlace[] {
  const indexes = table.indexes.filter((index): index is VectorIndex => index.kind === 'vector');
  return indexes.map((index) => ({
    log: sqlVectorLog(table, index),
    table: sqlTable(table),
    column: sqlColumn(index.column),
    dimension: index.column.type.vector?.dimension ?? 0,
    metric: index.metric,
  }));
}
