// Guesses the type of a column from the texts of all its values.

/** Types that columns of a file can have. */
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
  | 'text';

const number = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/;
/** Longer literals are refused by the data service. */
const longestNumber = 100;
/** Doubles keep so many digits of every number. */
const digitsOfDouble = 15;
const boolean = /^(?:true|false)$/i;
const date = /^\d{4}-\d\d-\d\d$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const timestamp = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)? ?(Z|[+-]\d\d:?\d\d)?)?$/i;
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
    this.#example ??= value.slice(0, 40);
    if (this.#types.has('text')) return;
    const type = typeOf(value);
    this.#types.add(type);
    if (value.length > digitsOfDouble) this.#mostDigits = Math.max(this.#mostDigits, digitsOf(value));
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

/** The type of a single value; `double` for a number with an exponent. */
function typeOf(value: string): GuessedType {
  if (boolean.test(value)) return 'boolean';
  const found = value.length > longestNumber ? null : number.exec(value);
  if (found !== null) {
    const [, fraction, exponent] = found;
    if (exponent !== undefined) return 'double';
    return fraction === undefined ? integerType(value) : 'decimal';
  }
  if (uuid.test(value)) return 'uuid';
  if (date.test(value)) return timestampText(value) === undefined ? 'text' : 'date';
  const fraction = timestamp.exec(value)?.[4] ?? '';
  // The data service keeps milliseconds.
  return fraction.length <= 3 && timestampText(value) !== undefined ? 'timestamp' : 'text';
}

function integerType(value: string): GuessedType {
  if (value.length < 10) return 'int';
  const integer = BigInt(value);
  return integers.find((_, at) => BigInt.asIntN(32 * (at + 1), integer) === integer && at < 2) ?? 'varint';
}

function digitsOf(value: string): number {
  const [mantissa = ''] = value.toLowerCase().split('e');
  return mantissa.replace(/\D/g, '').replace(/^0+/, '').length;
}

/** A date, or date and time as in `2026-01-31 12:00`, as RFC 3339, in UTC without a zone; undefined for other texts. */
export function timestampText(value: string): string | undefined {
  const found = timestamp.exec(value);
  if (found === null) return undefined;
  const [, day = '', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = found;
  const at = new Date(`${day}T00:00:00Z`);
  // Other than the parser of dates, which makes 2026-02-30 a day of March.
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) return undefined;
  const offset =
    zone.toUpperCase() === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const text = `${day}T${minutes}:${seconds}${fraction === '' ? '' : `.${fraction}`}${offset.toUpperCase()}`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}
