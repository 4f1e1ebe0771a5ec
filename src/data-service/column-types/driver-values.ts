// Reads the objects that cassandra-driver returns, by their shape, because only one file imports the driver.

/** A column the driver decodes to a JavaScript number. */
export function driverNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw unexpected('a number', value);
}

/** A column the driver decodes to a string. */
export function driverString(value: unknown): string {
  if (typeof value === 'string') return value;
  throw unexpected('a string', value);
}

/** A 64-bit integer: the driver's `Long`, or a bigint if it is configured so. */
export function driverLong(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'object' && value !== null) return BigInt(String(value));
  throw unexpected('a Long', value);
}

/** A varint: the driver's `Integer`. Its other form, a bigint, takes it a time that is quadratic in the digits. */
export function driverInteger(value: unknown): bigint {
  if (!isDriverInteger(value)) throw unexpected('an Integer', value);
  // Integer's own toString does not return for numbers beyond the range of a double.
  const words = value.bits_.map((word) => (word >>> 0).toString(16).padStart(8, '0')).reverse();
  const unsigned = BigInt(`0x0${words.join('')}`);
  return value.sign_ < 0 ? unsigned - (1n << BigInt(32 * words.length)) : unsigned;
}

/** Bytes: a Buffer, or an object of the driver that wraps one. */
export function driverBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (isObjectWith(value, 'buffer') && value.buffer instanceof Uint8Array) return value.buffer;
  throw unexpected('bytes', value);
}

/** Whether the value is an object with the member. */
export function isObjectWith<Name extends string>(
  value: unknown,
  name: Name,
): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}

/** The error for a value that no known version of the driver returns. */
export function unexpected(expected: string, value: unknown): TypeError {
  return new TypeError(`expected ${expected} from the driver, found ${typeof value} ${String(value)}`);
}

/** The driver's `Integer`. */
export interface DriverInteger {
  /** Words of 32 bits, signed, the least significant first. */
  readonly bits_: readonly number[];
  /** 0, or -1 for negative numbers: the value of all words beyond `bits_`. */
  readonly sign_: number;
}

/** Whether the value is an integer of any size as the driver has it. */
export function isDriverInteger(value: unknown): value is DriverInteger {
  return isObjectWith(value, 'bits_') && Array.isArray(value.bits_) && isObjectWith(value, 'sign_');
}
