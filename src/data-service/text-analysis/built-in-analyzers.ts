// The analyzers that have a name.
import type { JsonText } from '../../foundation/json/json-value.js';
import { type Analyzer, InvalidAnalyzer, makeAnalyzer, usualMostCharacters } from './analyzer.js';
import { cjkTokens } from './cjk-bigrams.js';
import { makePart } from './component.js';
import { stopWordLanguages } from './stop-words.js';
import { filtersOf, tokenFilters } from './token-filters.js';
import { tokenizers } from './tokenizers.js';

/** Name → tokenizer, then filters. */
const builtIn: Readonly<Record<string, readonly [tokenizer: string, ...filters: string[]]>> = {
  standard: ['standard', 'lowercase'],
  simple: ['letter', 'lowercase'],
  whitespace: ['whitespace'],
  stop: ['letter', 'lowercase', 'stop'],
  lowercase: ['keyword', 'lowercase'],
  keyword: ['keyword'],
  english: ['standard', 'englishpossessive', 'lowercase', 'stop', 'porterstem'],
};

/** The analyzer for Chinese, Japanese and Korean, and its stop words. */
const cjk = {
  name: 'cjk',
  longestToken: 255,
  stopWords:
    'a,and,are,as,at,be,but,by,for,if,in,into,is,it,no,not,of,on,or,s,such,t,that,the,their,then,there,these,they,' +
    'this,to,was,will,with,www',
} as const;

/** The analyzer of that name, in any case. @throws InvalidAnalyzer for an unknown name */
export function builtInAnalyzer(name: string, definition: JsonText): Analyzer {
  const key = name.toLowerCase();
  if (key === cjk.name) return cjkAnalyzer(definition);
  const language = stopWordLanguages.find((each) => each === key);
  const [tokenizer, ...filters] = language === undefined ? partsNamed(key, name) : ['standard'];
  const noArguments = new Map<string, string>();
  return makeAnalyzer(definition, {
    charFilters: [],
    tokenizer: makePart('tokenizer', tokenizers, tokenizer, noArguments),
    filters:
      language === undefined
        ? filters.map((filter) => makePart('filter', tokenFilters, filter, noArguments))
        : filtersOf(language),
  });
}

function cjkAnalyzer(definition: JsonText): Analyzer {
  const split = (text: string) => cjkTokens(text, cjk.longestToken);
  const stop = makePart('filter', tokenFilters, 'stop', new Map([['words', cjk.stopWords]]));
  return makeAnalyzer(definition, {
    charFilters: [],
    tokenizer: { mostCharacters: usualMostCharacters, split },
    filters: [stop],
  });
}

function partsNamed(key: string, name: string): readonly [tokenizer: string, ...filters: string[]] {
  const parts = Object.hasOwn(builtIn, key) ? builtIn[key] : undefined;
  if (parts !== undefined) return parts;
  const known = [...Object.keys(builtIn), cjk.name, ...stopWordLanguages].join(', ');
  throw new InvalidAnalyzer(`the analyzer "${name}" is unknown; known: ${known}`);
}
