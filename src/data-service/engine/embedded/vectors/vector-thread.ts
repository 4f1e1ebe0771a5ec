// The vector thread: holds the vector indexes, follows the rows, and answers searches in between.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../../../foundation/threads/serve-thread.js';
import { EngineError } from '../../engine-error.js';
import { openForReading } from '../file/open-for-reading.js';
import { readRowNumbers } from '../file/row-numbers.js';
import { packReadError } from '../file/storage-failure.js';
import { statementOf } from '../file/stored-rows.js';
import type { TakenRows } from '../file/take-rows.js';
import type { FilterStatement, SeekInParts } from '../statements/filter-statement.js';
import { lastRowText } from '../statements/vector-statements.js';
import { bestPassing, bestRows } from './best-rows.js';
import { removeSnapshot } from './snapshot.js';
import { type IndexSurroundings, LogTrimmed, type SaveOutcome, StoredIndex } from './stored-index.js';
import {
  type IndexPlace,
  packHits,
  type RowsWanted,
  type SearchAnswer,
  type SearchResult,
  type VectorReply,
  type VectorRequest,
  type VectorSearchRequest,
  type VectorSettings,
} from './vector-messages.js';

const cacheSizeBytes = 8 * 1024 * 1024;
/** Slices of filters (some milliseconds) and steps of linking (10 ms) run between two turns. */
const requestsPerTurn = 64;
const answersPerMessage = 4;
/**
 * The rows that the first slice of a filter compares, and the most that one compares. Other searches wait for the end
 * of a slice, and rows or filters can take a thousand times as long as others.
 */
const rowsOfSlice = { first: 64, most: 20_000 } as const;
/** How long a slice should take: the time of each one decides how many rows the next one has. */
const sliceMs = 10;

/** So many rows that pass a filter are read faster than the nearest rows are compared with it. */
const fewPassing = { rows: 2_000, documents: 100 } as const;
/** The nearest rows that are compared with a filter at first, for each row that is wanted. */
const nearestOfWanted = 4;
/** By how much more rows are compared than are needed by the share of the first ones that passed. */
const nearestOfNeeded = 1.5;
/** So many of the nearest rows are compared at most, in some milliseconds. */
const mostNearest = 600;

type Owner = OwnerPort<VectorRequest, VectorReply>;

function serveVectors({ path, directory, quantization }: VectorSettings, owner: Owner): VectorThread {
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const database = openForReading(path, cacheSizeBytes);
  return new VectorThread(owner, { database, directory, quantization, clock: systemClock });
}

class VectorThread implements ThreadWork<VectorRequest> {
  readonly #owner: Owner;
  readonly #surroundings: IndexSurroundings;
  readonly #database: Database;
  readonly #indexes = new Map<string, StoredIndex>();
  readonly #accepted: VectorRequest[] = [];
  #answers: SearchAnswer[] = [];
  #isServing = false;
  #isWorking = false;
  #isClosing = false;

  constructor(owner: Owner, surroundings: IndexSurroundings) {
    this.#owner = owner;
    this.#surroundings = surroundings;
    this.#database = surroundings.database;
  }

  /** Processes it in a later turn of the event loop: a port delivers all its messages in one turn. */
  receive(request: VectorRequest): void {
    this.#accepted.push(request);
    if (this.#accepted.length === 1) setImmediate(() => this.#serveSome());
  }

  /** Answers several searches with one message, so that the main thread wakes once. */
  #serveSome(): void {
    this.#isServing = true;
    for (const request of this.#accepted.splice(0, requestsPerTurn)) {
      const isSearch = request.kind === 'search' && request.filter === undefined;
      // Ready answers do not wait for a request that may take longer.
      if (!isSearch || this.#answers.length === answersPerMessage) this.#sendAnswers();
      this.#serve(request);
    }
    this.#isServing = false;
    this.#sendAnswers();
    if (this.#accepted.length > 0) setImmediate(() => this.#serveSome());
  }

  #serve(request: VectorRequest): void {
    if (this.#isClosing) return; // the main thread has rejected it
    switch (request.kind) {
      case 'follow':
        this.#follow(request.indexes, request.isOpening);
        this.#expectChanges();
        return;
      case 'changed':
        this.#expectChanges();
        return;
      case 'rebuild':
        void this.#rebuild(request.log);
        return;
      case 'search':
        if (request.filter === undefined) this.#answer(request, undefined);
        else void this.#answerFiltered(request, request.filter);
    }
  }

  #expectChanges(): void {
    for (const index of this.#indexes.values()) index.expectChanges();
    this.#startWork();
  }

  /** Saves indexes with many changes. The main thread has rejected searches; other requests are processed first. */
  async close(): Promise<void> {
    for (const request of this.#accepted.splice(0)) if (request.kind !== 'search') this.#serve(request);
    this.#isClosing = true;
    try {
      for (const index of this.#indexes.values()) await index.close((outcome) => this.#saved(index, outcome));
    } finally {
      this.#database.close();
    }
  }

  #follow(places: readonly IndexPlace[], isOpening: boolean): void {
    const present = new Set(places.map(({ log }) => log));
    for (const [log, index] of this.#indexes) {
      if (present.has(log)) continue;
      this.#indexes.delete(log);
      void index.drop();
    }
    this.#removeUnknownSnapshots(present);
    for (const place of places) if (!this.#indexes.has(place.log)) this.#open(place, isOpening);
  }

  /** Searches compare all rows until it has been loaded again. */
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
      // It was dropped, which the next message reports; otherwise the file cannot be read, and every read fails.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }

  /** Removes the snapshots of dropped indexes. */
  #removeUnknownSnapshots(present: ReadonlySet<string>): void {
    const { directory } = this.#surroundings;
    if (directory === undefined) return;
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

  /** One step for each index in each turn, so that searches are answered in between. */
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
    this.#owner.post({ kind: 'caughtUp' });
  }

  #step(index: StoredIndex): boolean {
    try {
      return index.step((outcome) => this.#saved(index, outcome));
    } catch (error) {
      if (error instanceof LogTrimmed) return true;
      // It was dropped, which the next message reports, or the file cannot be read: then a search fails.
      if (error instanceof DatabaseFailure) return false;
      throw error;
    }
  }

  async #answerFiltered(request: VectorSearchRequest, filter: FilterStatement): Promise<void> {
    try {
      const isLoaded = this.#indexes.get(request.log)?.isLoaded === true;
      const few = isLoaded ? this.#fewPassing(filter) : undefined;
      const taken = isLoaded && few === undefined ? this.#takeNear(request) : undefined;
      if (taken !== undefined) this.#addAnswer({ id: request.id, taken });
      else this.#answer(request, isLoaded ? (few ?? (await this.#passing(request, filter))) : undefined);
    } catch (error) {
      this.#addAnswer({ id: request.id, ...resultOfFailure(error) });
    }
  }

  #answer(request: VectorSearchRequest, passing: Float64Array | undefined): void {
    const { id } = request;
    try {
      this.#addAnswer({ id, ...this.#search(request, passing) });
    } catch (error) {
      this.#addAnswer({ id, ...resultOfFailure(error) });
    }
  }

  #addAnswer(answer: SearchAnswer): void {
    this.#answers.push(answer);
    if (!this.#isServing) this.#sendAnswers();
  }

  #sendAnswers(): void {
    if (this.#answers.length === 0) return;
    this.#owner.post({ kind: 'answers', answers: this.#answers });
    this.#answers = [];
  }

  #search(request: VectorSearchRequest, passing: Float64Array | undefined): SearchResult {
    const index = this.#indexes.get(request.log);
    if (!index?.isLoaded) return { taken: null }; // dropped, and perhaps created again, during the filter
    const { rows } = request;
    return rows === undefined
      ? { found: packHits(index.search(request, passing)) }
      : { taken: this.#rows(index, request, passing, rows) };
  }

  /** Reads index and rows in one snapshot of the file, so that both have the same state. */
  #rows(
    index: StoredIndex,
    request: VectorSearchRequest,
    passing: Float64Array | undefined,
    wanted: RowsWanted,
  ): TakenRows {
    this.#database.statement('BEGIN').run();
    try {
      const { query } = request;
      const { best, isSure } = bestRows(this.#database, query, wanted, index.search(request, passing));
      if (isSure) return best;
      // Rows were deleted or changed before the thread was notified: they are replaced by others.
      const found = index.search({ ...request, hasMoreChanges: true }, passing);
      return bestRows(this.#database, query, wanted, found).best;
    } finally {
      this.#database.endReading();
    }
  }

  /** The numbers of the rows that match a filter, if an index finds them and they are few. */
  #fewPassing(filter: FilterStatement): Float64Array | undefined {
    const { kind, compares } = filter;
    // Where rows are compared, the limit bounds only those that pass.
    if (kind !== 'seek' || compares === 'rows') return undefined;
    const most = compares === 'documents' ? fewPassing.documents : fewPassing.rows;
    const numbers = readRowNumbers(this.#database, filter, most + 1);
    return numbers.length > most ? undefined : numbers;
  }

  /** The best rows of a search if enough of the nearest rows of all pass its filter. */
  #takeNear(request: VectorSearchRequest): TakenRows | undefined {
    const { rows, query } = request;
    const index = this.#indexes.get(request.log);
    if (rows === undefined || index === undefined) return undefined;
    this.#database.statement('BEGIN').run();
    try {
      let hitCount = rows.statement.numbers * nearestOfWanted;
      while (hitCount <= mostNearest) {
        const found = index.search({ ...request, hitCount });
        const { best, passed } = bestPassing(this.#database, query, rows, found);
        if (best !== undefined) return best;
        if (found.hits.length < hitCount) return undefined; // these were all rows
        const needed = Math.ceil((hitCount * nearestOfNeeded * rows.statement.numbers) / passed);
        if (needed <= hitCount) return undefined;
        hitCount = needed;
      }
      return undefined;
    } finally {
      this.#database.endReading();
    }
  }

  /** The numbers of the rows that match a search's filter. */
  async #passing(request: VectorSearchRequest, filter: FilterStatement): Promise<Float64Array> {
    const { kind, inParts } = filter;
    const deadlineMs = this.#surroundings.clock.monotonicMs() + request.time.leftMs;
    if (inParts !== undefined) return this.#passingInParts(request, deadlineMs, inParts);
    if (kind === 'seek') return readRowNumbers(this.#database, filter, Number.MAX_SAFE_INTEGER);
    const statement = statementOf(this.#database, filter.sql, false);
    const table = this.#indexes.get(request.log)?.place.table ?? '';
    const last = statementOf(this.#database, lastRowText(table), false).get()?.[0];
    return this.#inSlices(request, deadlineMs, Number(last ?? 0), (from, to) =>
      statement.all([from, to, ...filter.values]),
    );
  }

  #passingInParts(
    request: VectorSearchRequest,
    deadlineMs: number,
    { candidates, passing }: SeekInParts,
  ): Promise<Float64Array> {
    const found = statementOf(this.#database, candidates.sql, false).all(candidates.values);
    const numbers = found.map(([id]) => Number(id));
    const statement = statementOf(this.#database, passing.sql, false);
    return this.#inSlices(request, deadlineMs, numbers.length, (from, to) =>
      statement.all([`[${numbers.slice(from, to).join(',')}]`, ...passing.values]),
    );
  }

  /** The row numbers of slices of so many rows in all; other requests are served between slices. */
  async #inSlices(
    { time }: VectorSearchRequest,
    deadlineMs: number,
    count: number,
    compare: (from: number, to: number) => readonly SqlRowArray[],
  ): Promise<Float64Array> {
    const { clock } = this.#surroundings;
    const passing: number[] = [];
    let size: number = rowsOfSlice.first;
    for (let from = 0; from < count; ) {
      const startMs = clock.monotonicMs();
      if (startMs > deadlineMs) throw new EngineError('timeout', `over ${time.timeoutMs} ms`);
      for (const [id] of compare(from, from + size)) passing.push(Number(id));
      from += size;
      size = nextSize(size, clock.monotonicMs() - startMs);
      await nextTurn();
    }
    return Float64Array.from(passing);
  }

  #saved({ place: { log } }: StoredIndex, outcome: SaveOutcome): void {
    if (outcome.kind === 'saved') this.#owner.post({ kind: 'saved', log, sequence: outcome.sequence });
    else this.#owner.post({ kind: 'saveFailed', log, message: messageOf(outcome.error) });
    if (!this.#isClosing) this.#startWork();
  }
}

/** The rows of the slice behind one that took so long: at most twice as many. */
function nextSize(size: number, tookMs: number): number {
  const fitting = Math.floor((size * sliceMs) / Math.max(tookMs, sliceMs / 2));
  return Math.min(Math.max(1, fitting), rowsOfSlice.most);
}

function resultOfFailure(error: unknown) {
  return error instanceof LogTrimmed ? { taken: null } : { failure: packReadError(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

serveThread(serveVectors);
