// Assigns the slices of long reads to scan threads, which are started on demand.
import { availableParallelism } from 'node:os';
import { engineClosed } from '../../engine-error.js';
import { readsBigInts } from '../file/stored-rows.js';
import type { WordSliceRequest } from '../postings/word-slices.js';
import type { SelectStatement } from '../statements/select-text.js';
import type { ScanFindings, ScanRequest, ScanSettings } from './scan-messages.js';
import { ScanThreadClient, type WaitingSlice } from './scan-thread-client.js';

/** More threads would only wait for the disk, and each takes about ten megabytes. */
const mostThreads = Math.min(2, availableParallelism());

/** Runs the slices of long reads. */
export interface SliceRunner {
  /** How many slices run at the same time. */
  readonly width: number;
  /**
   * Runs statements in one snapshot; the first may return many rows, see `ScanRequest.maxBytes`. Rejects with an
   * EngineError.
   */
  runSlice(statements: readonly SelectStatement[], maxBytes: number): Promise<ScanFindings>;
  /** Runs a slice of a text search in one snapshot. Rejects with an EngineError. */
  runWords(words: WordSliceRequest, maxBytes: number): Promise<ScanFindings>;
}

/** The request for a thread to run statements. */
export function scanRequest(
  statements: readonly SelectStatement[],
  maxBytes: number,
  allOrNone: boolean,
): ScanRequest {
  return {
    maxBytes,
    allOrNone,
    statements: statements.map(({ sql, values, columns, unlessRows }) => ({
      sql,
      values,
      readBigInts: readsBigInts(columns),
      unlessRows,
    })),
  };
}

/** The scan threads; must be closed before the data file. */
export class Scanner implements SliceRunner {
  readonly width = mostThreads;
  readonly #settings: ScanSettings;
  readonly #mostBytes: number;
  readonly #clients = new Set<ScanThreadClient>();
  readonly #queue: WaitingSlice[] = [];
  #starting: Promise<void> | undefined;
  #isClosed = false;

  /** Rows of more than `mostBytes`, which the main thread refuses, are not copied to it. */
  constructor(settings: ScanSettings, mostBytes: number) {
    this.#settings = settings;
    this.#mostBytes = mostBytes;
  }

  runSlice(statements: readonly SelectStatement[], maxBytes: number): Promise<ScanFindings> {
    return this.#run(scanRequest(statements, maxBytes, maxBytes === this.#mostBytes));
  }

  runWords(words: WordSliceRequest, maxBytes: number): Promise<ScanFindings> {
    return this.#run({ statements: [], words, maxBytes, allOrNone: maxBytes === this.#mostBytes });
  }

  #run(request: ScanRequest): Promise<ScanFindings> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#assignSlices();
    });
  }

  /** Rejects waiting and later slices, waits for running ones, ends the threads. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#refuse(engineClosed());
    await this.#starting;
    await Promise.all([...this.#clients].map((client) => client.close()));
  }

  #assignSlices(): void {
    for (const client of this.#clients) {
      if (!client.isIdle) continue;
      const slice = this.#queue.shift();
      if (slice === undefined) return;
      client.run(slice);
    }
    if (this.#queue.length > 0 && this.#clients.size < this.width) this.#starting ??= this.#start();
  }

  async #start(): Promise<void> {
    try {
      const client = await ScanThreadClient.start(this.#settings, {
        onIdle: () => this.#assignSlices(),
        onEnd: (ended) => {
          this.#clients.delete(ended);
          if (!this.#isClosed) this.#assignSlices();
        },
      });
      this.#clients.add(client);
    } catch (error) {
      this.#starting = undefined;
      // The next slice tries to start a thread again; meanwhile other threads may continue.
      if (this.#clients.size === 0) this.#refuse(error);
      return;
    }
    this.#starting = undefined;
    this.#assignSlices();
  }

  #refuse(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }
}
