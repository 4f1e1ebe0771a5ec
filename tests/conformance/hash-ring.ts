// The rows of a table as a distributed store reads them: partitions in the order of a hash, the rows of each by their
// clustering columns.
import { createHash } from 'node:crypto';
import type { RowValues } from '../../src/data-service/query/read.js';
import { compareByOrder, OutdatedPosition, type Position } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { getOrMake } from '../../src/foundation/get-or-make.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { type StoredRow, storedValue } from '../memory-engine/ordered-rows.js';

/** Where a read stands: behind a row, which may have been deleted. */
export interface RingPlace {
  readonly hash: string;
  readonly clustering: RowValues;
}

/** What a read goes through. */
export interface RingRange {
  readonly holds: (partitionKey: RowValues) => boolean;
  /** -1 to go through the rows of each partition from their end. */
  readonly direction: 1 | -1;
}

const jsonLimits = { maxDepth: 9, maxNumberLength: 250_000 };

/** The first rows of a range behind a place, at most `count`. `rows`: all rows of the table by their key. */
export function rowsBehind(
  table: Table,
  rows: readonly StoredRow[],
  after: RingPlace | null,
  { holds, direction }: RingRange,
  count: number,
): readonly StoredRow[] {
  const found: StoredRow[] = [];
  for (const [hash, partition] of partitionsOf(table, rows)) {
    if (found.length >= count) break;
    const [row] = partition;
    if ((after !== null && hash < after.hash) || row === undefined || !holds(keyOf(row, table))) continue;
    const ordered = direction === 1 ? partition : partition.toReversed();
    const isBehind = (each: StoredRow) => {
      const { clustering } = placeOf(table, keyOf(each, table));
      return (
        hash !== after?.hash || compareByOrder(table.clustering, clustering, after.clustering) * direction > 0
      );
    };
    const first = ordered.findIndex(isBehind);
    if (first >= 0) found.push(...ordered.slice(first, first + count - found.length));
  }
  return found;
}

const hashes = new WeakMap<StoredRow, string>();

function partitionsOf(
  table: Table,
  rows: readonly StoredRow[],
): readonly (readonly [hash: string, rows: readonly StoredRow[]])[] {
  const partitions = new Map<string, StoredRow[]>();
  for (const row of rows) {
    const hash = getOrMake(hashes, row, () => hashOf(keyOf(row, table), table));
    getOrMake(partitions, hash, () => []).push(row);
  }
  return [...partitions].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The key of a row. */
export function keyOf(row: StoredRow, { keyColumns }: Table): RowValues {
  return keyColumns.map((column) => storedValue(row, column));
}

/** The place of the row with a key. */
export function placeOf(table: Table, key: RowValues): RingPlace {
  return { hash: hashOf(key, table), clustering: key.slice(table.partitionKey.length) };
}

/** A place as bytes of this store. `direction`: that of the read. */
export function writePlace(
  { clustering }: Table,
  { hash, clustering: values }: RingPlace,
  direction: RingRange['direction'],
): Position {
  const texts = clustering.map(({ column }, at) => column.type.serialize(values[at]));
  return Buffer.from(JSON.stringify([direction, hash, ...texts])).toString('base64');
}

/** @throws OutdatedPosition for a text that is not a place of a read in that direction */
export function readPlace(
  { clustering }: Table,
  position: Position,
  direction: RingRange['direction'],
): RingPlace {
  const [given, hash, ...texts] = partsOf(position);
  if (given !== `${direction}` || hash === undefined || texts.length !== clustering.length)
    throw new OutdatedPosition();
  const values = clustering.map(({ column }, at) =>
    column.type.parse(parseJson(texts[at] ?? '', jsonLimits)),
  );
  return { hash, clustering: values };
}

/** Equal keys have one stored form, whatever they were written as. */
function hashOf(key: RowValues, { partitionKey }: Table): string {
  const hash = createHash('sha256');
  for (const [at, { type }] of partitionKey.entries()) {
    const stored = type.sql.encode(key[at]);
    hash.update(stored instanceof Uint8Array ? stored : String(stored)).update('\0');
  }
  return hash.digest('hex');
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
