// The vector thread: holds the vector indexes, follows the rows, and answers searches in between.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import {
  type Database,
  openDatabase,
  type SqlRowArray,
} from '../../../../foundation/sqlite/open-database.js';
import { type Clock, systemClock } from '../../../../foundation/telemetry/clock.js';
import { takeWaiting } from '../../../../foundation/threads/take-waiting.js';
import { sqlFunctions } from '../sql-functions.js';
import { type TakenRows, takeRows } from '../take-rows.js';
import { packFailure } from '../thread-failure.js';
import { type FilterStatement, lastRowText } from '../vector-statements.js';
import type { Find } from './graph.js';
import { isBeyond, rankRows, surelyBest } from './rank-rows.js';
import { removeSnapshot } from './snapshot.js';
import { type IndexSurroundings, type SaveOutcome, StoredIndex } from './stored-index.js';
import type {
  IndexPlace,
  SearchAnswer,
  SearchFailure,
  VectorReply,
  VectorRequest,
  VectorSearchRequest,
  VectorSettings,
} from './vector-messages.js';

const cacheSizeBytes = 8 * 1024 * 1024;
/** Requests that are served before anything else happens: as many searches take a millisecond or two. */
const requestsPerTurn = 4;
/** Rows that a slice of a filter looks at: a search of others may wait behind it. */
const rowsPerSlice = 20_000;

/** A search took longer than it may. */
class TimeoutError extends Error {}

function serveVectors(port: MessagePort, settings: VectorSettings, clock: Clock): void {
  mkdirSync(settings.directory, { recursive: true });
  const path = settings.path;
  const database = openDatabase({
    path,
    readOnly: true,
    cacheSizeBytes,
    busyTimeoutMs: 1_000,
    functions: sqlFunctions,
  });
  const thread = new VectorThread(port, { database, directory: settings.directory, clock });
  port.on('message', (first: VectorRequest) => {
    const requests = [first, ...takeWaiting<VectorRequest>(port, requestsPerTurn - 1)];
    thread.serve(requests.filter((request) => request !== 'close'));
    if (!requests.includes('close')) return;
    void thread.close().finally(() => {
      database.close();
      port.close(); // the thread ends by itself, see the writer thread
    });
  });
  port.postMessage('ready');
}

class VectorThread {
  readonly #port: MessagePort;
  readonly #surroundings: IndexSurroundings;
  readonly #database: Database;
  readonly #indexes = new Map<string, StoredIndex>();
  #answers: SearchAnswer[] = [];
  #isServing = false;
  #isWorking = false;
  #isClosing = false;

  constructor(port: MessagePort, surroundings: IndexSurroundings) {
    this.#port = port;
    this.#surroundings = surroundings;
    this.#database = surroundings.database;
  }

  /** Answers what it can answer at once together: that wakes the main thread, and its clients, once. */
  serve(requests: readonly Exclude<VectorRequest, 'close'>[]): void {
    this.#isServing = true;
    for (const request of requests) this.#serve(request);
    this.#isServing = false;
    this.#sendAnswers();
  }

  #serve(request: Exclude<VectorRequest, 'close'>): void {
    switch (request.kind) {
      case 'follow':
        this.#follow(request.indexes, request.isOpening);
        this.#startWork();
        return;
      case 'changed':
        for (const index of this.#indexes.values()) index.expectChanges();
        this.#startWork();
        return;
      case 'rebuild':
        void this.#rebuild(request.log);
        return;
      case 'search':
        if (request.filter === undefined) this.#answer(request, undefined);
        else void this.#answerFiltered(request, request.filter);
    }
  }

  /** Saves what is worth it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const index of this.#indexes.values()) await index.close((outcome) => this.#saved(index, outcome));
  }

  #follow(places: readonly IndexPlace[], isOpening: boolean): void {
    const present = new Set(places.map(({ log }) => log));
    for (const [log, index] of this.#indexes) {
      if (present.has(log)) continue;
      this.#indexes.delete(log);
      void index.drop();
    }
    this.#removeStrangers(present);
    for (const place of places) if (!this.#indexes.has(place.log)) this.#open(place, isOpening);
  }

  /** Searches look at every row until it is loaded again. */
  async #rebuild(log: string): Promise<void> {
    const index = this.#indexes.get(log);
    if (index === undefined) return;
    this.#indexes.delete(log);
    await index.drop();
    if (this.#isClosing || this.#indexes.has(log)) return;
    this.#open(index.place, false);
    this.#startWork();
  }

  #open(place: IndexPlace, isOpening: boolean): void {
    try {
      this.#indexes.set(place.log, new StoredIndex(place, this.#surroundings, isOpening));
    } catch (error) {
      // Dropped by now, which the next message tells; otherwise the file fails, and every read says so.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }

  /** Snapshots of indexes that are no more. */
  #removeStrangers(present: ReadonlySet<string>): void {
    const { directory } = this.#surroundings;
    for (const name of readdirSync(directory)) {
      const log = name.replace(/\.graph(\.new)?$/, '');
      if (!present.has(log)) removeSnapshot(join(directory, `${log}.graph`));
    }
  }

  #startWork(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    setImmediate(() => this.#work());
  }

  /** A step for each index, and the next turn the next ones, so that searches are answered in between. */
  #work(): void {
    let hasMore = false;
    for (const index of this.#indexes.values()) {
      if (this.#isClosing) break;
      if (this.#step(index)) hasMore = true;
    }
    if (hasMore) {
      setImmediate(() => this.#work());
      return;
    }
    this.#isWorking = false;
    this.#reply({ kind: 'caughtUp' });
  }

  #step(index: StoredIndex): boolean {
    try {
      return index.step((outcome) => this.#saved(index, outcome));
    } catch (error) {
      // Dropped and not yet told so, or the file fails: then a search hears of it.
      if (error instanceof DatabaseFailure) return false;
      throw error;
    }
  }

  async #answerFiltered(request: VectorSearchRequest, filter: FilterStatement): Promise<void> {
    try {
      const isLoaded = this.#indexes.get(request.log)?.isLoaded === true;
      this.#answer(request, isLoaded ? await this.#passing(request, filter) : undefined);
    } catch (error) {
      this.#tell({ id: request.id, failure: failureOf(error) });
    }
  }

  #answer(request: VectorSearchRequest, passing: Float64Array | undefined): void {
    const { id } = request;
    try {
      this.#tell({ id, taken: this.#search(request, passing) });
    } catch (error) {
      this.#tell({ id, failure: failureOf(error) });
    }
  }

  #tell(answer: SearchAnswer): void {
    this.#answers.push(answer);
    if (!this.#isServing) this.#sendAnswers();
  }

  #sendAnswers(): void {
    if (this.#answers.length === 0) return;
    this.#reply({ kind: 'answers', answers: this.#answers });
    this.#answers = [];
  }

  #search(request: VectorSearchRequest, passing: Float64Array | undefined): TakenRows | null {
    // The rows that are given are those that the index was asked about: nothing is committed in between.
    this.#database.statement('BEGIN').run();
    try {
      const index = this.#indexes.get(request.log);
      if (!index?.isLoaded) return null; // dropped, and perhaps made again, while the filter ran
      index.follow(request.hasMoreChanges);
      const taken = this.#bestRows(request, index, passing);
      if (!taken.isOutdated) return taken.best;
      // Rows are gone or changed that nobody was told of yet: their places are for others.
      index.follow(true);
      return this.#bestRows(request, index, passing).best;
    } finally {
      this.#database.endReading();
    }
  }

  /** The best rows; `isOutdated` where they show that rows are not as the index knows them. */
  #bestRows(
    request: VectorSearchRequest,
    index: StoredIndex,
    passing: Float64Array | undefined,
  ): { readonly best: TakenRows; readonly isOutdated: boolean } {
    const { query, limit, metric, maxBytes, rows } = request;
    const finds = index.search(query, rows.numbers, passing);
    const count = surelyBest(finds, limit, metric);
    let best = rankRows(this.#rowsOf(request, finds.slice(0, count)), request, limit);
    // Rows that no longer match leave room for those behind them.
    if (best.length < limit && count < finds.length)
      best = rankRows(this.#rowsOf(request, finds), request, limit);
    const farthest = finds[count - 1];
    const isOutdated =
      best.length < Math.min(limit, finds.length) ||
      (farthest !== undefined && isBeyond(Number(best.at(-1)?.[0]), farthest, metric));
    return { best: takeRows(best, maxBytes), isOutdated };
  }

  #rowsOf({ rows }: VectorSearchRequest, finds: readonly Find[]): readonly SqlRowArray[] {
    const { sql, values, numbers, readBigInts } = rows;
    const statement = this.#database.statement(sql, { returnArrays: true, readBigInts });
    const missing = Array<null>(numbers - finds.length).fill(null);
    return statement.all([...finds.map(({ label }) => label), ...missing, ...values]);
  }

  /** The numbers of the rows that a search's filter lets pass. */
  async #passing({ timeoutMs, log }: VectorSearchRequest, filter: FilterStatement): Promise<Float64Array> {
    const statement = this.#database.statement(filter.sql, { returnArrays: true });
    if (filter.kind === 'seek') return Float64Array.from(statement.all(filter.values), ([id]) => Number(id));
    const { clock } = this.#surroundings;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    const table = this.#indexes.get(log)?.place.table ?? '';
    const last = this.#database.statement(lastRowText(table), { returnArrays: true }).get()?.[0];
    const passing: number[] = [];
    for (let from = 0; from < Number(last ?? 0); from += rowsPerSlice) {
      if (clock.monotonicMs() > deadlineMs) throw new TimeoutError(`over ${timeoutMs} ms`);
      const rows = statement.all([from, from + rowsPerSlice, ...filter.values]);
      for (const [id] of rows) passing.push(Number(id));
      await nextTurn();
    }
    return Float64Array.from(passing);
  }

  #saved({ place: { log } }: StoredIndex, outcome: SaveOutcome): void {
    if (outcome.kind === 'saved') this.#reply({ kind: 'saved', log, sequence: outcome.sequence });
    else this.#reply({ kind: 'saveFailed', log, message: messageOf(outcome.error) });
    if (!this.#isClosing) this.#startWork();
  }

  #reply(reply: VectorReply): void {
    this.#port.postMessage(reply);
  }
}

function failureOf(error: unknown): SearchFailure {
  return error instanceof TimeoutError ? { kind: 'timeout', message: error.message } : packFailure(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The data is set by the thread's only maker.
if (parentPort !== null) serveVectors(parentPort, workerData as VectorSettings, systemClock);
