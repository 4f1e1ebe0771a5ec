// Shortens texts that are bytes in UTF-8, never inside a character.

/** At most the first `length` bytes of a text in UTF-8: fewer if that would end inside a character. */
export function beginningOfUtf8(bytes: Uint8Array, length: number): string {
  // The decoder keeps an incomplete character for the bytes that follow, which do not come.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length), { stream: true });
}

/** At most the last `length` bytes of a text in UTF-8: fewer if that would begin inside a character. */
export function endOfUtf8(bytes: Buffer, length: number): Buffer {
  let start = Math.max(0, bytes.length - length);
  const latest = Math.min(start + longestContinuation, bytes.length);
  if (start > 0) while (start < latest && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** A character has up to four bytes, three of them behind the first. */
const longestContinuation = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
