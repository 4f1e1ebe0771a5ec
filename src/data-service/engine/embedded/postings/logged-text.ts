// Reads logged texts: what the SQL function `text_tokens` made of a text.
import { type BinaryToken, binaryOf } from './chunks.js';

const [fieldEnd, countMark] = ['\u0000', '\u0001'];
const isDigit = (character: string | undefined) =>
  character !== undefined && character >= '0' && character <= '9';

/** Calls `use` for each different token; returns the number of all tokens. */
export function eachToken(bytes: Uint8Array, use: (token: BinaryToken, count: number) => void): number {
  const fields = binaryOf(bytes).split(fieldEnd);
  for (let at = 1; at < fields.length - 1; at += 1) {
    const token = fields[at] ?? '';
    const count = countIn(fields[at + 1] ?? '');
    use(token, count ?? 1);
    if (count !== undefined) at += 1;
  }
  return Number(fields[0]);
}

/** The number in a field; undefined for a token. */
function countIn(field: string): number | undefined {
  return field.startsWith(countMark) && isDigit(field[1]) ? Number(field.slice(1)) : undefined;
}

/** The number of all tokens, and how often each of some tokens occurs. */
export function countsIn(
  bytes: Uint8Array,
  tokens: readonly BinaryToken[],
): { readonly length: number; readonly counts: readonly number[] } {
  const logged = binaryOf(bytes);
  const counts = tokens.map((token) => {
    const at = logged.indexOf(`${fieldEnd}${token}${fieldEnd}`);
    if (at < 0) return 0;
    const next = at + token.length + 2;
    return countIn(logged.slice(next, logged.indexOf(fieldEnd, next))) ?? 1;
  });
  return { length: Number(logged.slice(0, logged.indexOf(fieldEnd))), counts };
}

/** The bytes that a logged text with a token contains, and no other one. */
export function searchedBytes(token: BinaryToken): Uint8Array {
  return Buffer.from(`${fieldEnd}${token}${fieldEnd}`, 'latin1');
}
