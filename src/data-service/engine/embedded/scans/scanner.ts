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
  /** Runs a slice in one snapshot; see `ScanRequest.maxBytes`. Rejects with an EngineError. */
  runSlice(slice: Slice, maxBytes: number): Promise<ScanFindings>;
}

/** Statements of which the first may return many rows, or a slice of a text search. */
export type Slice = readonly SelectStatement[] | WordSliceRequest;

/** The request for a thread to run a slice. */
export function scanRequest(slice: Slice, maxBytes: number, allOrNone: boolean): ScanRequest {
  if ('kind' in slice) return { statements: [], words: slice, maxBytes, allOrNone };
  return {
    maxBytes,
    allOrNone,
    statements: slice.map(({ sql, values, columns, unlessRows }) => ({
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

  runSlice(slice: Slice, maxBytes: number): Promise<ScanFindings> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    const request = scanRequest(slice, maxBytes, maxBytes === this.#mostBytes);
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
