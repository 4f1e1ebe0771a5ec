// The values of metrics over time: combined in memory for a minute, then stored on disk in ever longer steps.

import { getOrMake } from '../../foundation/get-or-make.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type KeptSince, makeKeptSince, measureJumps } from '../../foundation/telemetry/clock-jumps.js';
import { percentileMs } from '../../foundation/telemetry/latency-counts.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { HistogramPart, HistogramReading, Reading } from '../clusters/cluster.js';
import type { Store } from '../store/store.js';
import {
  GroupSums,
  type Point,
  placeOfRow,
  rowId,
  type StepMinutes,
  type Steps,
  slotsPerGroup,
  steps,
  unpackSlot,
} from './rollup-format.js';
import { type NumberedSeries, SeriesIndex, type SeriesPlace } from './series-index.js';

const minuteMs = 60_000;
const minutesPerDay = 1440;
/** The memory of a packed row in addition to its bytes. */
const rowSizeBytes = 300;

/** What series need from outside. */
export interface SeriesSurroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Further series are not stored. */
  readonly mostSeries?: number;
}

/** The series of all clusters. */
export class Series {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keptSince: KeptSince;
  readonly #takeJump: () => number;
  readonly #index: SeriesIndex;
  /** The current minute. */
  #minute: number;
  /** The minute of the last check of longer steps. */
  #settledMinute = 0;
  readonly #groups = new Map<number, GroupSums>();
  /** For each step, the first minute of the bucket up to which rollups are complete. */
  readonly #rolledUpTo = new Map<StepMinutes, number>();

  constructor({ store, clock, logger, mostSeries }: SeriesSurroundings) {
    this.#store = store;
    this.#clock = clock;
    this.#keptSince = makeKeptSince(clock);
    this.#takeJump = measureJumps(clock);
    this.#index = new SeriesIndex(store, logger, mostSeries);
    this.#minute = this.#nowMinute();
  }

  /** Adds the present readings. */
  accept(clusterId: string, readings: readonly Reading[]): void {
    this.#closeMinute();
    const unknown = readings.flatMap((reading) => this.#sum(clusterId, reading));
    // While the disk is full no series are added, because the numbers of all series must be on disk.
    if (unknown.length === 0 || !this.#store.isWritable) return;
    const places = unknown.map(({ place }) => place);
    this.#index.add(clusterId, this.#index.recall(clusterId, places));
    for (const { place, value } of unknown) this.#sumValue(clusterId, place, value);
  }

  /** The number of series in memory: those of the last minutes. */
  get rememberedCount(): number {
    return this.#index.rememberedCount;
  }

  /** Writes completed minutes and deletes old rows; called about every second. */
  tick(): void {
    this.#closeMinute();
    // Values that wait for the disk are rolled up when they have been written.
    if (this.#minute === this.#settledMinute || !this.#store.isWritable) return;
    this.#settledMinute = this.#minute;
    // Determines again where to continue: after the newest row before the new time.
    if (this.#takeJump() !== 0) this.#rolledUpTo.clear();
    for (const { minutes } of steps.slice(1)) this.#rollUp(minutes);
    this.#dropOld();
  }

  /** The series of a key. */
  list(clusterId: string, key: string): readonly NumberedSeries[] {
    return this.#index.list(clusterId, key);
  }

  /** The points of series that begin from `startS` to `endS`, by number of the series. */
  read(
    ids: readonly number[],
    step: StepMinutes,
    startS: number,
    endS: number,
  ): ReadonlyMap<number, readonly Point[]> {
    const points = new Map<number, Point[]>(ids.map((id) => [id, []]));
    const walk = this.walk(ids, this.stepsOf(step, startS, endS), (id, point) => points.get(id)?.push(point));
    while (walk.next().done !== true);
    return points;
  }

  /**
   * Visits the points of series in the order of time. The last step may be incomplete. Each step of the generator reads
   * one row of the file, once for all series in it.
   */
  *walk(
    ids: readonly number[],
    { step, firstS, count }: Steps,
    visit: (id: number, point: Point) => void,
  ): Generator<void, void> {
    const groups = byGroup(ids);
    for (let at = 0; at < count; at += 1) {
      const minute = firstS / 60 + at * step;
      for (const [group, idsOfGroup] of groups) {
        const data = this.#readRow(step, minute, group);
        if (data !== undefined) visitRow(data, minute * 60, idsOfGroup, visit);
        yield;
      }
    }
  }

  /** The number of rows that `walk` reads for each step. */
  rowsPerStep(ids: readonly number[]): number {
    return new Set(ids.map(groupOf)).size;
  }

  /** The steps of a time range for which points may be stored. */
  stepsOf(step: StepMinutes, startS: number, endS: number): Steps {
    const nowMinute = this.#nowMinute();
    const keptDays = steps.find(({ minutes }) => minutes === step)?.keptDays ?? 0;
    const oldest = Math.max(Math.ceil(startS / 60), nowMinute - keptDays * minutesPerDay);
    const first = Math.ceil(oldest / step) * step;
    const newest = Math.min(Math.floor(endS / 60), nowMinute);
    return { step, firstS: first * 60, count: Math.max(0, Math.floor((newest - first) / step) + 1) };
  }

  /** Deletes a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.#index.forgetCluster(clusterId);
  }

  #nowMinute(): number {
    return Math.floor(this.#clock.nowMs() / minuteMs);
  }

  /** Adds a reading; returns the values of new series. */
  #sum(clusterId: string, reading: Reading): readonly { place: SeriesPlace; value: number }[] {
    if ('histogram' in reading) {
      return partsOf(reading).flatMap(([part, value]) => this.#sumPart(clusterId, reading, part, value));
    }
    return this.#sumPart(clusterId, reading, reading.part ?? '', reading.value);
  }

  #sumPart(
    clusterId: string,
    { key, node, table, device }: Reading,
    part: HistogramPart | '',
    value: number,
  ): readonly { place: SeriesPlace; value: number }[] {
    const subject = table ?? device ?? '';
    const id = this.#index.find(clusterId, key, node, subject, part);
    if (id === undefined) return [{ place: { key, node, subject, part }, value }];
    this.#addTo(id, value);
    return none;
  }

  #sumValue(clusterId: string, { key, node, subject, part }: SeriesPlace, value: number): void {
    const id = this.#index.find(clusterId, key, node, subject, part);
    if (id !== undefined) this.#addTo(id, value);
  }

  #addTo(id: number, value: number): void {
    const group = groupOf(id);
    getOrMake(this.#groups, group, newSums).add(id % slotsPerGroup, value);
  }

  /** Writes the current minute when another one has begun. */
  #closeMinute(): void {
    const now = this.#nowMinute();
    if (now === this.#minute) return;
    this.#write(1, this.#minute, this.#groups);
    for (const [group, sums] of this.#groups) {
      // Numbers are not used again: a group that gets no more values would stay forever.
      if (sums.isEmpty) this.#groups.delete(group);
      else sums.clear();
    }
    this.#minute = now;
  }

  /**
   * Computes the complete rollups of a step that are missing, also those that were missed while the server was stopped.
   */
  #rollUp(step: StepMinutes): void {
    const finer = finerThan(step);
    const current = bucketOf(this.#nowMinute(), step);
    // Ignores rollups of a later time, which were made while the clock was wrong.
    if (!this.#rolledUpTo.has(step)) this.#rolledUpTo.set(step, this.#newestRow(step, current) + step);
    for (;;) {
      const from = this.#rolledUpTo.get(step) ?? 0;
      if (from >= current) return;
      const first = this.#firstRowFrom(finer, from);
      // Rows that wait for the disk cannot be read, so their rollups wait too.
      if (!this.#store.isWritable) return;
      const bucket = first === undefined ? current : bucketOf(first, step);
      this.#rolledUpTo.set(step, Math.min(bucket + step, current));
      if (bucket >= current) return;
      this.#write(step, bucket, this.#merge(finer, bucket, bucket + step));
    }
  }

  /** A rollup that was lost because the disk was full is computed again; its source is on disk. */
  #rollUpAgain(step: StepMinutes, bucket: number): void {
    if (step !== 1) this.#rolledUpTo.set(step, Math.min(bucket, this.#rolledUpTo.get(step) ?? bucket));
  }

  /** The newest bucket of a step on disk before a minute; a negative minute if there is none. */
  #newestRow(step: StepMinutes, before: number): number {
    const row = this.#store.read((database) =>
      database
        .statement('SELECT max(id) AS id FROM rollups WHERE id BETWEEN ? AND ?')
        .get([rowId(step, 0, 0), rowId(step, Math.max(0, before), 0) - 1]),
    );
    return row === undefined || row['id'] === null ? -step : placeOfRow(Number(row['id'])).minute;
  }

  #firstRowFrom(step: StepMinutes, minute: number): number | undefined {
    const row = this.#store.read((database) =>
      database
        .statement('SELECT min(id) AS id FROM rollups WHERE id BETWEEN ? AND ?')
        .get([rowId(step, Math.max(0, minute), 0), lastRow(step)]),
    );
    return row === undefined || row['id'] === null ? undefined : placeOfRow(Number(row['id'])).minute;
  }

  /** Combines the rows of a step in a time range, by group. */
  #merge(step: StepMinutes, fromMinute: number, toMinute: number): ReadonlyMap<number, GroupSums> {
    const groups = new Map<number, GroupSums>();
    this.#store.read((database) => {
      const rows = database.statement('SELECT id, data FROM rollups WHERE id >= ? AND id < ?');
      for (const { id, data } of rows.iterate([rowId(step, fromMinute, 0), rowId(step, toMinute, 0)])) {
        const { group } = placeOfRow(Number(id));
        const sums = getOrMake(groups, group, newSums);
        if (data instanceof Uint8Array) sums.addPacked(data);
      }
    });
    return groups;
  }

  #write(step: StepMinutes, minute: number, groups: Iterable<readonly [number, GroupSums]>): void {
    const rows = [...groups].flatMap(([group, sums]) => {
      const data = sums.pack((slot) => this.#index.isPart(group * slotsPerGroup + slot));
      return data === undefined ? [] : [[rowId(step, minute, group), data] as const];
    });
    if (rows.length === 0) return;
    this.#store.record(
      (database) => {
        const insert = database.statement('INSERT OR REPLACE INTO rollups VALUES (?, ?)');
        for (const row of rows) insert.run(row);
      },
      {
        expendable: 'sample',
        sizeBytes: rows.reduce((sum, [, data]) => sum + rowSizeBytes + data.length, 0),
        onLoss: () => this.#rollUpAgain(step, minute),
      },
    );
  }

  #dropOld(): void {
    if (this.#nowMinute() % 5 !== 0) return;
    this.#index.forgetUnused();
    const ends = steps.map(({ minutes, keptDays }) => {
      const before = Math.floor(this.#keptSince(keptDays * minutesPerDay * minuteMs) / minuteMs);
      return { minutes, before: Math.max(0, before) };
    });
    this.#store.record((database) => {
      const drop = database.statement('DELETE FROM rollups WHERE id BETWEEN ? AND ?');
      for (const { minutes, before } of ends) drop.run([rowId(minutes, 0, 0), rowId(minutes, before, 0)]);
    });
  }

  /** A row on disk; the row of the current period is computed from what is available. */
  #readRow(step: StepMinutes, minute: number, group: number): Uint8Array | undefined {
    if (step === 1 && minute === this.#minute)
      return this.#groups.get(group)?.pack(this.#partsOfGroup(group));
    const row = this.#store.read((database) =>
      database.statement('SELECT data FROM rollups WHERE id = ?').get([rowId(step, minute, group)]),
    );
    if (row?.['data'] instanceof Uint8Array) return row['data'];
    if (step === 1 || minute + step <= this.#minute) return undefined;
    const sums = new GroupSums();
    const finer = finerThan(step);
    for (let at = minute; at < minute + step && at <= this.#minute; at += finer) {
      const part = this.#readRow(finer, at, group);
      if (part !== undefined) sums.addPacked(part);
    }
    return sums.pack(this.#partsOfGroup(group));
  }

  #partsOfGroup(group: number): (slot: number) => boolean {
    return (slot) => this.#index.isPart(group * slotsPerGroup + slot);
  }
}

const none: readonly never[] = [];

function newSums(): GroupSums {
  return new GroupSums();
}

const percents = { MIN: 0, P50: 50, P90: 90, P99: 99, MAX: 100 } as const;

/** The parts of a distribution; empty if nothing was measured. */
function partsOf({ histogram }: HistogramReading): readonly (readonly [HistogramPart, number])[] {
  if (histogram.pairs.length === 0) return none;
  return (Object.keys(percents) as HistogramPart[]).map(
    (part) =>
      [part, part === 'MIN' ? histogram.minMs : (percentileMs(histogram, percents[part]) ?? 0)] as const,
  );
}

function visitRow(
  data: Uint8Array,
  atS: number,
  ids: readonly number[],
  visit: (id: number, point: Point) => void,
): void {
  for (const id of ids) {
    const rollup = unpackSlot(data, id % slotsPerGroup);
    if (rollup !== undefined) visit(id, { atS, ...rollup });
  }
}

function byGroup(ids: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const id of ids) getOrMake(groups, groupOf(id), (): number[] => []).push(id);
  return groups;
}

function groupOf(id: number): number {
  return Math.floor(id / slotsPerGroup);
}

function bucketOf(minute: number, step: StepMinutes): number {
  return Math.floor(minute / step) * step;
}

function lastRow(step: StepMinutes): number {
  return rowId(step, 2 ** 26 - 1, 0);
}

function finerThan(step: StepMinutes): StepMinutes {
  const at = steps.findIndex(({ minutes }) => minutes === step);
  return steps[at - 1]?.minutes ?? 1;
}
