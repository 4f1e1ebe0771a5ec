// Orders under random values: SQLite's, the type's own, and one reckoned from the specification in the plainest way.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';

type Order = (left: string, right: string) => number;

const count = 1500;
const next = seededRandom(20_240_607);

check('varint', randomWhole, (left, right) => order(BigInt(left), BigInt(right)));
check('decimal', randomDecimal, (left, right) => order(inUnits(left), inUnits(right)));
check('double', randomDecimal, (left, right) => order(Number(left), Number(right)));
check('float', randomDecimal, (left, right) => order(Math.fround(Number(left)), Math.fround(Number(right))));
check('text', randomText, (left, right) => Buffer.compare(utf8(left), utf8(right)));
check('uuid', () => randomUuid(pick('0123456789abcdef')), orderOfUuids);
check('timeuuid', () => randomUuid('1'), orderOfTimeUuids);

/** Every literal goes through parse, SQLite and back; the order found must be the reckoned one for all neighbours. */
function check(name: string, randomLiteral: () => string, reckoned: Order): void {
  it(`${name}: SQLite and the type order random values as reckoned`, () => {
    const type = columnTypeNamed(name);
    assert.ok(type);
    const literals = Array.from({ length: count }, randomLiteral);
    const database = new DatabaseSync(':memory:');
    try {
      database.exec(`CREATE TABLE sample (position INTEGER PRIMARY KEY, value ${type.sql.columnType})`);
      const insert = database.prepare('INSERT INTO sample VALUES (?, ?)');
      for (const [at, literal] of literals.entries()) insert.run(at, type.sql.encode(parse(type, literal)));
      const rows = database.prepare('SELECT position FROM sample ORDER BY value, position').all();
      // The statement selects this column.
      const ordered = (rows as { position: number }[]).map(({ position }) => literals[position] ?? '');
      for (const [at, right] of ordered.entries()) {
        const left = ordered[at - 1];
        if (left === undefined) continue;
        const sign = Math.sign(reckoned(left, right));
        assert.ok(sign <= 0, `${left} stands before ${right}`);
        assert.equal(
          Math.sign(type.compare(parse(type, left), parse(type, right))),
          sign,
          `${left} and ${right}`,
        );
      }
    } finally {
      database.close();
    }
  });
}

function parse(type: ColumnType, literal: string): unknown {
  return type.parse(parseJson(literal, { maxDepth: 1, maxNumberLength: 1000 }));
}

/** Numbers of one to 160 bytes, and many of the small ones that share a length. */
function randomWhole(): string {
  const digits = Array.from({ length: 1 + Math.floor(next() ** 3 * 380) }, () => pick('0123456789')).join('');
  const whole = digits.replace(/^0+(?=\d)/, '');
  return next() < 0.5 && whole !== '0' ? `-${whole}` : whole;
}

/** Few digits and exponents, so that many share their first digits, their magnitude or their value. */
function randomDecimal(): string {
  const digits = Array.from({ length: 1 + Math.floor(next() * 6) }, () => pick('00129')).join('');
  const exponent = Math.floor(next() * 13) - 6;
  const zeroless = digits.replace(/^0+(?=\d)/, '');
  return `${next() < 0.5 && !/^0*$/.test(digits) ? '-' : ''}${zeroless}e${exponent}`;
}

/** The decimal in millionths, which all of `randomDecimal` are whole numbers of. */
function inUnits(literal: string): bigint {
  const [digits = '', exponent = ''] = literal.split('e');
  return BigInt(digits) * 10n ** BigInt(Number(exponent) + 6);
}

function randomText(): string {
  const characters = ['\u0000', '\u0001', '\u0002', 'a', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '😀'];
  const length = Math.floor(next() * 5);
  return JSON.stringify(Array.from({ length }, () => pick(characters)).join(''));
}

function utf8(literal: string): Buffer {
  return Buffer.from(String(JSON.parse(literal)), 'utf8');
}

/** Digits of few kinds, so that many values differ in one place only. */
function randomUuid(version: string): string {
  const digits = (length: number): string => Array.from({ length }, () => pick('00007f8')).join('');
  return `"${digits(8)}-${digits(4)}-${version}${digits(3)}-${digits(4)}-${digits(12)}"`;
}

/** Cassandra's UUIDType. */
function orderOfUuids(left: string, right: string): number {
  const [a, b] = [uuidParts(left), uuidParts(right)];
  if (a.version !== b.version) return order(a.version, b.version);
  const first = a.version === 1n ? order(a.time, b.time) : order(a.high, b.high);
  return first === 0 ? Buffer.compare(a.low, b.low) : first;
}

/** Cassandra's TimeUUIDType. */
function orderOfTimeUuids(left: string, right: string): number {
  const [a, b] = [uuidParts(left), uuidParts(right)];
  if (a.time !== b.time) return order(a.time, b.time);
  for (let at = 0; at < 8; at += 1) {
    const difference = a.low.readInt8(at) - b.low.readInt8(at);
    if (difference !== 0) return difference;
  }
  return 0;
}

function uuidParts(literal: string): { version: bigint; high: bigint; time: bigint; low: Buffer } {
  const bytes = Buffer.from(literal.replaceAll(/[^0-9a-f]/g, ''), 'hex');
  const high = bytes.readBigUInt64BE(0);
  const time = ((high & 0xfffn) << 48n) | (((high >> 16n) & 0xffffn) << 32n) | (high >> 32n);
  return { version: (high >> 12n) & 15n, high, time, low: bytes.subarray(8) };
}

function order<Value extends bigint | number>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function pick(from: string | readonly string[]): string {
  return from[Math.floor(next() * from.length)] ?? '';
}

/** Numbers from 0 up to 1, the same ones in every run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
