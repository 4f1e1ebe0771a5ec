// Values of documents as the model of collections compares them: written from the contract alone.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';

/** A document or object. */
export type Members = JsonObject;

/** A number: mantissa · 10^exponent, the mantissa without zeros at its end. */
interface Decimal {
  readonly mantissa: bigint;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  let mantissa = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  let exponent = Number(power) - fraction.length;
  if (mantissa === 0n) return { mantissa, exponent: 0 };
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent += 1;
  }
  return { mantissa, exponent };
}

function aligned(left: string, right: string): readonly [bigint, bigint, number] {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = ({ mantissa, exponent: own }: Decimal) => mantissa * 10n ** BigInt(own - exponent);
  return [scaled(one), scaled(other), exponent];
}

/** The same text for equal numbers. */
function numberText(text: string): string {
  const { mantissa, exponent } = decimalOf(text);
  return `${mantissa}e${exponent}`;
}

/** The sum of two literals. */
export function sumOf(left: string, right: string): string {
  const [one, other, exponent] = aligned(left, right);
  return `${one + other}e${exponent}`;
}

/** The product of two literals. */
export function productOf(left: string, right: string): string {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return `${one.mantissa * other.mantissa}e${one.exponent + other.exponent}`;
}

/** The kinds in their order in sorts; -1 is a missing value. */
export const kinds = ['null', 'number', 'string', 'object', 'array', 'boolean', 'date'] as const;
/** A kind of values. */
export type Kind = (typeof kinds)[number];

const wrapperNames = ['$date', '$uuid', '$objectId', '$binary'];

/** The name and content of an extended value. */
export function wrapperOf(value: JsonValue): readonly [string, JsonValue] | undefined {
  if (value === null || !isJsonObject(value) || value.size !== 1) return undefined;
  for (const [name, content] of value) if (wrapperNames.includes(name)) return [name, content];
  return undefined;
}

/** The kind of a value. */
export function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (isJsonArray(value)) return 'array';
  const [name] = wrapperOf(value) ?? [];
  if (name === '$date') return 'date';
  return name === undefined ? 'object' : 'string';
}

/** Whether filters compare it as one value, not by what it contains. */
export function isScalar(value: JsonValue): boolean {
  const kind = kindOf(value);
  return kind !== 'array' && kind !== 'object';
}

function textOf(value: JsonValue): string {
  const [, content = value] = wrapperOf(value) ?? [];
  return typeof content === 'string' ? (content === value ? content : content.toLowerCase()) : '';
}

function dateOf(value: JsonValue): string {
  const [, content] = wrapperOf(value) ?? [];
  return content instanceof JsonNumber ? content.text : '0';
}

function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function compareDecimals(left: string, right: string): number {
  const [one, other] = aligned(left, right);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The order of sorts, `$min` and `$max`. */
export function order(left: JsonValue | undefined, right: JsonValue | undefined): number {
  if (left === undefined || right === undefined)
    return Number(left !== undefined) - Number(right !== undefined);
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return kinds.indexOf(kind) - kinds.indexOf(kindOf(right));
  switch (kind) {
    case 'null':
      return 0;
    case 'number':
      return compareDecimals((left as JsonNumber).text, (right as JsonNumber).text);
    case 'string':
      return compareTexts(textOf(left), textOf(right));
    case 'boolean':
      return Number(left) - Number(right);
    case 'date':
      return compareDecimals(dateOf(left), dateOf(right));
    case 'array':
      return orderOfLists(left as readonly JsonValue[], right as readonly JsonValue[], order);
    case 'object':
      return orderOfLists([...(left as Members)], [...(right as Members)], ([name, one], [other, two]) => {
        return compareTexts(name, other) || order(one, two);
      });
  }
}

function orderOfLists<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (one: Item, other: Item) => number,
): number {
  for (const [at, one] of left.entries()) {
    const other = right[at];
    if (other === undefined && at >= right.length) return 1;
    const found = compare(one, other as Item); // inside
    if (found !== 0) return found;
  }
  return left.length - right.length;
}

/** Equal in filters. */
export function isEqual(left: JsonValue, right: JsonValue): boolean {
  return order(left, right) === 0;
}

/** The same text for the same JSON: numbers by value, everything else as written. Instants of today are one. */
export function nodeText(value: JsonValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return numberText(value.text);
  if (isJsonArray(value)) return `[${value.map(nodeText).join(',')}]`;
  const [name, content] = wrapperOf(value) ?? [];
  if (name === '$date' && content instanceof JsonNumber && isOfToday(content)) return '{"$date":now}';
  const members = [...value].map(([each, member]) => `${JSON.stringify(each)}:${nodeText(member)}`);
  // The place of reserved members has no meaning.
  const isReserved = (text: string) => /^"\$(?:vector|vectorize|lexical)":/.test(text);
  const last = members.filter(isReserved).sort();
  return `{${[...members.filter((text) => !isReserved(text)), ...last].join(',')}}`;
}

/** The random values have no dates of these years, so that they are those of `$currentDate`. */
function isOfToday({ text }: JsonNumber): boolean {
  return Number(text) > 1.6e12 && Number(text) < 4e12;
}

/** The parts of a path. */
export function partsOf(path: string): readonly string[] {
  const parts = path.match(/(?:&.|[^&.])+/gs) ?? [];
  return parts.map((part) => part.replaceAll(/&(.)/gs, '$1'));
}

/** The value at a path: through objects by name, into arrays by index. */
export function find(value: JsonValue | undefined, parts: readonly string[]): JsonValue | undefined {
  const [first, ...rest] = parts;
  if (first === undefined) return value;
  if (value === undefined || value === null || typeof value !== 'object') return undefined;
  if (isJsonArray(value)) return isIndex(first) ? find(value[Number(first)], rest) : undefined;
  return isJsonObject(value) ? find(value.get(first), rest) : undefined;
}

/** Whether a part of a path can be the index of an element. */
export function isIndex(part: string): boolean {
  return part === '0' || /^[1-9]\d*$/.test(part);
}

/** The same text for ids of one document. */
export function keyOf(id: JsonValue): string {
  const kind = kindOf(id);
  if (kind === 'number') return `number ${numberText((id as JsonNumber).text)}`;
  if (kind === 'string') return `string ${textOf(id)}`;
  return kind === 'date' ? `date ${numberText(dateOf(id))}` : `${kind} ${nodeText(id)}`;
}
