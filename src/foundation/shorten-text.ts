// Shortens texts for people. A text is never cut inside a character: half of a surrogate pair is not valid Unicode, and
// strict readers of JSON, logs and terminals refuse it.

declare global {
  /** Available in Node 20, but not in the compiler's es2023 library. */
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/** The text, or its beginning and `…`. The result has at most `length` UTF-16 units. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${beginningOf(text, length - 1)}…`;
}

/** At most the first `length` UTF-16 units of a text: one less if that would end inside a character. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, isInsidePair(text, length) ? length - 1 : length);
}

/** At most the last `length` UTF-16 units of a text: one less if that would begin inside a character. */
export function endOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

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

/** Whether the two halves of a surrogate pair are on both sides of the position. */
function isInsidePair(text: string, at: number): boolean {
  return isHalf(text.charCodeAt(at - 1), 0xd800) && isHalf(text.charCodeAt(at), 0xdc00);
}

function isHalf(unit: number, first: number): boolean {
  return (unit & 0xfc00) === first;
}
