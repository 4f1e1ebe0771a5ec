// The series: a number for each combination of key, node, table or device, and part of a distribution.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { HistogramPart } from '../clusters/cluster.js';
import type { Migration, Store } from '../store/store.js';
import { mostGroups, slotsPerGroup } from './rollup-format.js';

/** What a series measures. */
export interface SeriesPlace {
  readonly key: string;
  readonly node: string;
  /** Table or device; empty for the whole node. */
  readonly subject: string;
  /** Empty if the key has no parts. */
  readonly part: HistogramPart | '';
}

/** A series with its number, which never changes and is never used again, because rollups remain after their series. */
export interface NumberedSeries extends SeriesPlace {
  readonly id: number;
}

/** The tables of series and rollups. */
export const metricMigrations: readonly Migration[] = [
  {
    name: 'metrics-1',
    clusterTables: { series: 'cluster_id' },
    sql: `
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  cluster_id TEXT NOT NULL,
  key TEXT NOT NULL,
  node TEXT NOT NULL,
  subject TEXT NOT NULL,
  part TEXT NOT NULL
);
CREATE TABLE rollups (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`,
  },
  {
    name: 'metrics-2',
    sql: 'CREATE TABLE series_numbers (id INTEGER PRIMARY KEY, next_id INTEGER NOT NULL);',
  },
  {
    name: 'metrics-3',
    sql: 'CREATE INDEX series_places ON series (cluster_id, key, node, subject, part);',
  },
];

/** More series are not stored: rules can use their values, but they cannot be looked up later. */
const ordinaryMostSeries = 1_000_000;
/** The numbers that keys of rollups can contain: enough for centuries. */
const mostNumbers = slotsPerGroup * mostGroups;

/**
 * The series of all clusters. Series that get values are in memory; the others, mostly of dropped tables, are on disk
 * as long as their rollups.
 */
export class SeriesIndex {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #mostSeries: number;
  /** The ids by cluster, key, node, and by table or device and part. */
  readonly #ids = new Map<string, Map<string, Map<string, Map<string, number>>>>();
  /** The flags of each series by its number. `flags` names the bits. */
  #flags = new Uint8Array(256);
  #nextId = 0;
  /** The number of series by cluster, including those on disk. */
  readonly #counts = new Map<string, number>();
  #hasReportedLimit = false;

  constructor(store: Store, logger: Logger, mostSeries: number = ordinaryMostSeries) {
    this.#store = store;
    this.#logger = logger;
    this.#mostSeries = mostSeries;
    store.read((database) => {
      const kept = database.statement('SELECT next_id FROM series_numbers').get();
      this.#nextId = Number(kept?.['next_id'] ?? 0);
      // All are loaded, because the first reading has values for many; loading them one by one would take too long.
      for (const row of database.statement('SELECT * FROM series').iterate()) {
        const place = {
          key: String(row['key']),
          node: String(row['node']),
          subject: String(row['subject']),
          part: String(row['part']) as HistogramPart | '', // written by `add`
        };
        const clusterId = String(row['cluster_id']);
        this.#put(clusterId, place, Number(row['id']));
        this.#count(clusterId);
      }
    });
  }

  /** The number of series in memory. */
  get rememberedCount(): number {
    const byKeys = [...this.#ids.values()].flatMap((byKey) => [...byKey.values()]);
    return sumOf(byKeys.flatMap((byNode) => [...byNode.values()].map(({ size }) => size)));
  }

  /** The number of a series in memory. */
  find(clusterId: string, key: string, node: string, subject: string, part: string): number | undefined {
    const id = this.#ids.get(clusterId)?.get(key)?.get(node)?.get(nameOf(subject, part));
    if (id !== undefined) this.#flags[id] = (this.#flags[id] ?? 0) | flags.used;
    return id;
  }

  /** Loads series from disk into memory; returns those that do not exist. Everything recorded must be on disk. */
  recall(clusterId: string, places: readonly SeriesPlace[]): readonly SeriesPlace[] {
    return this.#store.read((database) => {
      const statement = database.statement(
        `${selectSeries} AND node = ? AND subject = ? AND part = ?`,
        asArrays,
      );
      return places.filter((place) => {
        const { key, node, subject, part } = place;
        const id = statement.get([clusterId, key, node, subject, part])?.[0];
        if (id !== undefined) this.#put(clusterId, place, Number(id));
        return id === undefined;
      });
    });
  }

  /** Removes from memory the series that got no value since the last call. They must be on disk. */
  forgetUnused(): void {
    for (const byKey of this.#ids.values()) {
      for (const [key, byNode] of byKey) {
        for (const [node, byName] of byNode) {
          for (const [name, id] of byName) if (!this.#has(id, flags.used)) byName.delete(name);
          if (byName.size === 0) byNode.delete(node);
        }
        if (byNode.size === 0) byKey.delete(key);
      }
    }
    this.#flags = this.#flags.map((bits) => bits & ~flags.used);
  }

  /** The series of a key, also those that are not in memory. */
  list(clusterId: string, key: string): readonly NumberedSeries[] {
    const found = new Map<number, NumberedSeries>();
    const rows = this.#store.read((database) =>
      database.statement(selectSeries, asArrays).all([clusterId, key]),
    );
    for (const [id, node, subject, part] of rows)
      addTo(found, Number(id), key, [node, subject, part].map(String));
    // The series in memory may not be on disk yet, because the disk was full.
    for (const [node, byName] of this.#ids.get(clusterId)?.get(key) ?? []) {
      for (const [name, id] of byName) addTo(found, id, key, [node, ...name.split(separator)]);
    }
    return [...found.values()];
  }

  /**
   * Gives numbers to new series; series of one key get adjacent numbers, so that they are read together. Series beyond
   * the limit stay unknown.
   */
  add(clusterId: string, places: readonly SeriesPlace[]): void {
    const known = sumOf(this.#counts.values());
    const room = Math.min(this.#mostSeries - known, mostNumbers - this.#nextId);
    if (places.length > room) this.#reportLimit(clusterId);
    if (room <= 0) return;
    const sorted = places
      .map((place) => ({ place, order: [place.key, place.subject, place.part, place.node].join(separator) }))
      .sort((left, right) => (left.order < right.order ? -1 : 1))
      .filter(({ order }, at, all) => order !== all[at - 1]?.order)
      .slice(0, room);
    const added = sorted.map(({ place }) => {
      const id = this.#nextId;
      this.#put(clusterId, place, id);
      this.#count(clusterId);
      return [id, clusterId, place.key, place.node, place.subject, place.part] as const;
    });
    this.#store.record((database) => {
      const insert = database.statement('INSERT INTO series VALUES (?, ?, ?, ?, ?, ?)');
      for (const row of added) insert.run(row);
    });
  }

  /** Whether a series is a percentile, of which only the maximum is stored. */
  isPart(id: number): boolean {
    return this.#has(id, flags.part);
  }

  /** Deletes the series of a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.#counts.delete(clusterId);
    this.#ids.delete(clusterId);
    this.#hasReportedLimit = false;
    const nextId = this.#nextId;
    this.#store.record((database) => {
      // A number must not be used again: the next series would get the rollups of the deleted one.
      database.statement('INSERT OR REPLACE INTO series_numbers VALUES (0, ?)').run([nextId]);
      database.statement('DELETE FROM series WHERE cluster_id = ?').run([clusterId]);
    });
  }

  #reportLimit(clusterId: string): void {
    if (this.#hasReportedLimit) return;
    this.#hasReportedLimit = true;
    this.#logger.error(
      { clusterId, series: sumOf(this.#counts.values()), mostSeries: this.#mostSeries },
      'there are too many series of metrics: new ones are judged, but not kept',
    );
  }

  #put(clusterId: string, { key, node, subject, part }: SeriesPlace, id: number): void {
    const byKey = childOf(this.#ids, clusterId);
    const byName = childOf(childOf(byKey, key), node);
    byName.set(nameOf(subject, part), id);
    if (id >= this.#flags.length) {
      const longer = new Uint8Array(Math.max(id + 1, this.#flags.length * 2));
      longer.set(this.#flags);
      this.#flags = longer;
    }
    this.#flags[id] = flags.used | (part === '' || part === 'MIN' ? 0 : flags.part);
    this.#nextId = Math.max(this.#nextId, id + 1);
  }

  #count(clusterId: string): void {
    this.#counts.set(clusterId, (this.#counts.get(clusterId) ?? 0) + 1);
  }

  #has(id: number, flag: number): boolean {
    return ((this.#flags[id] ?? 0) & flag) !== 0;
  }
}

/** `part`: a percentile, of which only the maximum is stored; `used`: a value was added since the last check. */
const flags = { part: 1, used: 2 } as const;
const asArrays = { returnArrays: true } as const;
const selectSeries = 'SELECT id, node, subject, part FROM series WHERE cluster_id = ? AND key = ?';

const separator = '\u0000';

function nameOf(subject: string, part: string): string {
  return part === '' ? subject : `${subject}${separator}${part}`;
}

function addTo(
  found: Map<number, NumberedSeries>,
  id: number,
  key: string,
  [node = '', subject = '', part = '']: readonly string[],
): void {
  found.set(id, { id, key, node, subject, part: part as HistogramPart | '' }); // as inserted
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

function childOf<Child>(parents: Map<string, Map<string, Child>>, name: string): Map<string, Child> {
  return getOrMake(parents, name, () => new Map<string, Child>());
}
