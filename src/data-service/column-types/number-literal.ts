// Reads a JSON number literal exactly, without expanding its exponent.

/** The value is ± `digits` × 10^`exponent`. */
export interface NumberLiteral {
  readonly negative: boolean;
  /** Without leading and trailing zeros; `0` for zero. */
  readonly digits: string;
  /** 0 for zero. Limited to about ±10^15, far beyond the range of every type. */
  readonly exponent: number;
}

/** The most characters of a number literal in a command or a statement. */
export const maxNumberLength = 100;
/** The maximum number of digits of a number without exponent: without a limit, a short literal could exhaust memory. */
export const maxWrittenDigits = 200_000;

const maxExponent = 1e15;

/** Reads a literal that is valid JSON. */
export function readNumberLiteral(text: string): NumberLiteral {
  const negative = text.startsWith('-');
  const exponentAt = text.search(/[eE]/);
  const mantissa = text.slice(negative ? 1 : 0, exponentAt < 0 ? text.length : exponentAt);
  const dotAt = mantissa.indexOf('.');
  const fractionLength = dotAt < 0 ? 0 : mantissa.length - dotAt - 1;
  const digits = dotAt < 0 ? mantissa : mantissa.slice(0, dotAt) + mantissa.slice(dotAt + 1);
  const end = endWithoutZeros(digits);
  if (end === 0) return { negative, digits: '0', exponent: 0 };

  const written = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1));
  const exponent = Math.max(-maxExponent, Math.min(maxExponent, written));
  return {
    negative,
    digits: digits.slice(startWithoutZeros(digits), end),
    exponent: exponent - fractionLength + (digits.length - end),
  };
}

/** The number of digits of the literal before its decimal point; 0 or less for numbers below one. */
export function wholeDigits(literal: NumberLiteral): number {
  return literal.digits.length + literal.exponent;
}

/** The index at which the trailing zeros of a digit string begin. */
export function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return end;
}

function startWithoutZeros(digits: string): number {
  let start = 0;
  while (digits.charCodeAt(start) === 48) start += 1;
  return start;
}
