// Checks that similar texts get similar vectors, and that the vectors never change.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { hashText, maxHashedLength } from './hashed-ngrams.js';

function similarity(left: string, right: string, dimension = 384): number {
  const [one, other] = [hashText(left, dimension), hashText(right, dimension)];
  return one.reduce((sum, element, at) => sum + element * (other[at] ?? 0), 0);
}

/** The text among others that is nearest to a query. */
function nearest(query: string, texts: readonly string[]): string | undefined {
  return [...texts].sort((left, right) => similarity(query, right) - similarity(query, left))[0];
}

const texts = [
  'A fast parser for JSON documents, with big numbers kept as they are.',
  'Writes structured log lines with very little overhead.',
  'Client for the Cassandra database: connects, prepares statements, pages through results.',
  'Formats and lints JavaScript and TypeScript sources.',
  'Gibt die Länge eines Weges über das Straßennetz an.',
  '数据库连接池，支持事务和超时设置。',
];

describe('hashText', () => {
  it('has length 1 in every dimension and for every text', () => {
    for (const text of ['word', 'zwölf Boxkämpfer', '!!!', '🦉', ' . ', '', 'x'.repeat(100_000), ...texts]) {
      for (const dimension of [64, 384, 1000, 1024]) {
        const vector = hashText(text, dimension);
        assert.equal(vector.length, dimension);
        const length = Math.sqrt(vector.reduce((sum, element) => sum + element ** 2, 0));
        assert.ok(Math.abs(length - 1) < 1e-5, `${length} for ${text.slice(0, 20)}`);
      }
    }
  });

  it('finds the text with the words, their forms or their spelling mistakes', () => {
    const wanted: readonly (readonly [query: string, place: number])[] = [
      ['parse json with large numbers', 0],
      ['logging', 1],
      ['structurd logs', 1],
      ['cassandra databases', 2],
      ['prepared statement', 2],
      ['lint and format typescript', 3],
      ['strassennetz weg laenge', 4],
      ['数据库事务', 5],
    ];
    for (const [query, place] of wanted) assert.equal(nearest(query, texts), texts[place], query);
  });

  it('puts the same words in another order, case, accent or spelling of names near each other', () => {
    assert.ok(similarity('red apple pie', 'PIE, apple: red!') > 0.999);
    assert.ok(similarity('café crème', 'cafe creme') > 0.999);
    assert.ok(similarity('parseJsonValue', 'parse json value') > 0.999);
    assert.ok(similarity('ﬁle', 'file') > 0.999);
    assert.ok(similarity('database', 'databases') > 0.2);
  });

  it('puts texts without a word in common far from each other', () => {
    const pairs = texts.flatMap((left, at) =>
      texts.slice(at + 1).map((right) => similarity(left, right, 1024)),
    );
    for (const found of pairs) assert.ok(Math.abs(found) < 0.25, String(found));
    assert.ok(Math.abs(similarity('the of and', 'database index')) < 0.2);
  });

  it('looks at the beginning of a long text only', () => {
    const beginning = 'word '.repeat(maxHashedLength / 5 + 1);
    assert.deepEqual(hashText(`${beginning} and more`, 64), hashText(`${beginning} or less`, 64));
  });

  it('gives the vectors that earlier versions stored', () => {
    const all = Buffer.concat(texts.map((text) => Buffer.from(hashText(text, 384).buffer)));
    assert.equal(
      createHash('sha256').update(all).digest('hex'),
      '17b9c101630fd6ed01206f73ec979faa7addccb16f87899ed24b32de07da7535',
    );
  });
});
