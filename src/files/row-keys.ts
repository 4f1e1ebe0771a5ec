// Finds the rows of a file that replace a row before them, because both have the same primary key.
import { type JsonText, stringifyJson } from '../foundation/json/json-value.js';
import type { CsvLayout } from './csv-layout.js';
import type { PlannedField } from './plan-file.js';
import type { CsvRecord } from './read-csv.js';
import type { JsonProblem, JsonRecord } from './read-json-file.js';
import { EqualTexts } from './record-ids.js';

/** The key of a record as it is inserted; undefined if it has none. */
export function recordKey(
  fields: readonly PlannedField[],
  layout: CsvLayout,
  keyColumns: readonly string[],
): (record: CsvRecord) => string | undefined {
  const columns = layout.columns.flatMap(({ at }, index) => {
    const field = fields[index];
    return field !== undefined && keyColumns.includes(field.name) ? [{ at, field }] : [];
  });
  return ({ fields: record }) => {
    const parts: JsonText[] = [];
    for (const { at, field } of columns) {
      const value = record[at] ?? null;
      const part = value === null ? undefined : field.write(value);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.join(',');
  };
}

/**
 * The key of an object; undefined if it has none. Values count as different if they are written differently, such as 1
 * and 1.0.
 */
export function objectKey(
  keyColumns: readonly string[],
): (record: JsonRecord | JsonProblem) => string | undefined {
  return (record) => {
    if ('problem' in record) return undefined;
    const parts: JsonText[] = [];
    for (const name of keyColumns) {
      const value = record.object.get(name);
      if (value === undefined) return undefined;
      parts.push(stringifyJson(value));
    }
    return parts.join(',');
  };
}

/** The number of different keys that are remembered, in 12 to 32 bytes each. */
const mostKeys = 5_000_000;

/** The keys of the rows so far. If there are more than `mostKeys` different ones, it remembers only the first ones. */
export class KnownKeys {
  readonly #equal = new EqualTexts();

  /** Adds a key; true if a row before had it. Keys with the same 64 bits of a hash are taken as equal. */
  add(key: string): boolean {
    const [high, low] = hashOf(key);
    if (this.#equal.size < mostKeys) return this.#equal.next(high, low) > 0;
    return this.#equal.has(high, low);
  }
}

/** Makes two hashes of 32 bits with different beginnings and factors. Odd factors lose no bit of a key. */
function hashOf(text: string): readonly [high: number, low: number] {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return [mixed(high), mixed(low)];
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (half ^ (half >>> 15)) >>> 0;
}
