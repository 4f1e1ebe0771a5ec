// The stored form of the tokens of texts, written again from its description, and read back.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { text } from '../../src/data-service/column-types/text.js';
import { textFunctions } from '../../src/data-service/engine/embedded/file/text-functions.js';
import { TokenReader } from '../../src/data-service/engine/embedded/postings/logged-text.js';
import { seededRandom } from '../seeded-random.js';

const long = (letter: string, length: number) => letter.repeat(length);
const words = [
  ...[
    'a',
    'b',
    'word',
    'WORD',
    'mañana',
    'Straße',
    'слово',
    '言葉',
    '\uffff',
    '\ud7ff',
    '\ue000',
    '😀',
    '𝐀x',
  ],
  ...['\u0000', '\u0001', '\u0002', 'a\u0000', '\u00011', '\u0001x', '\u00010', '12', '1'],
  ...[
    long('a', 200),
    long('a', 201),
    long('é', 200),
    long('é', 201),
    long('言', 200),
    long('😀', 101),
    long('\u0001', 300),
  ],
];

/** The fields of a text whose words are divided by spaces. */
function fieldsOf(tokens: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const fields = [...counts].map(([token, count]) => {
    const stored = String(text.sql.encode(token));
    const hash = `\u0001 ${createHash('sha256').update(stored).digest('hex')}`;
    return `${token.length > 200 ? hash : stored}\u0000${count > 1 ? `\u0001${count}\u0000` : ''}`;
  });
  return `${tokens.length}\u0000${fields.join('')}`;
}

function checkTokens(tokens: readonly string[]): void {
  const stored = text.sql.encode(tokens.join(' '));
  const found = textFunctions['text_tokens']?.(
    stored,
    '{"tokenizer":{"name":"whitespace","args":{"maxTokenLen":"400"}}}',
  );
  assert(found instanceof Uint8Array);
  assert.equal(Buffer.from(found).toString(), fieldsOf(tokens));
  const reader = new TokenReader(found);
  let read = '';
  while (reader.next()) {
    const token = Buffer.from(found.subarray(reader.start, reader.end)).toString();
    read += `${token}\u0000${reader.count > 1 ? `\u0001${reader.count}\u0000` : ''}`;
  }
  assert.equal(`${reader.length}\u0000${read}`, fieldsOf(tokens));
}

describe('text_tokens', () => {
  it('counts tokens of any characters and lengths', () => {
    const random = seededRandom(11);
    for (const word of words) checkTokens([word, 'a', word]);
    for (let round = 0; round < 200; round += 1)
      checkTokens(Array.from({ length: 1 + random.below(60) }, () => random.pick(words)));
  });

  it('counts many tokens, and few after them', () => {
    checkTokens(Array.from({ length: 3_000 }, (_, at) => `w${at % 1_700}`));
    checkTokens(['few', 'tokens', 'few']);
  });

  it('is null for null', () => {
    assert.equal(textFunctions['text_tokens']?.(null, '"standard"'), null);
  });
});
