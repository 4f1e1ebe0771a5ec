// Hands the slices of long reads to scan threads, which are started when there is something to run.
import { availableParallelism } from 'node:os';
import { engineClosed } from '../../engine-error.js';
import { readsBigInts } from '../file/stored-rows.js';
import type { SelectStatement } from '../statements/select-text.js';
import { ScanLane, type WaitingSlice } from './scan-lane.js';
import type { ScanFindings, ScanRequest, ScanSettings } from './scan-messages.js';

/** More would only wait for the disk, and each takes some ten megabytes. */
const mostThreads = Math.min(2, availableParallelism());

/** Runs the slices of long reads. */
export interface SliceRunner {
  /** How many slices run at the same time. */
  readonly width: number;
  /**
   * Runs statements in one snapshot; the first may give many rows, see `ScanRequest.maxBytes`. Rejects with an
   * EngineError.
   */
  runSlice(statements: readonly SelectStatement[], maxBytes: number): Promise<ScanFindings>;
}

/** What a thread takes to run statements. */
export function scanRequest(
  statements: readonly SelectStatement[],
  maxBytes: number,
  allOrNone: boolean,
): ScanRequest {
  return {
    maxBytes,
    allOrNone,
    statements: statements.map(({ sql, values, columns }) => ({
      sql,
      values,
      readBigInts: readsBigInts(columns),
    })),
  };
}

/** The scan threads; closed before the data file is. */
export class Scanner implements SliceRunner {
  readonly width = mostThreads;
  readonly #settings: ScanSettings;
  readonly #lanes = new Set<ScanLane>();
  readonly #queue: WaitingSlice[] = [];
  #starting: Promise<void> | undefined;
  #isClosed = false;

  constructor(settings: ScanSettings) {
    this.#settings = settings;
  }

  runSlice(
    statements: readonly SelectStatement[],
    maxBytes: number,
    allOrNone = false,
  ): Promise<ScanFindings> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    const request = scanRequest(statements, maxBytes, allOrNone);
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#handOut();
    });
  }

  /** Refuses the slices that wait and further ones, waits for those that run, ends the threads. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#refuse(engineClosed());
    await this.#starting;
    await Promise.all([...this.#lanes].map((lane) => lane.close()));
  }

  #handOut(): void {
    for (const lane of this.#lanes) {
      if (!lane.isIdle) continue;
      const slice = this.#queue.shift();
      if (slice === undefined) return;
      lane.run(slice);
    }
    if (this.#queue.length > 0 && this.#lanes.size < this.width) this.#starting ??= this.#start();
  }

  async #start(): Promise<void> {
    try {
      const lane = await ScanLane.start(this.#settings, {
        onIdle: () => this.#handOut(),
        onEnd: (ended) => {
          this.#lanes.delete(ended);
          if (!this.#isClosed) this.#handOut();
        },
      });
      this.#lanes.add(lane);
    } catch (error) {
      this.#starting = undefined;
      // The next slice tries again; meanwhile others may carry on.
      if (this.#lanes.size === 0) this.#refuse(error);
      return;
    }
    this.#starting = undefined;
    this.#handOut();
  }

  #refuse(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }
}
