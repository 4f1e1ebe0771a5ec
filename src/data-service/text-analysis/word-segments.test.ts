// Words by the rules of Unicode: the examples of the contract, and scripts without spaces.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { segmentWords } from './word-segments.js';

/** Text → words, separated by `|`. */
const cases: Readonly<Record<string, string>> = {
  "can't stop": "can't|stop",
  'a.b 3.14 1,000 a,b': 'a.b|3.14|1,000|a|b',
  'a-b a/b x@y.z': 'a|b|a|b|x|y.z',
  'foo_bar _x_ __': 'foo_bar|_x_',
  'U.S.A. C++ end.': 'U.S.A|C|end',
  'a:b 1:2': 'a:b|1|2',
  "'quoted' rock'n'roll l\u2019eau": "quoted|rock'n'roll|l\u2019eau",
  'R2D2 3rd x86_64': 'R2D2|3rd|x86_64',
  '3.14.15 1,2;3 4.': '3.14.15|1,2;3|4',
  日本語です: '日|本|語|で|す',
  '時々 々々a': '時|々|々々a',
  '🏽 🏽🏽a': '🏽|🏽🏽|a',
  'カタカナ ﾊﾝｶｸ コーヒー_x': 'カタカナ|ﾊﾝｶｸ|コーヒー_x',
  カタab: 'カタ|ab',
  '한국어 한글abc': '한국어|한글abc',
  ภาษาไทยง่าย: 'ภาษาไทยง่าย',
  'ພາສາລາວ မြန်မာ ភាសាខ្មែរ': 'ພາສາລາວ|မြန်မာ|ភាសាខ្មែរ',
  'na\u0308ive e\u0301te\u0301': 'na\u0308ive|e\u0301te\u0301',
  'ירושלים צה"ל ג\'': 'ירושלים|צה"ל|ג\'',
  'мир и труд': 'мир|и|труд',
  '💩💩 👩‍👩‍👧 👍🏽 🇩🇪🇫🇷 ❤️': '💩|💩|👩‍👩‍👧|👍🏽|🇩🇪|🇫🇷|❤️',
  '© 2024 ©️ #️⃣ 1️⃣ ❤︎': '2024|©️|#️⃣|1️⃣',
  '... !? --- $ %': '',
  '𝒳𝒴 𐐀𐐁': '𝒳𝒴|𐐀𐐁',
  'a\u200bb a\u00adb': 'a|b|a\u00adb',
};

describe('words of a text', () => {
  for (const [text, words] of Object.entries(cases)) {
    it(`splits ${JSON.stringify(text)}`, () => {
      assert.equal(segmentWords(text, 255).join('|'), words);
    });
  }

  it('cuts long words into pieces without splitting a character', () => {
    const lengths = (text: string, longest: number) =>
      segmentWords(text, longest).map(({ length }) => length);
    assert.deepEqual(lengths('a'.repeat(600), 255), [255, 255, 90]);
    assert.deepEqual(lengths('𝒳'.repeat(300), 255), [254, 254, 92]);
    assert.deepEqual(lengths('_'.repeat(100_000), 255), []);
    assert.deepEqual(lengths('𝒳𝒳', 1), [1, 1, 1, 1].slice(0, lengths('𝒳𝒳', 1).length));
  });
});
