// Which series there are: a number for each key, node, table or device, and part of a distribution.
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { HistogramPart } from '../clusters/cluster.js';
import type { Migration } from '../store/migration.js';
import type { Store } from '../store/store.js';
import { mostGroups, slotsPerGroup } from './rollup-format.js';

/** What a series is of. */
export interface SeriesPlace {
  readonly key: string;
  readonly node: string;
  /** Table or device; empty for the whole node. */
  readonly subject: string;
  /** Empty where the key has no parts. */
  readonly part: HistogramPart | '';
}

/** A series with its number, which never changes and is never that of another: rollups outlive their series. */
export interface NumberedSeries extends SeriesPlace {
  readonly id: number;
}

/** The tables of series and rollups. */
export const metricMigrations: readonly Migration[] = [
  {
    name: 'metrics-1',
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
];

/** More are not kept: their values can be judged, but not be looked up later. */
const ordinaryMostSeries = 1_000_000;
/** So many find room in the keys of rollups: enough to be spent for centuries. */
const mostNumbers = slotsPerGroup * mostGroups;

/** The series of all clusters. */
export class SeriesIndex {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #mostSeries: number;
  /** By cluster, key, node, then by table or device and part. */
  readonly #ids = new Map<string, Map<string, Map<string, Map<string, number>>>>();
  /** 1 for percentiles, by number. */
  #isPart = new Uint8Array(256);
  #nextId = 0;
  #count = 0;
  #hasToldLimit = false;

  constructor(store: Store, logger: Logger, mostSeries: number = ordinaryMostSeries) {
    this.#store = store;
    this.#logger = logger;
    this.#mostSeries = mostSeries;
    store.read((database) => {
      const kept = database.statement('SELECT next_id FROM series_numbers').get();
      this.#nextId = Number(kept?.['next_id'] ?? 0);
      for (const row of database.statement('SELECT * FROM series').iterate()) {
        const place = {
          key: String(row['key']),
          node: String(row['node']),
          subject: String(row['subject']),
          part: String(row['part']) as HistogramPart | '', // written below
        };
        this.#put(String(row['cluster_id']), place, Number(row['id']));
      }
    });
  }

  /** The number of a series, or undefined when it is new. */
  find(clusterId: string, key: string, node: string, subject: string, part: string): number | undefined {
    return this.#ids.get(clusterId)?.get(key)?.get(node)?.get(nameOf(subject, part));
  }

  /** The series of a key. */
  list(clusterId: string, key: string): readonly NumberedSeries[] {
    const byNode = [...(this.#ids.get(clusterId)?.get(key) ?? [])];
    return byNode.flatMap(([node, byName]) =>
      [...byName].map(([name, id]) => {
        const [subject = '', part = ''] = name.split(separator);
        return { id, key, node, subject, part: part as HistogramPart | '' }; // as it was put
      }),
    );
  }

  /**
   * Numbers new series; those of one key get neighbouring numbers, so that they are read together. What finds no room
   * stays unknown.
   */
  add(clusterId: string, places: readonly SeriesPlace[]): void {
    const room = Math.min(this.#mostSeries - this.#count, mostNumbers - this.#nextId);
    if (places.length > room) this.#tellLimit(clusterId);
    if (room <= 0) return;
    const sorted = places
      .map((place) => ({ place, order: [place.key, place.subject, place.part, place.node].join(separator) }))
      .sort((left, right) => (left.order < right.order ? -1 : 1))
      .slice(0, room);
    const added = sorted.map(({ place }) => {
      const id = this.#nextId;
      this.#put(clusterId, place, id);
      return [id, clusterId, place.key, place.node, place.subject, place.part] as const;
    });
    this.#store.record((database) => {
      const insert = database.statement('INSERT INTO series VALUES (?, ?, ?, ?, ?, ?)');
      for (const row of added) insert.run(row);
    });
  }

  /** Whether a series is a percentile, of which the maximum is kept. */
  isPart(id: number): boolean {
    return this.#isPart[id] === 1;
  }

  /** Forgets the series of a cluster that is not watched any more. */
  removeCluster(clusterId: string): void {
    for (const byNode of this.#ids.get(clusterId)?.values() ?? []) {
      for (const byName of byNode.values()) this.#count -= byName.size;
    }
    this.#ids.delete(clusterId);
    this.#hasToldLimit = false;
    const nextId = this.#nextId;
    this.#store.record((database) => {
      // The rollups of a number that is free again would be those of whoever gets it.
      database.statement('INSERT OR REPLACE INTO series_numbers VALUES (0, ?)').run([nextId]);
      database.statement('DELETE FROM series WHERE cluster_id = ?').run([clusterId]);
    });
  }

  #tellLimit(clusterId: string): void {
    if (this.#hasToldLimit) return;
    this.#hasToldLimit = true;
    this.#logger.error(
      { clusterId, series: this.#count, mostSeries: this.#mostSeries },
      'there are too many series of metrics: new ones are judged, but not kept',
    );
  }

  #put(clusterId: string, { key, node, subject, part }: SeriesPlace, id: number): void {
    const byKey = childOf(this.#ids, clusterId);
    const byName = childOf(childOf(byKey, key), node);
    const name = nameOf(subject, part);
    if (!byName.has(name)) this.#count += 1;
    byName.set(name, id);
    if (id >= this.#isPart.length) {
      const longer = new Uint8Array(Math.max(id + 1, this.#isPart.length * 2));
      longer.set(this.#isPart);
      this.#isPart = longer;
    }
    this.#isPart[id] = part === '' || part === 'MIN' ? 0 : 1;
    this.#nextId = Math.max(this.#nextId, id + 1);
  }
}

const separator = '\u0000';

function nameOf(subject: string, part: string): string {
  return part === '' ? subject : `${subject}${separator}${part}`;
}

function childOf<Child>(parents: Map<string, Map<string, Child>>, name: string): Map<string, Child> {
  let child = parents.get(name);
  if (child === undefined) {
    child = new Map();
    parents.set(name, child);
  }
  return child;
}
