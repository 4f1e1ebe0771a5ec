// Integers of any size as bytes: in the order of memcmp, and as Cassandra writes them. All functions take linear time.

/** First byte of zero; positive numbers add their length to it, up to `longLength`. */
const zeroHeader = 0x80;
/** From this length on, four bytes with the length follow. */
const longLength = 124;

/**
 * Bytes whose memcmp order is the order of the numbers: a header of sign and length, then the magnitude; all bits of
 * negative numbers are inverted.
 */
export function encodeVarint(value: bigint): Buffer {
  if (value === 0n) return Buffer.from([zeroHeader]);
  const magnitude = magnitudeBytes(value < 0n ? -value : value);
  const isLong = magnitude.length >= longLength;
  const headerLength = isLong ? 5 : 1;
  const bytes = Buffer.allocUnsafe(headerLength + magnitude.length);
  bytes[0] = zeroHeader + (isLong ? longLength : magnitude.length);
  if (isLong) bytes.writeUInt32BE(magnitude.length, 1);
  magnitude.copy(bytes, headerLength);
  return value < 0n ? invert(bytes) : bytes;
}

/** Reads the bytes of `encodeVarint`. */
export function decodeVarint(stored: Uint8Array): bigint {
  const negative = (stored[0] ?? zeroHeader) < zeroHeader;
  const bytes = negative
    ? invert(Buffer.from(stored))
    : Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const magnitude = BigInt(`0x0${bytes.toString('hex', bytes[0] === zeroHeader + longLength ? 5 : 1)}`);
  return negative ? -magnitude : magnitude;
}

/** The shortest two's complement, big-endian: Cassandra's varint. */
export function twosComplement(value: bigint): Buffer {
  const bytes = magnitudeBytes(value < 0n ? ~value : value);
  const signed =
    (bytes[0] ?? 0) > 0x7f || bytes.length === 0 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return value < 0n ? invert(signed) : signed;
}

/** Big-endian; empty for zero. */
function magnitudeBytes(magnitude: bigint): Buffer {
  if (magnitude === 0n) return Buffer.alloc(0);
  const hex = magnitude.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

/** Changes the bytes in place. */
function invert(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = ~(bytes[at] ?? 0);
  return bytes;
}
