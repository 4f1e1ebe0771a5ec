// Converts the extended JSON of MongoDB (`mongoexport`, canonical, relaxed and legacy) to values of the data service.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../foundation/json/json-value.js';
import { timestampText } from './timestamp-text.js';

/** Where values go: documents have wrappers such as `{"$date": 0}`, columns of tables have texts. */
export type ValueForm = 'document' | 'row';

/** How many values were converted, by the name of their wrapper. */
export type Conversions = Map<string, number>;

/** A converted value; undefined if the wrapper has no value of its kind, which the server then refuses. */
type Convert = (object: JsonObject, form: ValueForm) => JsonValue | undefined;

/** A value without wrappers that the data service does not know; the same one if it has none. */
export function convertExtended(value: JsonValue, form: ValueForm, conversions: Conversions): JsonValue {
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value;
  if (isJsonArray(value)) {
    const elements = value.map((element) => convertExtended(element, form, conversions));
    return elements.some((element, at) => element !== value[at]) ? elements : value;
  }
  if (!isJsonObject(value)) return value;
  const wrapper = wrapperOf(value);
  const converted = wrapper === undefined ? undefined : converters.get(wrapper)?.(value, form);
  if (wrapper !== undefined && converted !== undefined) {
    if (converted === value) return value;
    conversions.set(wrapper, (conversions.get(wrapper) ?? 0) + 1);
    return convertExtended(converted, form, conversions); // its members may have wrappers, too
  }
  let isChanged = false;
  const members = new Map<string, JsonValue>();
  for (const [name, member] of value) {
    const own = convertExtended(member, form, conversions);
    isChanged ||= own !== member;
    members.set(name, own);
  }
  return isChanged ? members : value;
}

/** The name of a wrapper: an object all of whose members begin with `$`, of which the first one says what it is. */
function wrapperOf(object: JsonObject): string | undefined {
  if (object.size === 0 || object.size > 3) return undefined;
  let first: string | undefined;
  for (const name of object.keys()) {
    if (!name.startsWith('$')) return undefined;
    first ??= name;
  }
  return first;
}

const integer = /^-?\d{1,100}$/;
const decimal = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;
const noNumber = /^(?:NaN|[+-]?Infinity)$/;
const hexOfObjectId = /^[0-9a-f]{24}$/i;

/** The text of a number that is in a text, or is a number. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'string' ? value : undefined;
}

function numberOf(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  if (noNumber.test(text)) return text.replace('+', '');
  const [found, sign, whole = '', fraction = '', exponent = ''] = decimal.exec(text) ?? [];
  if (found === undefined || whole + fraction === '') return undefined;
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return new JsonNumber(
    `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`,
  );
}

function integerOf(text: string | undefined): JsonValue | undefined {
  return text !== undefined && integer.test(text) ? numberOf(text) : undefined;
}

function objectId(hex: JsonValue | undefined, form: ValueForm): JsonValue | undefined {
  if (typeof hex !== 'string' || !hexOfObjectId.test(hex)) return undefined;
  return form === 'row' ? hex : new Map([['$objectId', hex]]);
}

/** A date is milliseconds, a text of ISO 8601, or `{"$numberLong": …}`. */
const date: Convert = (object, form) => {
  const inner = object.get('$date') ?? null;
  if (inner instanceof JsonNumber && form === 'document') return object;
  const given = isJsonObject(inner) ? inner.get('$numberLong') : inner;
  const iso = typeof given === 'string' ? timestampText(given) : undefined;
  const ms = iso === undefined ? Number(textOf(given) ?? Number.NaN) : Date.parse(iso);
  if (!Number.isSafeInteger(ms)) return undefined;
  if (form === 'document') return new Map([['$date', new JsonNumber(String(ms))]]);
  return Number.isNaN(new Date(ms).getTime()) ? undefined : new Date(ms).toISOString();
};

/** A binary value is `{"base64", "subType"}`, in older exports a text with `$type`; ours is a text alone. */
const binary: Convert = (object, form) => {
  const inner = object.get('$binary') ?? null;
  if (typeof inner === 'string' && object.size === 1) return object;
  const [base64, type] = isJsonObject(inner)
    ? [inner.get('base64'), inner.get('subType')]
    : [inner, object.get('$type')];
  if (typeof base64 !== 'string') return undefined;
  const uuid = /^0?4$/.test(textOf(type) ?? '') ? uuidText(base64) : undefined;
  if (uuid === undefined) return new Map([['$binary', base64]]);
  return form === 'row' ? uuid : new Map([['$uuid', uuid]]);
};

const bytesOfUuid = 16;

function uuidText(base64: string): string | undefined {
  try {
    const bytes = atob(base64);
    if (bytes.length !== bytesOfUuid) return undefined;
    const hex = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  } catch {
    return undefined;
  }
}

/** Members without the `$` of their names, which documents must not have. */
const withoutDollars: Convert = (object) =>
  new Map([...object].map(([name, member]) => [name.slice(1), member]));

/** The object within the wrapper, without the `$` of the names of its members. */
function innerObject(name: string): Convert {
  return (object, form) => {
    const inner = object.get(name) ?? null;
    if (!isJsonObject(inner)) return undefined;
    return wrapperOf(inner) === undefined ? inner : withoutDollars(inner, form);
  };
}

function wordOf(word: string): Convert {
  return () => word;
}

const converters: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['$oid', (object, form) => objectId(object.get('$oid'), form)],
  ['$objectId', (object, form) => (form === 'document' ? object : objectId(object.get('$objectId'), form))],
  ['$uuid', (object, form) => (form === 'document' ? object : textOf(object.get('$uuid')))],
  ['$date', date],
  ['$numberInt', (object) => integerOf(textOf(object.get('$numberInt')))],
  ['$numberLong', (object) => integerOf(textOf(object.get('$numberLong')))],
  ['$numberDouble', (object) => numberOf(textOf(object.get('$numberDouble')))],
  ['$numberDecimal', (object) => numberOf(textOf(object.get('$numberDecimal')))],
  ['$binary', binary],
  ['$timestamp', innerObject('$timestamp')],
  ['$regularExpression', innerObject('$regularExpression')],
  ['$regex', withoutDollars],
  ['$symbol', (object) => textOf(object.get('$symbol'))],
  [
    '$code',
    (object) => (object.size === 1 ? textOf(object.get('$code')) : withoutDollars(object, 'document')),
  ],
  ['$dbPointer', innerObject('$dbPointer')],
  ['$ref', withoutDollars],
  ['$undefined', () => null],
  ['$minKey', wordOf('MinKey')],
  ['$maxKey', wordOf('MaxKey')],
]);

/** What becomes of wrappers that have no type of the data service. */
const becomes: Readonly<Record<string, string>> = {
  $timestamp: 'an object with t and i',
  $regularExpression: 'an object with pattern and options',
  $regex: 'an object with regex and options',
  $code: 'a text',
  $symbol: 'a text',
  $dbPointer: 'an object with ref and id',
  $ref: 'an object with ref and id',
  $undefined: 'null',
  $minKey: 'the text MinKey',
  $maxKey: 'the text MaxKey',
};

/** A text such as `120 $oid, 3 $timestamp (each becomes an object with t and i)`; undefined if there are none. */
export function conversionsText(conversions: Conversions): string | undefined {
  if (conversions.size === 0) return undefined;
  return [...conversions]
    .map(([name, count]) => {
      const other = becomes[name];
      return `${count} ${name}${other === undefined ? '' : ` (each becomes ${other})`}`;
    })
    .join(', ');
}
