// Tokens by their bytes: numbers, order, and tokens with the same hash.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { binaryAt, TokenTable } from '../../src/data-service/engine/embedded/file/token-table.js';
import { seededRandom } from '../seeded-random.js';

/** The number that a table gives a token between other bytes. */
function numberOf(table: TokenTable, token: string): number {
  const bytes = Buffer.from(`a${token}b`, 'latin1');
  return table.numberOf(bytes, 1, bytes.length - 1);
}

/** Fills a table, and checks numbers, bytes and order against those of strings. */
function checkTable(table: TokenTable, tokens: readonly string[]): void {
  const expected = new Map<string, number>();
  for (const token of tokens) {
    const number = expected.get(token) ?? expected.size;
    expected.set(token, number);
    assert.equal(numberOf(table, token), number);
  }
  const different = [...expected.keys()];
  assert.equal(table.size, different.length);
  assert.equal(
    table.sizeBytes,
    different.reduce((sum, { length }) => sum + length, 0),
  );
  assert.deepEqual(
    [...table.sorted()].map((number) => binaryAt(table.placeOf(number))),
    different.sort(),
  );
}

/** Pairs of parts that lead the hash from one state to the same next one: each way through them gives the same hash. */
function tokensWithSameHash(pairs: number): readonly string[] {
  let [state, tokens] = [0x811c9dc5, ['']];
  for (let pair = 0; pair < pairs; pair += 1) {
    const seen = new Map<number, string>();
    for (let at = 0; ; at += 1) {
      const part = Math.imul(at, 0x9e3779b1).toString(36);
      let hash = state;
      for (const character of part) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
      const other = seen.get(hash);
      seen.set(hash, part);
      if (other === undefined) continue;
      tokens = tokens.flatMap((token) => [token + part, token + other]);
      state = hash;
      break;
    }
  }
  return tokens;
}

describe('a table of tokens', () => {
  const random = seededRandom(7);
  const sameHash = tokensWithSameHash(7);
  const byte = () => String.fromCharCode(random.below(256));
  const tokens = Array.from({ length: 5_000 }, () =>
    Array.from({ length: random.below(random.below(10) + 1) }, byte).join(''),
  );

  it('gives each different token a number, and sorts them by their bytes', () => {
    checkTable(new TokenTable(16), tokens);
    checkTable(
      new TokenTable(16),
      tokens.map((token) => `prefix ${token}`),
    );
    checkTable(new TokenTable(16), [
      '',
      '\u0000',
      'a\u0000',
      'a',
      'a\u0000\u0000',
      'aaaa',
      'aaaa\u0000',
      'aaaa\u00ff',
      'aaa',
    ]);
  });

  it('keeps tokens with the same hash apart', () => {
    checkTable(new TokenTable(1_024), [...sameHash, ...sameHash, ...tokens, ...sameHash]);
  });

  it('is empty after it was cleared', () => {
    const table = new TokenTable(1_024);
    checkTable(table, sameHash);
    table.clear();
    checkTable(table, ['b', 'a', ...sameHash.slice(0, 100)]);
  });
});
