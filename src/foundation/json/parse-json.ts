// Parses JSON text without losing information: number texts, member order; duplicate names are refused.
import { JsonNumber, type JsonValue } from './json-value.js';
import { beginsNumber, type NumberRun, readNumberRun } from './read-number-run.js';

/** The limits of a text; a text that exceeds one is refused, never truncated. */
export interface JsonLimits {
  /** Nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Characters of one number literal. */
  readonly maxNumberLength: number;
  /** Digits of all numbers with large exponents when written without exponents. Default: unlimited. */
  readonly maxWrittenDigits?: number;
  /** Values of the whole text, including containers and their members. Default: unlimited. */
  readonly maxValues?: number;
  /** Objects and arrays of the whole text. Default: unlimited. */
  readonly maxContainers?: number;
}

/** The text is not JSON (RFC 8259), repeats a member name, or is nested too deeply. The message says where. */
export class JsonSyntaxError extends Error {
  /** The offset of the problem in the text, in UTF-16 units; undefined if the message is about all of it. */
  readonly at: number | undefined;

  constructor(message: string, at?: number, options?: ErrorOptions) {
    super(message, options);
    this.at = at;
  }
}

/** A number literal has too many characters, or all numbers together have too many digits. The message says which. */
export class JsonNumberTooLong extends Error {}

/** The text has too many values. The message names the limit. */
export class JsonTooManyValues extends Error {}

/**
 * Reads one JSON text.
 * @throws JsonSyntaxError, JsonNumberTooLong, JsonTooManyValues
 */
export function parseJson(text: string, limits: JsonLimits): JsonValue {
  return new Parser(text, limits).parseText();
}

const code = {
  byteOrderMark: 0xfeff,
  tab: 9,
  lineFeed: 10,
  carriageReturn: 13,
  space: 32,
  quote: 34,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  upperE: 69,
  leftBracket: 91,
  backslash: 92,
  rightBracket: 93,
  lowerE: 101,
  leftBrace: 123,
  rightBrace: 125,
} as const;

/** Longer exponents count against `maxWrittenDigits`; those of floats are shorter. */
const plainExponentDigits = 3;

class Parser {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #writtenDigits = 0;
  readonly #maxValues: number;
  readonly #maxContainers: number;
  #values = 0;
  #containers = 0;
  #noRunBefore = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#maxValues = limits.maxValues ?? Number.POSITIVE_INFINITY;
    this.#maxContainers = limits.maxContainers ?? Number.POSITIVE_INFINITY;
  }

  parseText(): JsonValue {
    // Some programs of Windows write a byte order mark; RFC 8259 §8.1 lets readers ignore it.
    if (this.#text.charCodeAt(0) === code.byteOrderMark) this.#at = 1;
    this.#skipSpace();
    const value = this.#parseValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected('after the end of the value');
    return value;
  }

  #parseValue(): JsonValue {
    this.#countValues(1);
    switch (this.#text.charCodeAt(this.#at)) {
      case code.quote:
        return this.#parseString();
      case code.leftBrace:
        return this.#parseObject();
      case code.leftBracket:
        return this.#parseArray();
      case 116: // t
        return this.#parseWord('true', true);
      case 102: // f
        return this.#parseWord('false', false);
      case 110: // n
        return this.#parseWord('null', null);
      default:
        return this.#parseNumber();
    }
  }

  #parseObject(): JsonValue {
    const members = new Map<string, JsonValue>();
    this.#enter();
    if (this.#skipSpace() === code.rightBrace) return this.#leave(members);
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== code.quote)
        throw this.#unexpected('where a member name is expected');
      const name = this.#parseString();
      if (members.has(name))
        throw new JsonSyntaxError(
          `member name ${JSON.stringify(name)} appears twice in one object`,
          this.#at,
        );
      if (this.#skipSpace() !== code.colon) throw this.#unexpected("where ':' is expected");
      this.#at += 1;
      this.#skipSpace();
      members.set(name, this.#parseValue());
      const next = this.#skipSpace();
      if (next === code.rightBrace) return this.#leave(members);
      if (next !== code.comma) throw this.#unexpected("where ',' or '}' is expected");
      this.#at += 1;
      this.#skipSpace();
    }
  }

  #parseArray(): JsonValue {
    const elements: JsonValue[] = [];
    this.#enter();
    if (this.#skipSpace() === code.rightBracket) return this.#leave(elements);
    const run = this.#readNumberRun();
    if (run !== undefined) {
      this.#countValues(run.numbers.length);
      this.#at = run.end;
      return this.#leave(run.numbers);
    }
    for (;;) {
      elements.push(this.#parseValue());
      const next = this.#skipSpace();
      if (next === code.rightBracket) return this.#leave(elements);
      if (next !== code.comma) throw this.#unexpected("where ',' or ']' is expected");
      this.#at += 1;
      this.#skipSpace();
    }
  }

  /** If no run of numbers was found, nested arrays do not search again, which would take quadratic time. */
  #readNumberRun(): NumberRun | undefined {
    const from = this.#at;
    if (from < this.#noRunBefore || !beginsNumber(this.#text, from)) return undefined;
    const end = this.#text.indexOf(']', from);
    const run = readNumberRun(this.#text, from, end, this.#limits.maxNumberLength);
    if (run === undefined) this.#noRunBefore = end < 0 ? this.#text.length : end;
    return run;
  }

  #countValues(count: number): void {
    this.#values += count;
    if (this.#values > this.#maxValues) throw new JsonTooManyValues(`more than ${this.#maxValues} values`);
  }

  #enter(): void {
    this.#containers += 1;
    if (this.#containers > this.#maxContainers)
      throw new JsonTooManyValues(`more than ${this.#maxContainers} objects and arrays`);
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > this.#limits.maxDepth) {
      throw new JsonSyntaxError(
        `arrays and objects are nested more than ${this.#limits.maxDepth} levels deep`,
        this.#at,
      );
    }
  }

  #leave<Value>(value: Value): Value {
    this.#at += 1;
    this.#depth -= 1;
    return value;
  }

  #parseString(): string {
    const text = this.#text;
    const start = this.#at + 1;
    const at = endOfPlain(text, start);
    switch (text.charCodeAt(at)) {
      case code.quote:
        this.#at = at + 1;
        return text.slice(start, at);
      case code.backslash:
        return this.#parseEscapedString(start);
    }
    if (at === text.length) throw new JsonSyntaxError('the text ends inside a string', text.length);
    this.#at = at;
    throw this.#unexpected('inside a string (control characters must be escaped)');
  }

  /** Finds the closing quote; JSON.parse decodes the escapes. */
  #parseEscapedString(start: number): string {
    let end = start;
    for (;;) {
      const quote = this.#text.indexOf('"', end);
      if (quote < 0) throw new JsonSyntaxError('the text ends inside a string', this.#text.length);
      let backslashes = 0;
      while (this.#text.charCodeAt(quote - 1 - backslashes) === code.backslash) backslashes += 1;
      end = quote + 1;
      if (backslashes % 2 === 0) break;
    }
    this.#at = end;
    try {
      return JSON.parse(this.#text.slice(start - 1, end)) as string; // a quoted text gives a string, or throws
    } catch (cause) {
      throw new JsonSyntaxError(
        `a string has a bad escape or control character (position ${start - 1})`,
        start - 1,
        { cause },
      );
    }
  }

  #parseNumber(): JsonNumber {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    let unit = text.charCodeAt(at);
    if (unit === code.minus) unit = text.charCodeAt(++at);
    if (unit === code.zero) at += 1;
    else at = this.#endOfDigits(at, at === start ? 'where a value is expected' : 'where a digit is expected');
    unit = text.charCodeAt(at);
    if (unit === code.dot) {
      at = this.#endOfDigits(at + 1, 'where a digit is expected');
      unit = text.charCodeAt(at);
    }
    if (unit === code.lowerE || unit === code.upperE) at = this.#endOfExponent(at + 1);
    const { maxNumberLength } = this.#limits;
    if (at - start > maxNumberLength) {
      throw new JsonNumberTooLong(
        `a number literal has ${at - start} characters; at most ${maxNumberLength} are allowed`,
      );
    }
    this.#at = at;
    return new JsonNumber(text.slice(start, at));
  }

  #endOfExponent(from: number): number {
    const sign = this.#text.charCodeAt(from);
    const digits = sign === code.plus || sign === code.minus ? from + 1 : from;
    const end = this.#endOfDigits(digits, 'where a digit is expected');
    if (end - digits > plainExponentDigits) this.#countWrittenDigits(Number(this.#text.slice(digits, end)));
    return end;
  }

  #countWrittenDigits(exponent: number): void {
    const { maxWrittenDigits = Number.POSITIVE_INFINITY } = this.#limits;
    // Larger numbers are never written out: no column type accepts them.
    if (exponent <= maxWrittenDigits) this.#writtenDigits += exponent;
    if (this.#writtenDigits <= maxWrittenDigits) return;
    throw new JsonNumberTooLong(
      `numbers with exponents would have more than ${maxWrittenDigits} digits when written without exponents`,
    );
  }

  /** The end of the digits that must begin at `from`. Long arrays of numbers spend most of their time here. */
  #endOfDigits(from: number, expected: string): number {
    const text = this.#text;
    let at = from;
    for (let unit = text.charCodeAt(at); unit >= code.zero && unit <= code.nine; )
      unit = text.charCodeAt(++at);
    if (at > from) return at;
    this.#at = at;
    throw this.#unexpected(expected);
  }

  #parseWord<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected('where a value is expected');
    this.#at += word.length;
    return value;
  }

  /** Moves to the next significant character and returns its code (NaN at the end). */
  #skipSpace(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      const isSpace =
        unit === code.space || unit === code.lineFeed || unit === code.carriageReturn || unit === code.tab;
      if (!isSpace) return unit;
      this.#at += 1;
    }
  }

  #unexpected(where: string): JsonSyntaxError {
    const found = this.#text.codePointAt(this.#at);
    if (found === undefined) return new JsonSyntaxError(`the text ends ${where}`, this.#at);
    const character = JSON.stringify(String.fromCodePoint(found));
    const hint = /^(?:NaN|Infinity)/.test(this.#text.slice(this.#at, this.#at + 8)) ? notNumbers : '';
    return new JsonSyntaxError(
      `unexpected character ${character} ${where} (position ${this.#at})${hint}`,
      this.#at,
    );
  }
}

const notNumbers = '; NaN and Infinity are not JSON numbers, write them as strings: "NaN"';
/** A loop is faster for shorter strings; for long ones the pattern takes half the time. */
const longString = 64;
/** A quote, a backslash or a control character. */
const notPlain = /[^ !#-[\]-\uffff]/g;

/** The end of the characters that need no decoding. */
function endOfPlain(text: string, from: number): number {
  const near = Math.min(from + longString, text.length);
  for (let at = from; at < near; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === code.quote || unit === code.backslash || unit < code.space) return at;
  }
  notPlain.lastIndex = near;
  return notPlain.test(text) ? notPlain.lastIndex - 1 : text.length;
}
