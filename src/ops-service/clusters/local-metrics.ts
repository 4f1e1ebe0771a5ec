// Reads the metrics of the cluster `local`: of the process through the link, of the machine and the files directly.
import type { MachineFigures } from '../../foundation/machine/read-machine.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { DataServiceLink } from './data-service-link.js';
import { readingsOfMachine } from './machine-readings.js';
import { type LocalReading, type ProcessFigures, readingsOfProcess } from './process-readings.js';

/** The sources of the readings. */
export interface LocalSources {
  readonly clock: Clock;
  readonly dataService: DataServiceLink;
  readMachine(): Promise<MachineFigures>;
  /** Bytes of the files of the data directory; undefined when it cannot be read. */
  readDataBytes(): Promise<number | undefined>;
  /** Bytes by `keyspace.table`; may take a long time, but does not block this thread. The signal ends it. */
  readTableBytes(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  readonly logger: Logger;
}

/** The result of a reading. */
export interface LocalReadings {
  readonly readings: readonly LocalReading[];
  /** Undefined when the data directory cannot be read. */
  readonly dataBytes: number | undefined;
}

/** The time between two counts of the pages of all tables, and before the first count. */
const tableBytesIntervalMs = 10 * 60_000;
const firstTableBytesMs = 60_000;
/** The maximum share of the time that counting may take. */
const mostShareOfCounting = 0.02;

export class LocalMetrics {
  readonly #sources: LocalSources;
  #process: ProcessFigures | undefined;
  #machine: { readonly figures: MachineFigures; readonly atMs: number } | undefined;
  #tableBytes: ReadonlyMap<string, number> = new Map();
  #nextTableBytesMs: number;
  readonly #closing = new AbortController();
  #counting: Promise<void> | undefined;

  constructor(sources: LocalSources) {
    this.#sources = sources;
    this.#nextTableBytesMs = sources.clock.monotonicMs() + firstTableBytesMs;
  }

  /** The readings since the last call. @throws Error when the main thread no longer answers */
  async read(tables: readonly string[]): Promise<LocalReadings> {
    const { clock, dataService, readMachine, readDataBytes } = this.#sources;
    if (tables.length > 0) this.#countTableBytes();
    const [process, machine, dataBytes] = await Promise.all([
      dataService.call('readMetrics', undefined),
      readMachine(),
      readDataBytes(),
    ]);
    const atMs = clock.monotonicMs();
    const seconds = (atMs - (this.#machine?.atMs ?? atMs)) / 1000;
    const readings = [
      ...readingsOfProcess(process, this.#process, tables),
      ...readingsOfMachine(machine, this.#machine?.figures, seconds),
      ...(dataBytes === undefined ? [] : [{ key: 'data-load', value: dataBytes }]),
      ...this.#readingsOfTableBytes(tables),
    ];
    this.#process = process;
    this.#machine = { figures: machine, atMs };
    return { readings, dataBytes };
  }

  #readingsOfTableBytes(tables: readonly string[]): readonly LocalReading[] {
    return tables.flatMap((table) => {
      const value = this.#tableBytes.get(table);
      if (value === undefined) return [];
      return [
        { key: 'cf-total-disk-used', table, value },
        { key: 'cf-live-disk-used', table, value },
      ];
    });
  }

  /** Ends the counting of pages, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#counting;
  }

  #countTableBytes(): void {
    const { clock, readTableBytes, logger } = this.#sources;
    const startedMs = clock.monotonicMs();
    const { signal } = this.#closing;
    if (startedMs < this.#nextTableBytesMs || signal.aborted) return;
    this.#nextTableBytesMs = Number.POSITIVE_INFINITY;
    this.#counting = readTableBytes(signal)
      .then(
        (bytes) => {
          this.#tableBytes = bytes;
        },
        (err: unknown) => {
          if (!signal.aborted) logger.warn({ err }, 'the sizes of tables could not be counted');
        },
      )
      .finally(() => {
        const endedMs = clock.monotonicMs();
        const pauseMs = Math.max(tableBytesIntervalMs, (endedMs - startedMs) / mostShareOfCounting);
        this.#nextTableBytesMs = endedMs + pauseMs;
      });
  }
}
