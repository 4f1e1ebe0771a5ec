// The vector thread: holds the vector indexes, follows the rows, and answers searches in between.
import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { FollowedIndexes, IndexFailed } from './followed-indexes.js';
import { type IndexSearch, type IndexSurroundings, LogTrimmed, type StoredIndex } from './stored-index.js';
import {
  type FoundRows,
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
  const database = openForReading(path, cacheSizeBytes);
  const onWarning = (problem: string, error: unknown) =>
    owner.post({ kind: 'warning', message: `${problem}: ${messageOf(error)}` });
  return new VectorThread(owner, { database, directory, quantization, clock: systemClock, onWarning });
}

class VectorThread implements ThreadWork<VectorRequest> {
  readonly #owner: Owner;
  readonly #surroundings: IndexSurroundings;
  readonly #database: Database;
  readonly #indexes: FollowedIndexes;
  readonly #accepted: VectorRequest[] = [];
  #answers: SearchAnswer[] = [];
  #isServing = false;
  #isClosing = false;

  constructor(owner: Owner, surroundings: IndexSurroundings) {
    this.#owner = owner;
    this.#surroundings = surroundings;
    this.#database = surroundings.database;
    this.#indexes = new FollowedIndexes(surroundings, (reply) => owner.post(reply));
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
        this.#indexes.follow(request.indexes, request.isOpening);
        return;
      case 'changed':
        this.#indexes.expectChanges();
        return;
      case 'rebuild':
        void this.#indexes.rebuild(request.log);
        return;
      case 'search':
        if (request.filter === undefined) this.#answer(request, undefined);
        else void this.#answerFiltered(request, request.filter);
    }
  }

  /** Saves indexes with many changes. The main thread has rejected searches; other requests are processed first. */
  async close(): Promise<void> {
    for (const request of this.#accepted.splice(0)) if (request.kind !== 'search') this.#serve(request);
    this.#isClosing = true;
    try {
      await this.#indexes.close();
    } finally {
      this.#database.close();
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
      ? { found: packHits(this.#nearest(index, request, passing)) }
      : { taken: this.#rows(index, request, passing, rows) };
  }

  #nearest(index: StoredIndex, search: IndexSearch, passing: Float64Array | undefined): FoundRows {
    return this.#indexes.searched(index, () => index.search(search, passing));
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
      const { best, isSure } = bestRows(
        this.#database,
        query,
        wanted,
        this.#nearest(index, request, passing),
      );
      if (isSure) return best;
      // Rows were deleted or changed before the thread was notified: they are replaced by others.
      const found = this.#nearest(index, { ...request, hasMoreChanges: true }, passing);
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
        const found = this.#nearest(index, { ...request, hitCount }, undefined);
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
}

/** The rows of the slice behind one that took so long: at most twice as many. */
function nextSize(size: number, tookMs: number): number {
  const fitting = Math.floor((size * sliceMs) / Math.max(tookMs, sliceMs / 2));
  return Math.min(Math.max(1, fitting), rowsOfSlice.most);
}

function resultOfFailure(error: unknown) {
  return error instanceof LogTrimmed || error instanceof IndexFailed
    ? { taken: null }
    : { failure: packReadError(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

serveThread(serveVectors);
