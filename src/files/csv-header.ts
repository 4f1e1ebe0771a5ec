// Recognizes files without names of columns.
import { TypeGuess } from './guess-type.js';

/** A name in the first line, and the values below it. */
export interface HeaderField {
  readonly name: string | null;
  readonly guess: TypeGuess | undefined;
}

/**
 * Whether the names have the types of the values below them, and none is a text above other values: the first line is
 * then probably a row. Years and numbers in ascending order are usual names.
 */
export function looksLikeValues(fields: readonly HeaderField[]): boolean {
  const numbers: number[] = [];
  let others = 0;
  for (const { name, guess } of fields) {
    if (name === null || guess === undefined || guess.isEmpty) continue;
    const type = typeOf(name);
    if (type === 'text' && guess.type !== 'text') return false;
    if (type === 'int') numbers.push(Number(name));
    else if (type !== 'text' && guess.type !== 'text') others += 1;
  }
  if (others > 0) return true;
  return numbers.length > 0 && !areNames(numbers);
}

function typeOf(name: string): string {
  const guess = new TypeGuess();
  guess.add(name);
  return guess.type;
}

function areNames(numbers: readonly number[]): boolean {
  const isAscending = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
  const areYears = numbers.every((number) => number >= 1000 && number < 3000);
  return isAscending && (areYears || numbers.length > 1);
}
