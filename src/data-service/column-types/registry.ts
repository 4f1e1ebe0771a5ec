// The list of all scalar column types. A new type is one file and one line here.
import { blob } from './blob.js';
import { boolean } from './boolean.js';
import type { ColumnType } from './column-type.js';
import { date } from './dates.js';
import { decimal } from './decimals.js';
import { duration } from './durations.js';
import { double, float } from './floats.js';
import { inet } from './inet.js';
import { bigint, counter, int, smallint, tinyint, varint } from './integers.js';
import { ascii, text, varchar } from './text.js';
import { time } from './times.js';
import { timestamp } from './timestamps.js';
import { timeuuid, uuid } from './uuids.js';

/** In the order of the documentation: text, numbers, booleans, bytes, addresses, identifiers, dates and times. */
export const columnTypes: readonly ColumnType[] = [
  text,
  ascii,
  varchar,
  tinyint,
  smallint,
  int,
  bigint,
  varint,
  decimal,
  float,
  double,
  counter,
  boolean,
  blob,
  inet,
  uuid,
  timeuuid,
  date,
  time,
  timestamp,
  duration,
];

const byName: ReadonlyMap<string, ColumnType> = new Map(columnTypes.map((type) => [type.name, type]));

/** The scalar type with this name in requests (`int`); undefined if there is none. */
export function columnTypeNamed(name: string): ColumnType | undefined {
  return byName.get(name);
}
