// Reads timestamps of every year, also inside lists, sets, maps, tuples and user-defined types.
import driver from 'cassandra-driver';

/** What the driver decodes values with; its declarations lack it. */
interface Encoder {
  decode(bytes: Buffer | null, type: { readonly code: number }): unknown;
}

const { prototype } = (driver as typeof driver & { readonly Encoder: { readonly prototype: Encoder } })
  .Encoder;
const { decode } = prototype;
const { timestamp } = driver.types.dataTypes;
/** In milliseconds before and after 1970: 275,760 years. */
const mostOfDate = 8_640_000_000_000_000n;

/**
 * From then on all clients read a timestamp as a `Date` where a `Date` can have it, otherwise as the milliseconds since
 * 1970, a bigint. The driver makes every timestamp a `Date`, which beyond these years has no value at all.
 */
export function readAllTimestamps(): void {
  prototype.decode = decodeValue;
}

/** The driver calls it for each value, and for each member of a value that has some. */
function decodeValue(this: Encoder, bytes: Buffer | null, type: { readonly code: number }): unknown {
  if (type.code !== timestamp || bytes?.length !== 8) return decode.call(this, bytes, type);
  const milliseconds = bytes.readBigInt64BE();
  const isDate = milliseconds >= -mostOfDate && milliseconds <= mostOfDate;
  return isDate ? new Date(Number(milliseconds)) : milliseconds;
}
