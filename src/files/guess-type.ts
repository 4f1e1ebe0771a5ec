// Guesses the type of a column from the texts of all its values.
import { shortened } from '../foundation/text/shorten-text.js';
import { isUsualMark } from './null-marks.js';
import { type NumberFormat, type NumberParts, readNumber, usualNumbers } from './number-text.js';
import { readJson } from './read-json.js';
import { timestampText } from './timestamp-text.js';

/** Types that columns of a file can have; `json` is for the objects and arrays of documents only. */
export const guessedTypes = [
  ...(['boolean', 'int', 'bigint', 'varint', 'decimal', 'double'] as const),
  ...(['date', 'timestamp', 'uuid', 'json', 'text'] as const),
];

/** One of them. */
export type GuessedType = (typeof guessedTypes)[number];

/** The type of this name; undefined if a file cannot have it. */
export function guessedTypeNamed(name: string): GuessedType | undefined {
  return guessedTypes.find((type) => type === name);
}

/** Longer literals are refused by the data service. */
const longestNumber = 100;
/** The number of digits that a double keeps of every number. */
const digitsOfDouble = 15;
const longestExample = 40;
const boolean = /^(?:true|false)$/i;
const date = /^\d{4}-\d\d-\d\d$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const integers = ['int', 'bigint', 'varint'] as const;

/** What a user said about the values of a file. */
export interface ValueFormat {
  readonly numbers: NumberFormat;
  /** Texts that stand for no value in every column; undefined to guess them. */
  readonly nullMarks: ReadonlySet<string> | undefined;
}

/** Usual numbers, and marks that are guessed. */
export const usualValues: ValueFormat = { numbers: usualNumbers, nullMarks: undefined };

/** Other ways to write numbers, which are only named in a hint. */
const otherNumbers: readonly NumberFormat[] = [
  { decimal: ',', thousands: '.' },
  { decimal: '.', thousands: ',' },
];

/** Guesses one column. */
export class TypeGuess {
  readonly #format: ValueFormat;
  readonly #types = new Set<GuessedType>();
  readonly #marks = new Map<string, number>();
  #mostDigits = 0;
  #empty = 0;
  #values = 0;
  #example: string | undefined;
  /** What makes a text with a plus sign, or with a point at its end, a number. */
  readonly #seen = { plus: false, minus: false, endingPoint: false, fraction: false };
  /** Ways in which all values are numbers. */
  #others = otherNumbers;
  /** Whether a value is not a number of the format. */
  #hasOther = false;

  constructor(format: ValueFormat = usualValues) {
    this.#format = format;
  }

  /** Adds a value; null for an empty field. */
  add(value: string | null): void {
    if (value === null || this.#format.nullMarks?.has(value) === true) {
      this.#empty += 1;
      return;
    }
    if (this.#format.nullMarks === undefined && isUsualMark(value)) {
      const mark = value.trim();
      this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + 1);
      return;
    }
    this.#values += 1;
    // A copy: a slice would keep the whole piece of the file in memory.
    this.#example ??= [...shortened(value, longestExample)].join('');
    this.#addText(value);
  }

  #addText(value: string): void {
    if (this.#types.has('text') && this.#others.length === 0) return; // nothing can change
    const number = value.length > longestNumber ? undefined : readNumber(value, this.#format.numbers);
    // Numbers without a fraction are the same in every format.
    if (this.#others.length > 0 && number?.hasFraction !== false)
      this.#others = this.#others.filter(
        (numbers) =>
          (number !== undefined && numbers.decimal === this.#format.numbers.decimal) ||
          readNumber(value, numbers) !== undefined,
      );
    this.#hasOther ||= number === undefined;
    if (this.#types.has('text')) return;
    if (number === undefined) this.#types.add(typeOfText(value.trim()));
    else this.#addNumber(number);
  }

  #addNumber(number: NumberParts): void {
    const { text, hasExponent, hasFraction, endsWithPoint } = number;
    this.#seen.plus ||= number.hasPlus;
    this.#seen.minus ||= number.isNegative;
    this.#seen.endingPoint ||= endsWithPoint;
    this.#seen.fraction ||= hasFraction;
    if (number.hasLeadingZeros) this.#types.add('text');
    else if (hasExponent) this.#types.add('double');
    else this.#types.add(hasFraction || endsWithPoint ? 'decimal' : integerType(text));
    if (hasExponent && !isInRange(text)) this.#mostDigits = Number.POSITIVE_INFINITY;
    if (text.length > digitsOfDouble && this.#mostDigits <= digitsOfDouble)
      this.#mostDigits = Math.max(this.#mostDigits, digitsOf(text));
  }

  /** How many fields have no value: empty ones and, if the column is not text, those with a mark. */
  get empty(): number {
    return (
      this.#empty + (this.hasMarks ? [...this.#marks.values()].reduce((sum, count) => sum + count, 0) : 0)
    );
  }

  /** Whether no field has a value or a mark. */
  get isEmpty(): boolean {
    return this.#values === 0 && this.#marks.size === 0;
  }

  /** The beginning of the first value; undefined if there is none. */
  get example(): string | undefined {
    return this.#example ?? this.#marks.keys().next().value;
  }

  /** Whether there are marks and nothing else. */
  get isOnlyMarks(): boolean {
    return this.#values === 0 && this.#marks.size > 0;
  }

  /** Guessed marks of no value with how often they occur, whether the column has them or texts. */
  get marks(): ReadonlyMap<string, number> {
    return this.#marks;
  }

  /** Whether the guessed marks stand for no value, because all other values are not texts. */
  get hasMarks(): boolean {
    return this.#marks.size > 0 && this.#values > 0 && this.type !== 'text' && this.type !== 'json';
  }

  /** How all values would be numbers, if they are texts that are not numbers; undefined if no way is known. */
  get otherNumbers(): NumberFormat | undefined {
    return this.#hasOther && this.type === 'text' && this.#format.numbers === usualNumbers
      ? this.#others[0]
      : undefined;
  }

  /** The narrowest type that keeps all values as they are; `text` if there is no value. */
  get type(): GuessedType {
    const types = this.#types;
    const { plus, minus, endingPoint, fraction } = this.#seen;
    if (plus && !minus && !fraction) return 'text';
    if (endingPoint && !fraction) return 'text';
    const [first = 'text'] = types;
    if (types.size === 1 && first !== 'double') return first;
    const isOnly = (...allowed: readonly GuessedType[]) => [...types].every((type) => allowed.includes(type));
    if (types.size === 0) return 'text';
    if (isOnly('date', 'timestamp')) return 'timestamp';
    if (isOnly(...integers)) return integers.findLast((type) => types.has(type)) ?? 'text';
    if (isOnly(...integers, 'decimal')) return 'decimal';
    if (isOnly(...integers, 'decimal', 'double'))
      return this.#mostDigits > digitsOfDouble ? 'decimal' : 'double';
    return 'text';
  }
}

/** The type of a text that is not a number; `json` for an object or array. */
function typeOfText(value: string): GuessedType {
  if (boolean.test(value)) return 'boolean';
  if (/^[[{]/.test(value)) return readJson(value) === undefined ? 'text' : 'json';
  if (uuid.test(value)) return 'uuid';
  const time = timestampText(value);
  if (time === undefined) return 'text';
  if (date.test(value)) return 'date';
  // The data service keeps milliseconds.
  return /\.\d{4}/.test(time) ? 'text' : 'timestamp';
}

function integerType(value: string): GuessedType {
  if (value.length < 10) return 'int';
  const integer = BigInt(value);
  return integers.find((_, at) => BigInt.asIntN(32 * (at + 1), integer) === integer && at < 2) ?? 'varint';
}

/** Whether a double neither overflows nor becomes 0. */
function isInRange(value: string): boolean {
  const double = Number(value);
  return Number.isFinite(double) && (double !== 0 || digitsOf(value) === 0);
}

function digitsOf(value: string): number {
  const [mantissa = ''] = value.toLowerCase().split('e');
  return mantissa.replace(/\D/g, '').replace(/^0+/, '').length;
}
