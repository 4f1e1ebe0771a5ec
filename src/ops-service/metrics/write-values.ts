// Writes lists of values as JSON text, in steps.
import type { JsonText } from '../../foundation/json/json-value.js';

/** Values that are written in one step. */
const valuesPerStep = 250;

/** A list of the results of `write` for 0 to `count` − 1; `undefined` results are omitted. */
export function* writeList(
  count: number,
  write: (index: number) => JsonText | undefined,
): Generator<void, JsonText> {
  const pieces: string[] = [];
  for (let from = 0; from < count; from += valuesPerStep) {
    const texts: string[] = [];
    for (let at = from; at < Math.min(count, from + valuesPerStep); at += 1) {
      const text = write(at);
      if (text !== undefined) texts.push(text);
    }
    if (texts.length > 0) pieces.push(texts.join(','));
    yield;
  }
  return `[${pieces.join(',')}]`;
}

/** An object whose members are JSON texts. */
export function writeMembers(members: Iterable<readonly [string, JsonText]>): JsonText {
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}

/** A value of 32 bits: with seven digits. */
export function shownValue(value: number): JsonText {
  return JSON.stringify(Number(value.toPrecision(7)));
}
