// Extended values: objects with one member whose name begins with `$`, such as `{"$uuid": "…"}`.
import { JsonNumber, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { showJson } from '../errors/request-problems.js';

/** The names of extended values. */
const extendedNames = ['$date', '$uuid', '$objectId', '$binary'] as const;
/** The name of an extended value. */
export type ExtendedName = (typeof extendedNames)[number];

const leastDate = -(2n ** 63n);
const greatestDate = 2n ** 63n - 1n;
const uuidLength = 36;

/** What each content must be, and whether it is. */
const forms: Readonly<
  Record<ExtendedName, { readonly form: string; readonly accepts: (content: JsonValue) => boolean }>
> = {
  $date: { form: 'an integer of at most 64 bits: milliseconds since 1970', accepts: isDate },
  $uuid: {
    form: 'a UUID as a string',
    // Leading zeros of the parts can be left out, because the public API accepts that.
    accepts: (content) =>
      typeof content === 'string' &&
      content.length <= uuidLength &&
      /^[\da-f]+(?:-[\da-f]+){4}$/i.test(content),
  },
  $objectId: {
    form: 'a string of 24 hexadecimal digits',
    accepts: (content) => typeof content === 'string' && /^[\da-f]{24}$/i.test(content),
  },
  $binary: { form: 'a string in base64', accepts: isBase64 },
};

function isDate(content: JsonValue): boolean {
  if (!(content instanceof JsonNumber) || !/^-?\d+$/.test(content.text)) return false;
  const time = BigInt(content.text);
  return time >= leastDate && time <= greatestDate;
}

function isBase64(content: JsonValue): boolean {
  return typeof content === 'string' && content.length % 4 === 0 && /^[\da-z+/]*={0,2}$/i.test(content);
}

/** The name of an extended value, if the object has the form of one; its content may still be wrong. */
export function extendedName(json: JsonObject): ExtendedName | undefined {
  if (json.size !== 1) return undefined;
  for (const name of json.keys()) return extendedNames.find((known) => known === name);
  return undefined;
}

/** Why the content of an extended value is not of its form; undefined if it is. */
export function whyNotExtended(name: ExtendedName, content: JsonValue): string | undefined {
  const { form, accepts } = forms[name];
  return accepts(content) ? undefined : `"${name}" needs ${form}, but has ${showJson(content)}`;
}
