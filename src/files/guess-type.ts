// Guesses the type of a column from the texts of all its values.
import { shortened } from '../foundation/text/shorten-text.js';
import { readJson } from './read-json.js';

/** Types that columns of a file can have; `json` is for the objects and arrays of documents only. */
export type GuessedType =
  | 'boolean'
  | 'int'
  | 'bigint'
  | 'varint'
  | 'decimal'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'uuid'
  | 'json'
  | 'text';

const number = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/;
/** Longer literals are refused by the data service. */
const longestNumber = 100;
/** Doubles keep so many digits of every number. */
const digitsOfDouble = 15;
const boolean = /^(?:true|false)$/i;
const date = /^\d{4}-\d\d-\d\d$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const day = String.raw`(\d{4}-(\d\d)-(\d\d))`;
const time = String.raw`((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?`;
const zone = String.raw`(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)`;
const timestamp = new RegExp(`^${day}(?:[T ]${time} ?${zone}?)?$`, 'i');
const integers = ['int', 'bigint', 'varint'] as const;

/** Guesses one column. */
export class TypeGuess {
  readonly #types = new Set<GuessedType>();
  #mostDigits = 0;
  #empty = 0;
  #example: string | undefined;

  /** Adds a value; null for an empty field. */
  add(value: string | null): void {
    if (value === null) {
      this.#empty += 1;
      return;
    }
    // A copy: a slice would keep the whole piece of the file in memory.
    this.#example ??= [...shortened(value, 40)].join('');
    if (this.#types.has('text')) return;
    const type = typeOf(value);
    this.#types.add(type);
    if (type === 'double' && !isInRange(value)) this.#mostDigits = Number.POSITIVE_INFINITY;
    if (value.length > digitsOfDouble && this.#mostDigits <= digitsOfDouble)
      this.#mostDigits = Math.max(this.#mostDigits, digitsOf(value));
  }

  /** How many fields are empty. */
  get empty(): number {
    return this.#empty;
  }

  /** The beginning of the first value; undefined if there is none. */
  get example(): string | undefined {
    return this.#example;
  }

  /** The narrowest type that keeps all values as they are; `text` if there is no value. */
  get type(): GuessedType {
    const types = this.#types;
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

/** The type of a single value; `double` for a number with an exponent, `json` for an object or array. */
function typeOf(value: string): GuessedType {
  if (boolean.test(value)) return 'boolean';
  if (/^[[{]/.test(value)) return readJson(value) === undefined ? 'text' : 'json';
  const found = value.length > longestNumber ? null : number.exec(value);
  if (found !== null) {
    const [, fraction, exponent] = found;
    if (exponent !== undefined) return 'double';
    return fraction === undefined ? integerType(value) : 'decimal';
  }
  if (uuid.test(value)) return 'uuid';
  if (date.test(value)) return timestampText(value) === undefined ? 'text' : 'date';
  const fraction = timestamp.exec(value)?.[6] ?? '';
  // The data service keeps milliseconds.
  return fraction.length <= 3 && timestampText(value) !== undefined ? 'timestamp' : 'text';
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

/** A date, or date and time as in `2026-01-31 12:00`, as RFC 3339, in UTC without a zone; undefined for other texts. */
export function timestampText(value: string): string | undefined {
  const found = timestamp.exec(value);
  if (found === null) return undefined;
  const [, date = '', month, dayOfMonth, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    found;
  if (!isDay(Number(date.slice(0, 4)), Number(month), Number(dayOfMonth))) return undefined;
  const upper = zone.toUpperCase();
  const offset = upper === 'Z' || upper.includes(':') ? upper : `${upper.slice(0, 3)}:${upper.slice(3)}`;
  return `${date}T${minutes}:${seconds}${fraction === '' ? '' : `.${fraction}`}${offset}`;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, dayOfMonth: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0);
  return dayOfMonth >= 1 && dayOfMonth <= days;
}
