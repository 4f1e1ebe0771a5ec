// Chinese, Japanese and Korean as Lucene's CJKAnalyzer does them: pairs of adjacent characters are the tokens.
import { lowerCase } from './lower-case.js';
import { wordClass, wordClassOf } from './word-classes.js';
import { eachWord } from './word-segments.js';

/** The tokens of a text in lower case: words, and of each run of adjacent characters of these scripts its pairs. */
export function cjkTokens(text: string, longest: number): readonly string[] {
  const tokens: string[] = [];
  let run: string[] = [];
  let runEnd = 0;
  const endRun = () => {
    if (run.length === 1) tokens.push(...run);
    for (let at = 1; at < run.length; at += 1) tokens.push(`${run[at - 1]}${run[at]}`);
    run = [];
  };
  eachWord(text, longest, (start, end) => {
    const word = text.slice(start, end);
    const written = lowerCase(usualWidth(word));
    if (!isCjk(word)) {
      endRun();
      tokens.push(written);
      return;
    }
    if (start !== runEnd) endRun();
    run.push(...written);
    runEnd = end;
  });
  endRun();
  return tokens;
}

/** Whether a word is an ideograph or hiragana, or all of it is katakana or Hangul; marks do not count. */
function isCjk(word: string): boolean {
  const classes = [...word].map((character) => wordClassOf(character.codePointAt(0) ?? 0));
  const [first] = classes;
  if (first === wordClass.han || first === wordClass.hiragana) return true;
  if (first === wordClass.extend) return false;
  const isAll = (fits: (character: string, class_: number | undefined) => boolean) =>
    [...word].every((character, at) => classes[at] === wordClass.extend || fits(character, classes[at]));
  return (
    isAll((_, class_) => class_ === wordClass.katakana) ||
    isAll((character) => /^\p{Script=Hangul}$/u.test(character))
  );
}

const fullWidthOffset = 0xfee0;
/** Sounds marks of half width, and the marks that characters are composed with. */
const soundMarks: ReadonlyMap<string, string> = new Map([
  ['\uff9e', '\u3099'],
  ['\uff9f', '\u309a'],
]);

/** ASCII of full width and katakana of half width in their usual width, with sound marks as part of the katakana. */
function usualWidth(word: string): string {
  if (!/[\uff01-\uff9f]/.test(word)) return word;
  let written = '';
  for (const character of word) {
    const mark = soundMarks.get(character);
    const composed = mark === undefined ? '' : composedKatakana(written.slice(-1), mark);
    if (composed !== '') written = written.slice(0, -1) + composed;
    else if (character >= '\uff01' && character <= '\uff5e')
      written += String.fromCharCode(character.charCodeAt(0) - fullWidthOffset);
    else if (character >= '\uff65' && character <= '\uff9f') written += character.normalize('NFKC');
    else written += character;
  }
  return written;
}

/** One katakana with a sound mark; empty if there is none. */
function composedKatakana(katakana: string, mark: string): string {
  if (katakana < '\u30a6' || katakana > '\u30fd') return '';
  const composed = `${katakana}${mark}`.normalize('NFC');
  return composed.length === 1 ? composed : '';
}
