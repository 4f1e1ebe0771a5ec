// Shortens texts for people. A text is never cut inside a character: half of a surrogate pair is not valid Unicode, and
// strict readers of JSON, logs and terminals refuse it. Without modules of Node: browsers run it, too.

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

/** Whether the two halves of a surrogate pair are on both sides of the position. */
function isInsidePair(text: string, at: number): boolean {
  return isHalf(text.charCodeAt(at - 1), 0xd800) && isHalf(text.charCodeAt(at), 0xdc00);
}

function isHalf(unit: number, first: number): boolean {
  return (unit & 0xfc00) === first;
}
