// Definitions of analyzers: what each built-in one does, components with arguments, and definitions that are refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { InvalidAnalyzer } from './analyzer.js';
import { analyzerOf, parseAnalyzer } from './parse-analyzer.js';

const parsed = (json: string) => parseAnalyzer(parseJson(json, { maxDepth: 20, maxNumberLength: 100 }));
const tokens = (json: string, text: string) => parsed(json).analyze(text).join('|');
const tokenizer = (name: string, args = '{}') => `{"tokenizer":{"name":"${name}","args":${args}}}`;
const filter = (name: string, args = '{}') =>
  `{"tokenizer":{"name":"whitespace"},"filters":[{"name":"${name}","args":${args}}]}`;

describe('built-in analyzers', () => {
  const text = "The Fox's 2 foxes were in a U.S.A. dog-house";
  const cases: readonly (readonly [name: string, tokens: string])[] = [
    ['standard', "the|fox's|2|foxes|were|in|a|u.s.a|dog|house"],
    ['STANDARD', "the|fox's|2|foxes|were|in|a|u.s.a|dog|house"],
    ['simple', 'the|fox|s|foxes|were|in|a|u|s|a|dog|house'],
    ['whitespace', "The|Fox's|2|foxes|were|in|a|U.S.A.|dog-house"],
    ['stop', 'fox|s|foxes|were|u|s|dog|house'],
    ['lowercase', "the fox's 2 foxes were in a u.s.a. dog-house"],
    ['keyword', text],
    ['english', 'fox|2|fox|were|u.s.a|dog|hous'],
  ];
  for (const [name, expected] of cases) {
    it(`${name}`, () => assert.equal(tokens(`"${name}"`, text), expected));
  }

  it('give no tokens for an empty text', () => {
    for (const [name] of cases) assert.equal(parsed(`"${name}"`).analyze('').length, 0, name);
  });

  it('write each character in lower case by itself', () => {
    assert.equal(tokens('"standard"', 'ΌΣΟΣ İstanbul ÉTÉ ẞ'), 'όσοσ|istanbul|été|ß');
  });

  it('fold no accents and stem nothing without the request to', () => {
    assert.equal(tokens('"standard"', 'Émigrés running'), 'émigrés|running');
  });
});

describe('components of analyzers', () => {
  const cases: readonly (readonly [definition: string, text: string, tokens: string])[] = [
    [tokenizer('Standard'), 'A b-c', 'A|b|c'],
    [tokenizer('standard', '{"maxTokenLength":"3"}'), 'abcdefg', 'abc|def|g'],
    [tokenizer('whitespace'), ' a\u00a0b\tc\u3000d ', 'a\u00a0b|c|d'],
    [tokenizer('whitespace', '{"maxTokenLen":"2"}'), 'abc', 'ab|c'],
    [tokenizer('letter'), "it's R2D2", 'it|s|R|D'],
    [tokenizer('keyword'), ' a b ', ' a b '],
    [tokenizer('ngram'), 'abcd', 'abc|abcd|bcd'],
    [tokenizer('ngram', '{"minGramSize":"1","maxGramSize":"2"}'), 'a😀b', 'a|a😀|😀|😀b|b'],
    ['{"filters":[{"name":"LowerCase"}]}', 'A B', 'a b'],
    [filter('stop'), 'The the cat', 'The|cat'],
    [filter('stop', '{"ignoreCase":"true"}'), 'The the cat', 'cat'],
    [filter('stop', '{"words":"x , y"}'), 'the x y', 'the'],
    [filter('stop', '{"words":"x\\ny z","format":"snowball"}'), 'x y z w', 'w'],
    [filter('porterstem'), 'running Runs', 'run|Run'],
    [filter('asciifolding'), 'Été straße', 'Ete|strasse'],
    [filter('asciifolding', '{"preserveOriginal":"true"}'), 'été a', 'ete|été|a'],
    [filter('englishpossessive'), "dog's DOG'S cat\u2019s dogs'", "dog|DOG|cat|dogs'"],
    [filter('length', '{"min":"2","max":"3"}'), 'a ab abc abcd', 'ab|abc'],
    ['{"filters":[{"name":"trim"}]}', ' \t a b \n', 'a b'],
    [
      '{"tokenizer":{"name":"standard","args":{}},"filters":[{"name":"lowercase","args":{}},{"name":"stop"},' +
        '{"name":"porterstem"},{"name":"asciifolding"}],"charFilters":[]}',
      'The Élégant foxes',
      'elegant|fox',
    ],
    ['"{\\"tokenizer\\":{\\"name\\":\\"keyword\\"}}"', 'A b', 'A b'],
  ];
  for (const [definition, text, expected] of cases) {
    it(`${definition} on ${JSON.stringify(text)}`, () => assert.equal(tokens(definition, text), expected));
  }

  it('keep the definition as it was sent', () => {
    const definition = '{"filters":[{"args":{},"name":"LOWERCASE"}],"charFilters":[]}';
    assert.equal(parsed(definition).definition, definition);
    assert.equal(analyzerOf(definition).definition, definition);
  });

  it('limit texts by the number of their tokens', () => {
    assert.equal(parsed('"standard"').mostCharacters, 4_194_304);
    assert.equal(parsed(tokenizer('ngram')).mostCharacters, 52_428);
  });
});

describe('definitions that are refused', () => {
  const cases: readonly (readonly [definition: string, reason: RegExp])[] = [
    ['{}', /needs a tokenizer or at least one filter/],
    ['{"filters":[],"charFilters":[]}', /needs a tokenizer/],
    ['{"tokenizer":null}', /needs a tokenizer/],
    ['"arabic"', /the analyzer "arabic" is unknown; known: standard, .*, english, cjk, armenian, basque, /],
    ['""', /the analyzer "" is unknown/],
    ['"{not json"', /neither the name of an analyzer nor JSON/],
    ['{"tokenizer":{"name":"standard"},"synonyms":[]}', /unknown member "synonyms"/],
    ['{"tokenizer":"standard"}', /must be an object with a "name"/],
    ['{"tokenizer":{}}', /has no "name"/],
    ['{"tokenizer":{"name":"standard","arg":{}}}', /unknown member "arg"/],
    ['{"tokenizer":{"name":"standard","args":[]}}', /must be an object/],
    [tokenizer('standard', '{"maxTokenLength":3}'), /must be a string, but is of the kind number/],
    [tokenizer('standard', '{"maxTokenLength":"0"}'), /must be an integer from 1 to 1048576/],
    [tokenizer('standard', '{"x":"1"}'), /has no argument "x"; its arguments: maxTokenLength/],
    [tokenizer('keyword', '{"x":"1"}'), /its arguments: none/],
    [tokenizer('thai'), /the tokenizer "thai" is unknown/],
    [tokenizer('pattern'), /the argument "pattern" is missing/],
    [tokenizer('ngram', '{"minGramSize":"8"}'), /"minGramSize" \(8\) is above "maxGramSize" \(7\)/],
    [filter('snowball'), /the filter "snowball" is unknown/],
    [filter('snowballporter'), /the argument "language" is missing/],
    [
      filter('snowballporter', '{"language":"English"}'),
      /must be one of porter, armenian, basque, .*, but is "English"/,
    ],
    [filter('length', '{"min":"1"}'), /the argument "max" is missing/],
    [filter('stop', '{"format":"xml"}'), /must be one of wordset, snowball/],
    [filter('asciifolding', '{"preserveOriginal":"yes"}'), /must be one of false, true/],
    ['{"filters":{}}', /"filters" must be an array/],
    ['{"charFilters":[{"name":"mapping"}]}', /the character filter "mapping" is unknown/],
    [`{"filters":[${'{"name":"trim"},'.repeat(64)}{"name":"trim"}]}`, /65 filters; at most 64/],
    [`"${'x'.repeat(65_536)}"`, /at most 65536/],
  ];
  for (const [definition, reason] of cases) {
    it(definition.slice(0, 80), () => {
      assert.throws(
        () => parsed(definition),
        (error) => error instanceof InvalidAnalyzer && reason.test(error.message),
      );
    });
  }
});
