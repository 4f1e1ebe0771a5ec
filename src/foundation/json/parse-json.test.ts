// The parser agrees with JSON.parse, and keeps what JSON.parse loses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonArray, JsonNumber, type JsonValue, jsonKind, stringifyJson } from './json-value.js';
import { JsonNumberTooLong, JsonSyntaxError, JsonTooManyValues, parseJson } from './parse-json.js';

const limits = { maxDepth: 20, maxNumberLength: 100 };

describe('parseJson on valid texts', () => {
  it('gives the values that JSON.parse gives, for random texts', () => {
    eachSeed(3000, (random) => {
      const text = randomText(random);
      assert.deepEqual(toPlain(parseJson(text, limits)), JSON.parse(text), text);
    });
  });

  it('keeps the text of numbers', () => {
    for (const text of [
      '-0',
      '0.0',
      '1e120000',
      '1E+5',
      '-1.50e-07',
      '1234567890123456789012345678901234567890',
    ]) {
      const value = parseJson(` [${text}] `, limits);
      assert.equal(stringifyJson(value), `[${text}]`);
    }
  });

  it('keeps the order of members, also of names that are integers or __proto__', () => {
    const text = '{"b":1,"10":2,"__proto__":{"a":3},"9":4,"a":5,"constructor":6,"":7}';
    const value = parseJson(text, limits);
    assert.equal(stringifyJson(value), text);
    assert.ok(value instanceof Map);
    assert.deepEqual([...value.keys()], ['b', '10', '__proto__', '9', 'a', 'constructor', '']);
  });

  it('reads every kind of value', () => {
    const value = parseJson('[null,true,"text",1,[],{}]', limits);
    assert.ok(isJsonArray(value));
    assert.deepEqual(value.map(jsonKind), ['null', 'boolean', 'string', 'number', 'array', 'object']);
  });

  it('reads escapes, surrogate pairs and lone surrogates as JSON.parse does', () => {
    const text = String.raw`"\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00 \ud83d \\"`;
    assert.equal(parseJson(text, limits), JSON.parse(text));
    assert.equal(parseJson('"é😀\u2028\u007f"', limits), 'é😀\u2028\u007f');
  });
});

describe('parseJson on strings of every length', () => {
  it('ends and refuses them where JSON.parse does, whatever stands at each place', () => {
    const parts = [
      '"',
      '\\',
      '\\n',
      '\\u00e9',
      '\u0000',
      '\n',
      '\u001f',
      ' ',
      '!',
      '#',
      '[',
      ']',
      '\u007f',
      'é',
      '\uffff',
      '😀',
    ];
    for (const length of [0, 1, 62, 63, 64, 65, 66, 200]) {
      for (const part of parts) {
        for (const behind of ['', 'x', 'x'.repeat(70)]) {
          const text = `{"a":"${'x'.repeat(length)}${part}${behind}","b":"${part.length}"}`;
          const expected = attempt(() => JSON.parse(text));
          const actual = attempt(() => toPlain(parseJson(text, limits)));
          assert.deepEqual(actual.value, expected.value, text);
          assert.equal(actual.error === undefined, expected.error === undefined, text);
        }
      }
      const cut = `"${'x'.repeat(length)}`;
      assert.throws(() => parseJson(cut, limits), isSyntaxError(/the text ends inside a string/), cut);
    }
  });
});

describe('parseJson on invalid texts', () => {
  it('refuses what JSON.parse refuses and nothing else but its own three limits, for random mutations', () => {
    const seen = { accepted: 0, refused: 0, ownLimit: 0 };
    eachSeed(6_000, (random) => {
      const text = mutate(random, randomText(random));
      // It refuses a byte order mark, which is ignored here.
      const expected = attempt(() => JSON.parse(text.replace(/^\ufeff/, '')));
      const actual = attempt(() => toPlain(parseJson(text, limits)));
      if (actual.error !== undefined) assertExpectedError(actual.error, text);
      if (actual.error !== undefined && isOwnLimit(actual.error)) {
        seen.ownLimit += 1;
        return;
      }
      assert.equal(actual.error !== undefined, expected.error !== undefined, JSON.stringify(text));
      assert.deepEqual(actual.value, expected.value, JSON.stringify(text));
      seen[actual.error === undefined ? 'accepted' : 'refused'] += 1;
    });
    // The mutations would prove nothing if all of them had the same outcome.
    assert.ok(seen.accepted > 300 && seen.refused > 300 && seen.ownLimit > 3, JSON.stringify(seen));
  });

  const refused: readonly (readonly [text: string, reason: RegExp])[] = [
    ['', /^the text ends where a value is expected$/],
    ['  ', /^the text ends where a value is expected$/],
    ['{"a":1', /^the text ends where ',' or '}' is expected$/],
    ['{"a"', /^the text ends where ':' is expected$/],
    ['[1,', /^the text ends where a value is expected$/],
    ['[1,]', /^unexpected character "\]" where a value is expected \(position 3\)$/],
    ['{"a":1,}', /^unexpected character "}" where a member name is expected \(position 7\)$/],
    ['{a:1}', /^unexpected character "a" where a member name is expected \(position 1\)$/],
    ['{"a":1} x', /^unexpected character "x" after the end of the value \(position 8\)$/],
    ['"abc', /^the text ends inside a string$/],
    ['"ab\\"', /^the text ends inside a string$/],
    ['"\\x"', /^a string has a bad escape or control character \(position 0\)$/],
    ['"\\u12g4"', /^a string has a bad escape/],
    ['"a\nb"', /^unexpected character "\\n" inside a string/],
    ['"\\n\n"', /control character/],
    ['01', /^unexpected character "1" after the end of the value \(position 1\)$/],
    ['-', /^the text ends where a digit is expected$/],
    ['1.', /^the text ends where a digit is expected$/],
    ['[1.e5]', /^unexpected character "e" where a digit is expected \(position 3\)$/],
    ['1e', /^the text ends where a digit is expected$/],
    ['+1', /^unexpected character "\+" where a value is expected \(position 0\)$/],
    ['.5', /^unexpected character "\." where a value is expected \(position 0\)$/],
    ['NaN', /^unexpected character "N" where a value is expected \(position 0\); .* as strings: "NaN"$/],
    [
      '[-Infinity]',
      /^unexpected character "I" where a digit is expected \(position 2\); .* as strings: "NaN"$/,
    ],
    ['nul', /^unexpected character "n" where a value is expected \(position 0\)$/],
    ['[tru]', /^unexpected character "t" where a value is expected \(position 1\)$/],
    ['\ufeff\ufeff1', /^unexpected character "\ufeff" where a value is expected \(position 1\)$/],
    ['[😀]', /^unexpected character "😀" where a value is expected \(position 1\)$/],
  ];
  for (const [text, reason] of refused) {
    it(`says why ${JSON.stringify(text)} is not JSON`, () => {
      assert.throws(() => parseJson(text, limits), isSyntaxError(reason));
      assert.throws(() => JSON.parse(text));
    });
  }

  it('refuses a member name that appears twice, also when it is spelt with escapes or lies deep', () => {
    const twice = isSyntaxError(/^member name "a" appears twice in one object$/);
    assert.throws(() => parseJson('{"a":1,"b":2,"a":1}', limits), twice);
    assert.throws(() => parseJson(String.raw`{"a":1,"\u0061":2}`, limits), twice);
    assert.throws(() => parseJson('[{"b":{"a":1,"a":2}}]', limits), twice);
    assert.throws(() => parseJson('{"__proto__":1,"__proto__":2}', limits), JsonSyntaxError);
    assert.equal(stringifyJson(parseJson('[{"a":1},{"a":{"a":2}}]', limits)), '[{"a":1},{"a":{"a":2}}]');
  });
});

describe('the limits of parseJson', () => {
  it('accepts nesting up to the limit and refuses one level more', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const innermost = open === '[' ? '' : '1';
      const nested = (depth: number) => `${open.repeat(depth)}${innermost}${close.repeat(depth)}`;
      assert.equal(stringifyJson(parseJson(nested(20), limits)), nested(20));
      assert.throws(() => parseJson(nested(21), limits), isSyntaxError(/nested more than 20 levels deep/));
    }
  });

  it('counts nesting, not the number of containers', () => {
    const text = `[${Array.from({ length: 100 }, () => '[[],{}]').join(',')}]`;
    assert.equal(stringifyJson(parseJson(text, { ...limits, maxDepth: 3 })), text);
    assert.throws(() => parseJson(text, { ...limits, maxDepth: 2 }), JsonSyntaxError);
  });

  it('answers a text of a million brackets with the limit, not with a full stack', () => {
    assert.throws(
      () => parseJson('['.repeat(1_000_000), limits),
      isSyntaxError(/nested more than 20 levels deep/),
    );
  });

  it('accepts a number of 100 characters and refuses one of 101', () => {
    for (const longest of ['9'.repeat(100), `-0.${'1'.repeat(97)}`, `1e${'9'.repeat(98)}`]) {
      assert.equal(stringifyJson(parseJson(longest, limits)), longest);
      assert.throws(
        () => parseJson(`{"a":[${longest}1]}`, limits),
        (error) => error instanceof JsonNumberTooLong && error.message.includes('101 characters'),
      );
    }
  });

  it('accepts as many values as the limit says and refuses one more', () => {
    const few = { ...limits, maxValues: 201 };
    for (const element of ['1', '{}', '"a"']) {
      const list = (count: number) => `[${Array(count).fill(element).join(',')}]`;
      assert.equal(stringifyJson(parseJson(list(200), few)), list(200));
      assert.throws(() => parseJson(list(201), few), JsonTooManyValues);
    }
    const members = Array.from({ length: 201 }, (_, at) => `"m${at}":null`);
    assert.throws(() => parseJson(`{${members.join(',')}}`, few), JsonTooManyValues);
  });

  it('does not limit digits inside strings', () => {
    assert.equal(parseJson(`"${'9'.repeat(500)}"`, limits), '9'.repeat(500));
  });
});

describe('stringifyJson', () => {
  it('writes what parses to the same value, for random texts', () => {
    eachSeed(1000, (random) => {
      const text = randomText(random);
      const value = parseJson(text, limits);
      const written = stringifyJson(value);
      assert.deepEqual(parseJson(written, limits), value);
      assert.equal(stringifyJson(parseJson(written, limits)), written);
      assert.equal(/^\s|\s$/.test(written), false);
    });
  });
});

/** What JSON.parse returns for the same text. */
function toPlain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (value === null || typeof value !== 'object') return value;
  if (isJsonArray(value)) return value.map(toPlain);
  return Object.fromEntries([...value].map(([name, member]) => [name, toPlain(member)]));
}

interface Attempt {
  readonly value?: unknown;
  readonly error?: unknown;
}

function attempt(action: () => unknown): Attempt {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}

function assertExpectedError(error: unknown, text: string): void {
  assert.ok(error instanceof JsonSyntaxError || error instanceof JsonNumberTooLong, JSON.stringify(text));
}

function isOwnLimit(error: unknown): boolean {
  return (
    error instanceof JsonNumberTooLong ||
    (error instanceof Error && /appears twice|levels deep/.test(error.message))
  );
}

function isSyntaxError(reason: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof JsonSyntaxError);
    assert.match(error.message, reason);
    return true;
  };
}

/** A number in [0, 1); the same sequence for the same seed. */
type Random = () => number;

/** Runs a check once per seed and names the seed when it fails. */
function eachSeed(count: number, check: (random: Random) => void): void {
  for (let seed = 1; seed <= count; seed += 1) {
    try {
      check(randomFrom(seed));
    } catch (cause) {
      throw new Error(`failed with seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    }
  }
}

/** mulberry32, warmed up by scattering the seed. */
function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function randomText(random: Random, depth = 0): string {
  const kinds =
    depth === 0 ? ['array', 'object'] : depth > 4 ? ['scalar'] : ['array', 'object', 'scalar', 'scalar'];
  const space = () => (random() < 0.8 ? '' : pick(random, [' ', '\n', '\t', '\r', '  \r\n ']));
  const member = () => space() + randomText(random, depth + 1) + space();
  const count = Math.floor(random() * 5);
  switch (pick(random, kinds)) {
    case 'array':
      return `[${count === 0 ? space() : Array.from({ length: count }, member).join(',')}]`;
    case 'object': {
      const names = new Map(Array.from({ length: count }, () => randomName(random)));
      const members = [...names.values()].map((name) => `${space()}${name}${space()}:${member()}`);
      return `{${count === 0 ? space() : members.join(',')}}`;
    }
    default:
      return pick(random, [randomString, randomNumber, () => pick(random, ['true', 'false', 'null'])])(
        random,
      );
  }
}

/**
 * A member name with its spelling: an object must not contain two spellings of one name. None is a backslash alone:
 * after an object with it, `JSON.parse` of Node 24 reads the name "\u0061" as a backslash too.
 */
function randomName(random: Random): readonly [name: string, spelling: string] {
  const other = randomString(random);
  const names = ['"a"', '"\\u0061"', '"10"', '"9"', '"__proto__"', '"toString"', '""'];
  const spelling = pick(random, other === '"\\\\"' ? names : [...names, other]);
  return [String(JSON.parse(spelling)), spelling];
}

function randomString(random: Random): string {
  const pieces = ['a', 'Z', ' ', '{', '[', ',', ':', '1', '/', 'é', '😀', '\u2028', '\ud83d', '\u007f'];
  const escapes = [
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\n',
    '\\r',
    '\\t',
    '\\u0000',
    '\\uD83D\\uDE00',
    '\\ude00',
  ];
  const length = Math.floor(random() * 8);
  const units = Array.from({ length }, () => pick(random, random() < 0.8 ? pieces : escapes));
  return `"${units.join('')}"`;
}

function randomNumber(random: Random): string {
  const digits = () => String(Math.floor(random() * 10 ** Math.floor(random() * 15)));
  const whole = random() < 0.2 ? '0' : digits();
  const fraction = random() < 0.3 ? `.${digits()}` : '';
  const exponent =
    random() < 0.2 ? `${pick(random, ['e', 'E'])}${pick(random, ['', '+', '-'])}${digits()}` : '';
  return `${random() < 0.3 ? '-' : ''}${whole}${fraction}${exponent}`;
}

/** Deletes, repeats, swaps or inserts a few characters. */
function mutate(random: Random, text: string): string {
  const at = () => Math.floor(random() * (text.length + 1));
  const from = at();
  const to = Math.min(text.length, from + Math.floor(random() * 4));
  const noise = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    't',
    ' ',
    '\n',
    '\u0001',
    '\ufeff',
    '\u00a0',
    'é',
  ];
  switch (pick(random, ['cut', 'insert', 'replace', 'double', 'join'])) {
    case 'cut':
      return text.slice(0, from) + text.slice(to);
    case 'insert':
      return text.slice(0, from) + pick(random, noise) + text.slice(from);
    case 'replace':
      return text.slice(0, from) + pick(random, noise) + text.slice(to);
    case 'double':
      return text.slice(0, to) + text.slice(from);
    default:
      return `[${text.slice(1, -1)},${text.slice(1, -1)}]`;
  }
}
