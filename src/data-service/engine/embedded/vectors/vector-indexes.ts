// The main thread's side of the vector thread, which is started by the first vector index.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadOutcome } from '../../../query/read.js';
import type { Schema } from '../../../schema/keyspace.js';
import { type Table, type VectorIndex, vectorIndexOn } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { sqlColumn, sqlTable, sqlVectorLog } from '../sql-names.js';
import { readsBigInts } from '../stored-rows.js';
import type { TakenRows } from '../take-rows.js';
import { unpackFailure } from '../thread-failure.js';
import { filterStatement } from '../vector-statements.js';
import { maxBytesOf, rankedOutcome } from './exact-search.js';
import { type SearchPlan, unrankedRows } from './search-statements.js';
import type {
  IndexPlace,
  SearchAnswer,
  SearchFailure,
  VectorReply,
  VectorRequest,
  VectorSearchRequest,
  VectorSettings,
} from './vector-messages.js';

/** What the indexes tell whoever opened them. */
export interface VectorListener {
  /** A snapshot holds the changes in a log up to a number: they need not be kept. */
  onSaved(log: string, sequence: number): void;
  /** A snapshot could not be saved, so that the log of changes grows and the next start takes longer. */
  onWarning(error: Error): void;
  /** The thread ended unasked: searches look at every row from now on. */
  onFailure(error: Error): void;
}

interface Waiting {
  readonly resolve: (taken: TakenRows | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The vector indexes of a data file; closed before the file is. */
export class VectorIndexes {
  readonly #settings: VectorSettings;
  readonly #listener: VectorListener;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #lastId = 0;
  /** Whether the thread knows that rows changed, and whether more did since. */
  #news: 'none' | 'told' | 'toldAndMore' = 'none';
  #isClosing = false;

  constructor(settings: VectorSettings, listener: VectorListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  /** Takes the indexes of a schema for the present ones. `isOpening`: they may have been saved before. */
  follow(schema: Schema, isOpening = false): void {
    const tables = [...schema.keyspaces.values()].flatMap(({ tables: own }) => [...own.values()]);
    const indexes = tables.flatMap((table) => placesOf(table));
    if (indexes.length === 0 && this.#worker === undefined) return;
    this.#post({ kind: 'follow', indexes, isOpening });
    // What was acknowledged before, as far as it is new.
    this.#news = 'told';
  }

  /** Rows of a table changed: the indexes are brought up to them, which the next search would do otherwise. */
  changed(table: Table): void {
    if (this.#worker === undefined || !table.indexes.some(({ kind }) => kind === 'vector')) return;
    if (this.#news !== 'none') {
      this.#news = 'toldAndMore';
      return;
    }
    this.#news = 'told';
    this.#post({ kind: 'changed' });
  }

  /** Builds an index anew from its rows, while searches look at all of them. */
  rebuild(table: Table, index: VectorIndex): void {
    this.#post({ kind: 'rebuild', log: sqlVectorLog(table, index) });
  }

  /** Carries a search out; undefined where the index is not there yet. Rejects with an EngineError. */
  async search(wanted: SearchPlan, timeoutMs: number): Promise<ReadOutcome | undefined> {
    const { plan, search } = wanted;
    const index = vectorIndexOn(plan.table, search.column);
    if (this.#worker === undefined || index === undefined) return undefined;
    const { sql, values, numbers, columns } = unrankedRows(wanted, plan.limit + spareRows(plan.limit));
    this.#lastId += 1;
    const request: VectorSearchRequest = {
      kind: 'search',
      id: this.#lastId,
      log: sqlVectorLog(plan.table, index),
      query: search.query,
      metric: search.metric,
      limit: plan.limit,
      filter: filterStatement(plan),
      rows: { sql, values, numbers, readBigInts: readsBigInts(columns) },
      maxBytes: maxBytesOf(wanted),
      hasMoreChanges: this.#news === 'toldAndMore',
      timeoutMs,
    };
    this.#post(request);
    const taken = await new Promise<TakenRows | null>((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
    });
    return taken === null ? undefined : rankedOutcome(wanted, taken.rows, taken.isCut);
  }

  /** Answers the searches under way as far as they are done, saves what is worth it, ends the thread. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    for (const { reject } of this.#waiting.values()) reject(closed());
    this.#waiting.clear();
    this.#worker?.postMessage('close' satisfies VectorRequest);
    await this.#exited;
  }

  #post(request: VectorRequest): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./vector-thread.js', import.meta.url), { workerData: this.#settings });
    let failure: Error | undefined;
    worker.on('message', (reply: VectorReply | 'ready') => {
      if (reply !== 'ready') this.#take(reply);
    });
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', () => this.#end(failure));
    this.#exited = once(worker, 'exit').catch(() => undefined); // an error is told to the listener
    return worker;
  }

  #take(reply: VectorReply): void {
    switch (reply.kind) {
      case 'answers':
        for (const answer of reply.answers) this.#settle(answer);
        return;
      case 'saved':
        this.#listener.onSaved(reply.log, reply.sequence);
        return;
      case 'saveFailed':
        this.#listener.onWarning(
          new Error(`the snapshot of the vector index ${reply.log} was not saved: ${reply.message}`),
        );
        return;
      case 'caughtUp':
        if (this.#news === 'toldAndMore') this.#post({ kind: 'changed' });
        this.#news = this.#news === 'toldAndMore' ? 'told' : 'none';
    }
  }

  #settle(answer: SearchAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.failure === undefined) waiting?.resolve(answer.taken);
    else waiting?.reject(toError(answer.failure));
  }

  #end(failure: Error | undefined): void {
    if (this.#isClosing) return;
    this.#worker = undefined;
    for (const { resolve } of this.#waiting.values()) resolve(null); // every row is looked at instead
    this.#waiting.clear();
    this.#listener.onFailure(failure ?? new Error('the vector thread ended'));
  }
}

/** Scores are sums in doubles: rows at the end that are almost equally near may change their places by them. */
function spareRows(limit: number): number {
  return Math.max(4, Math.ceil(limit / 50));
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

function toError(failure: SearchFailure): unknown {
  return failure.kind === 'timeout'
    ? new EngineError('timeout', failure.message)
    : unpackFailure(failure, 'a search failed in the vector thread');
}

function closed(): EngineError {
  return new EngineError('closed', 'the server is shutting down');
}
