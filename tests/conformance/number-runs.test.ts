// Long arrays of numbers are read as short ones are, and what their numbers stand for is known but for a last bit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonArray, JsonNumber, stringifyJson } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { readNumberRun, roughError } from '../../src/foundation/json/read-number-run.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';

const limits = { maxDepth: 20, maxNumberLength: 100 };

function randomNumber(random: SeededRandom): string {
  const digits = (most: number) =>
    Array.from({ length: 1 + random.below(most) }, () => random.below(10)).join('');
  const whole = random.chance(0.6) ? '0' : `${1 + random.below(9)}${random.chance(0.5) ? digits(20) : ''}`;
  const fraction = random.chance(0.8) ? `.${'0'.repeat(random.below(4))}${digits(25)}` : '';
  const exponent = random.oneIn(5)
    ? `${random.pick(['e', 'E'])}${random.pick(['', '-', '+'])}${digits(3)}`
    : '';
  return `${random.chance(0.5) ? '-' : ''}${whole}${fraction}${exponent}`;
}

function randomArray(random: SeededRandom): string[] {
  return Array.from({ length: 40 + random.below(100) }, () => randomNumber(random));
}

describe('a long array of numbers', () => {
  // First: longer ones make the memory larger that they are read in.
  it('is read to its end, however near the end of the memory that is', () => {
    for (let length = 16_300; length <= 16_400; length += 1) {
      const text = `[${'0.25,'.repeat(2_000)}0.${'1'.repeat(90)},`.padEnd(length - 3, ' ');
      assert.equal(readNumberRun(`${text}0.5]`, 1, text.length + 3, 100)?.numbers.roughNumbers?.at(-1), 0.5);
    }
  });

  it('keeps the text of every number, with space between them or without', () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    for (let round = 0; round < 300; round += 1) {
      const numbers = randomArray(random);
      const space = () => (random.oneIn(5) ? random.pick([' ', '\n', '\t ', '\r\n']) : '');
      const text = `[${space()}${numbers.map((number) => `${space()}${number}${space()}`).join(',')}]`;
      const value = parseJson(`{"v":${text}}`, limits);
      assert.equal(stringifyJson(value), `{"v":[${numbers.join(',')}]}`, `seed ${seed}`);
    }
  });

  it('says roughly what its numbers stand for, or not', () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    let known = 0;
    for (let round = 0; round < 300; round += 1) {
      const value = parseJson(`[${randomArray(random).join(',')}]`, limits);
      assert.ok(isJsonArray(value));
      const rough = value.roughNumbers;
      assert.equal(rough?.length, value.length);
      for (const [at, number] of value.entries()) {
        assert.ok(number instanceof JsonNumber);
        const found: number = rough?.[at] ?? Number.NaN;
        if (Number.isNaN(found)) continue;
        known += 1;
        const exact = Number(number.text);
        assert.ok(Math.abs(found - exact) <= Math.abs(exact) * roughError, `seed ${seed}: ${number.text}`);
        assert.equal(Object.is(found, -0), Object.is(exact, -0), number.text);
      }
    }
    assert.ok(known > 10_000, String(known));
  });

  it('is refused where JSON.parse refuses it', () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    for (let round = 0; round < 1500; round += 1) {
      const text = `[${randomArray(random).join(',')}]`;
      const at = random.below(text.length);
      const noise = random.pick([
        '',
        '-',
        '.',
        'e',
        '0',
        ',',
        ' ',
        'x',
        '"',
        'é',
        'İ',
        '[',
        ']',
        '+',
        '/',
        ':',
        '\u0001',
      ]);
      const changed = text.slice(0, at) + noise + text.slice(at + random.below(3));
      let isJson = true;
      try {
        JSON.parse(changed);
      } catch {
        isJson = false;
      }
      const parse = () => parseJson(changed, { ...limits, maxNumberLength: 1000 });
      if (isJson) assert.equal(stringifyJson(parse()), changed.replaceAll(' ', ''), `seed ${seed}`);
      else assert.throws(parse, `seed ${seed}: ${changed}`);
    }
  });

  it('is left to the ordinary road where it is short, has anything else in it or a number too long', () => {
    const numbers = Array.from({ length: 100 }, (_, at) => `0.${at}5`).join(',');
    const read = (text: string, longest = 100) => readNumberRun(text, 1, text.indexOf(']'), longest);
    assert.equal(read(`[${numbers}]`)?.numbers.length, 100);
    for (const text of [
      '[1,2,3]',
      `[${numbers},"x"]`,
      `[${numbers},[1]]`,
      `[${numbers},1e1000]`,
      `[${numbers}`,
    ]) {
      assert.equal(read(text), undefined, text);
    }
    assert.equal(read(`[${numbers}]`, 3), undefined);
  });

  it('is read without what longer ones left behind', () => {
    const read = (numbers: readonly string[]) =>
      readNumberRun(`${numbers.join(',')}]`, 0, numbers.join(',').length, 100);
    assert.equal(read(Array<string>(5000).fill('0.77777777'))?.numbers.length, 5000);
    for (const digits of ['0.5', '0.55', '0.555', '0.5555', '0.55555']) {
      assert.deepEqual(
        read(Array<string>(60).fill(digits))?.numbers.roughNumbers,
        Array(60).fill(Number(digits)),
      );
    }
  });

  it('is read behind and inside of arrays that are none', () => {
    const numbers = Array.from({ length: 100 }, (_, at) => `0.${at}5`).join(',');
    const text = `[1,[2,[${numbers}],"]"],[${numbers}],[${numbers},[${numbers}]]]`;
    assert.equal(stringifyJson(parseJson(text, limits)), text);
  });
});
