// The text types: text, its alias varchar, and ascii.
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverString } from './driver-values.js';
import { expectString } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

export const text: ColumnType<string> = {
  name: 'text',
  help: 'any text; a JSON string',
  input: { kind: 'text' },
  parse(json) {
    const value = expectString(json);
    if (value.isWellFormed()) return value;
    throw new ValueMismatch('the text has an unpaired surrogate, which is not a character');
  },
  serialize: (value) => JSON.stringify(value),
  compare: compareCodePoints,
  sql: {
    columnType: 'TEXT',
    readsBigInt: false,
    encode: escapeNull,
    decode: (stored) => unescapeNull(stored as string), // what encode returned
    serialized: (column) => `json_quote(${column})`,
  },
  cql: { type: 'text', encode: (value) => Buffer.from(value, 'utf8'), fromDriver: driverString },
  traits: { ...ordinaryTraits, mayBeEmpty: true, index: 'equality', text: true, searchable: true },
  examples: {
    accepts: [
      ...[
        '""',
        '"\\u0000"',
        '"\\u0000\\u0000"',
        '"\\u0000a"',
        '"\\u0001"',
        '"\\u0001\\u0000"',
        '"\\u0001\\u0001"',
      ],
      ...[
        '"\\u0001b"',
        '"\\u0002"',
        '" "',
        '"\\""',
        '"10"',
        '"9"',
        '"A"',
        '"\\\\"',
        '"a"',
        '"a\\u0000b"',
        '"aa"',
      ],
      ...[
        '"\\u007f"',
        '"\\u0080"',
        '"\\u00e9"',
        '"\\u20ac"',
        '"\\ud7ff"',
        '"\\ue000"',
        '"\\ufffd"',
        '"\\uffff"',
      ],
      ...['"\\ud800\\udc00"', '"\\ud83d\\ude00"', '"\\udbff\\udfff"'],
    ],
    rejects: ['"\\ud800"', '"\\udc00"', '"a\\ud800b"', '"\\udc00\\ud800"', '1', 'true', '[]', '["a"]', '{}'],
  },
};

/** Another name of `text`: native queries that create columns with it get the type `text`. */
export const varchar: ColumnType<string> = {
  ...text,
  name: 'varchar',
  help: 'any text; the older name of text',
  definition: '{"type":"text"}',
  cql: { ...text.cql, type: 'varchar' },
  traits: { ...text.traits, creatable: false },
};

export const ascii: ColumnType<string> = {
  ...text,
  name: 'ascii',
  help: 'text of US-ASCII characters; a JSON string',
  parse(json) {
    const value = expectString(json);
    for (let at = 0; at < value.length; at += 1) {
      if (value.charCodeAt(at) > 0x7f) throw new ValueMismatch(`character ${at + 1} is not US-ASCII`);
    }
    return value;
  },
  cql: { ...text.cql, type: 'ascii' },
  traits: { ...text.traits, searchable: false },
  examples: {
    accepts: [
      ...[
        '""',
        '"\\u0000"',
        '"\\u0000a"',
        '"\\u0001"',
        '"\\u0002"',
        '" "',
        '"10"',
        '"9"',
        '"A"',
        '"Z"',
        '"a"',
      ],
      ...['"aa"', '"b"', '"\\u007f"'],
    ],
    rejects: ['"\\u0080"', '"caf\\u00e9"', '"\\ud83d\\ude00"', '"\\ud800"', '1', 'false', '[]', '{}'],
  },
};

/** The order of code points, which is the order of UTF-8; JavaScript itself orders by UTF-16 units. */
function compareCodePoints(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return codePointRank(leftUnit) - codePointRank(rightUnit);
  }
  return left.length - right.length;
}

/** Surrogates are parts of the greatest code points. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Escapes U+0000, at which SQLite's driver would truncate a text. Keeps the order. */
function escapeNull(value: string): string {
  if (!value.includes('\u0000') && !value.includes('\u0001')) return value;
  return replaced(replaced(value, '\u0001', '\u0001\u0002'), '\u0000', '\u0001\u0001');
}

function unescapeNull(stored: string): string {
  if (!stored.includes('\u0001')) return stored;
  // Never splits an escape: a run of U+0001 begins with an escape, and the search goes from left to right.
  return replaced(replaced(stored, '\u0001\u0001', '\u0000'), '\u0001\u0002', '\u0001');
}

/** For a text with millions of escapes `replaceAll` takes five times as long. */
function replaced(value: string, part: string, other: string): string {
  return value.split(part).join(other);
}
