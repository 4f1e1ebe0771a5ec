// Rows as a distributed store keeps them: partitions in the order of a hash, the rows of each by clustering columns.
import { createHash } from 'node:crypto';
import type { RowValues } from '../../src/data-service/query/read.js';
import { compareByOrder, OutdatedPosition, type Position } from '../../src/data-service/query/row-order.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { type RowStore, type StoredRow, valuesOf } from './memory-tables.js';

/** The rows of one partition key. */
interface Partition {
  /** Where it stands among the others: partitions come in the order of these texts. */
  readonly hash: string;
  readonly key: RowValues;
  /** In the order of the clustering columns. */
  readonly rows: StoredRow[];
}

/** Where a read stands: behind a row, which need not be there any more. */
export interface RingPlace {
  readonly hash: string;
  readonly clustering: RowValues;
}

/** What a read goes through. */
export interface RingRange {
  readonly holds: (partitionKey: RowValues) => boolean;
  /** -1 to go through the rows of partitions from their ends. */
  readonly direction: 1 | -1;
}

const jsonLimits = { maxDepth: 9, maxNumberLength: 250_000 };

/** The rows of one table. */
export class HashRing implements RowStore {
  readonly #table: Table;
  readonly #clustering: readonly Column[];
  /** In the order of their hashes. */
  #partitions: Partition[] = [];

  constructor(table: Table) {
    this.#table = table;
    this.#clustering = table.clustering.map(({ column }) => column);
  }

  find(key: RowValues): StoredRow | undefined {
    const partition = this.#partitionOf(key);
    const row = partition?.rows[this.#placeIn(partition, this.#clusteringOf(key))];
    return row !== undefined && this.#compare(this.#clusteringIn(row), this.#clusteringOf(key)) === 0
      ? row
      : undefined;
  }

  add(key: RowValues, row: StoredRow): void {
    const partition = this.#partitionOf(key) ?? this.#addPartition(key);
    partition.rows.splice(this.#placeIn(partition, this.#clusteringOf(key)), 0, row);
  }

  remove(rows: ReadonlySet<StoredRow>): void {
    const kept = this.#partitions.map((each) => ({
      ...each,
      rows: each.rows.filter((row) => !rows.has(row)),
    }));
    this.#partitions = kept.filter((each) => each.rows.length > 0);
  }

  all(): Iterable<StoredRow> {
    return this.#partitions.flatMap(({ rows }) => rows);
  }

  /** The first rows of a range behind a place, at most `count`. */
  rowsBehind(after: RingPlace | null, { holds, direction }: RingRange, count: number): readonly StoredRow[] {
    const found: StoredRow[] = [];
    for (const { hash, key, rows } of this.#partitions) {
      if (found.length >= count) break;
      if ((after !== null && hash < after.hash) || !holds(key)) continue;
      const ordered = direction === 1 ? rows : rows.toReversed();
      const isBehind = (row: StoredRow) =>
        hash !== after?.hash || this.#compare(this.#clusteringIn(row), after.clustering) * direction > 0;
      const first = ordered.findIndex(isBehind);
      if (first >= 0) found.push(...ordered.slice(first, first + count - found.length));
    }
    return found;
  }

  /** Where a row stands. */
  placeOf(key: RowValues): RingPlace {
    const hash = this.#partitionOf(key)?.hash ?? this.#hashOf(key);
    return { hash, clustering: this.#clusteringOf(key) };
  }

  /** A place as the bytes of this store. `direction`: that of the read. */
  writePlace({ hash, clustering }: RingPlace, direction: RingRange['direction']): Position {
    const texts = this.#clustering.map(({ type }, at) => type.serialize(clustering[at]));
    return Buffer.from(JSON.stringify([direction, hash, ...texts])).toString('base64');
  }

  /** @throws OutdatedPosition for what is none of a read in that direction */
  readPlace(position: Position, direction: RingRange['direction']): RingPlace {
    const [given, hash, ...texts] = partsOf(position);
    if (given !== `${direction}` || hash === undefined || texts.length !== this.#clustering.length)
      throw new OutdatedPosition();
    const clustering = this.#clustering.map(({ type }, at) =>
      type.parse(parseJson(texts[at] ?? '', jsonLimits)),
    );
    return { hash, clustering };
  }

  /** Equal keys are one, whatever they were written as. */
  #partitionOf(key: RowValues): Partition | undefined {
    const hash = this.#hashOf(key);
    const found = this.#partitions.find((each) => each.hash === hash);
    if (found !== undefined) return found;
    return this.#partitions.find((each) =>
      this.#table.partitionKey.every(({ type }, at) => type.compare(each.key[at], key[at]) === 0),
    );
  }

  #addPartition(key: RowValues): Partition {
    const made = { hash: this.#hashOf(key), key: key.slice(0, this.#table.partitionKey.length), rows: [] };
    const next = this.#partitions.findIndex(({ hash }) => hash > made.hash);
    this.#partitions.splice(next < 0 ? this.#partitions.length : next, 0, made);
    return made;
  }

  /** The place of the first row that does not come before. */
  #placeIn({ rows }: Partition, clustering: RowValues): number {
    let [from, to] = [0, rows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const row = rows[middle];
      if (row !== undefined && this.#compare(this.#clusteringIn(row), clustering) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #compare(left: RowValues, right: RowValues): number {
    return compareByOrder(this.#table.clustering, left, right);
  }

  #clusteringIn(row: StoredRow): RowValues {
    return valuesOf(row, this.#clustering);
  }

  #clusteringOf(key: RowValues): RowValues {
    return key.slice(this.#table.partitionKey.length);
  }

  #hashOf(key: RowValues): string {
    const hash = createHash('sha256');
    for (const [at, { type }] of this.#table.partitionKey.entries())
      hash.update(type.cql.encode(key[at])).update('\0');
    return hash.digest('hex');
  }
}

function partsOf(position: Position): readonly string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(position, 'base64').toString());
    return Array.isArray(parts) ? parts.map(String) : [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}
