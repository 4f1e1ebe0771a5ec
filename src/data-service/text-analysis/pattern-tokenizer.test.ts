// The tokenizer `pattern`: tokens that Lucene 9.8 gives, what is refused, and patterns that take long elsewhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidAnalyzer } from './analyzer.js';
import { analyzerOf } from './parse-analyzer.js';

const analyzerFor = (pattern: string, group?: string) =>
  analyzerOf(
    JSON.stringify({
      tokenizer: { name: 'pattern', args: { pattern, ...(group !== undefined && { group }) } },
    }),
  );

describe('the tokenizer pattern', () => {
  const separators: readonly (readonly [pattern: string, text: string, tokens: string])[] = [
    ['[,;]', ',a,b;;c;', 'a|b|c'],
    ['\\s*,\\s*', 'red , green,blue ', 'red|green|blue '],
    ['\\W+', "it's R2D2!", 'it|s|R2D2'],
    ['\\W+', 'für', 'f|r'],
    ['\\P{L}+', 'für 2 Häuser', 'für|Häuser'],
    ['[^a-z\\d]+', 'a-b_c9 D', 'a|b|c9'],
    ['\\p{Punct}|\\p{Space}', 'a.b c', 'a|b|c'],
    ['and|or', 'this and that or none', 'this | that | none'],
    ['a|ab', 'xaby', 'x|by'],
    ['ab|a', 'xaby', 'x|y'],
    ['a{2,3}?', 'xaaaay', 'x|y'],
    ['^a|b$|\\bc', 'axcb cb', 'xcb |'.slice(0, -1)],
    ['(?:)', 'a😀', 'a|😀'],
    ['z', '', ''],
    ['\\x41\\u00e9[\\]\\-\\[]', 'bAé]c', 'b|c'],
  ];
  for (const [pattern, text, tokens] of separators)
    it(`splits ${text} at ${pattern}`, () => {
      assert.equal(analyzerFor(pattern).analyze(text).join('|'), tokens);
      assert.equal(analyzerFor(pattern, '-1').analyze(text).join('|'), tokens);
    });

  const groups: readonly (readonly [pattern: string, group: string, text: string, tokens: string])[] = [
    ['\\w+', '0', 'a bc, d', 'a|bc|d'],
    ["'([^']+)'", '1', "say 'one' and 'two words'", 'one|two words'],
    ['([A-Z])([a-z]*)', '2', 'FooBarX', 'oo|ar'],
    ['(x)|(y)', '2', 'xyx', 'y'],
    ['(a|ab)(c|bcd)', '1', 'abcd', 'a'],
  ];
  for (const [pattern, group, text, tokens] of groups)
    it(`takes group ${group} of ${pattern} in ${text}`, () =>
      assert.equal(analyzerFor(pattern, group).analyze(text).join('|'), tokens));

  it('finds matches of at most 255 characters', () => {
    assert.deepEqual(
      analyzerFor('a+', '0')
        .analyze('a'.repeat(300))
        .map(({ length }) => length),
      [255, 45],
    );
  });

  it('limits the length of texts by the size of the pattern', () => {
    assert.equal(analyzerFor(',').mostCharacters, 58_823);
    assert.ok(analyzerFor('a{900}').mostCharacters < 200);
  });

  it('takes linear time for patterns that take exponential time elsewhere', () => {
    for (const pattern of ['(a+)+b', '(a|aa)+$|b', '(a*)*b', '(a?){30}a{30}b'])
      assert.equal(analyzerFor(pattern).analyze('a'.repeat(200)).join('').length <= 200, true);
  });

  const refused: readonly (readonly [pattern: string, reason: RegExp, group?: string])[] = [
    ['(a', /a group is not closed/],
    ['a)', /"\)" closes nothing/],
    ['*a', /"\*" repeats nothing/],
    ['a**', /"\*" repeats nothing/],
    ['a++', /a "\+" behind a repetition is not supported/],
    ['a{x}', /needs numbers such as/],
    ['a{3,2}', /ends below its beginning/],
    ['a{2000}', /more than 1000 parts/],
    ['(?=a)', /groups that begin with "\(\?" are not supported/],
    ['(?i)a', /not supported/],
    ['(a)\\1', /"\\1" is not supported/],
    ['[a', /ends too early/],
    ['[b-a]', /range ends below/],
    ['[a-z&&[^b]]', /classes inside classes/],
    ['[a[b]]', /classes inside classes/],
    ['\\p{Greek}', /the class "Greek" is not supported/],
    ['\\q', /"\\q" is not supported/],
    ['\\', /ends too early/],
    ['\\u12', /needs 4 hexadecimal digits/],
    ['a'.repeat(1_001), /1001 characters; at most 1000/],
    ['('.repeat(60), /nested more than 50 deep/],
    ['a', /must be an integer from 0 to 0/, '1'],
  ];
  for (const [pattern, reason, group] of refused)
    it(`refuses ${pattern.slice(0, 40)}`, () => {
      assert.throws(
        () => analyzerFor(pattern, group),
        (error) => error instanceof InvalidAnalyzer && reason.test(error.message),
      );
    });
});
