// The stemmer of Martin Porter (1980) for English, with the two later corrections of its author, as in Lucene.

/** The stem of a word in lower case; words of one or two letters stay. */
export function porterStem(word: string): string {
  if (word.length <= 2) return word;
  let stem = withoutEnding(withoutPlural(word));
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(replaceSuffix(stem, doubleSuffixes), simpleSuffixes);
  return withoutFinalE(withoutSuffix(stem));
}

/** `ational` → `ate`; of the suffixes that a word can have, the longest comes first. */
const doubleSuffixes: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const simpleSuffixes: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

/** The longest of those that a word can have comes first. */
const removedSuffixes: readonly string[] = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent', 'ion', 'ou'],
  ...['ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
];

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Without `ed` and `ing`. */
function withoutEnding(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ['ed', 'ing'].find((each) => word.endsWith(each));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (!hasVowel(stem)) return word;
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsDoubled(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaceSuffix(word: string, suffixes: typeof doubleSuffixes): string {
  const found = suffixes.find(([suffix]) => word.endsWith(suffix));
  if (found === undefined) return word;
  const [suffix, replacement] = found;
  const stem = word.slice(0, word.length - suffix.length);
  return measure(stem) > 0 ? stem + replacement : word;
}

function withoutSuffix(word: string): string {
  const isSuffix = (suffix: string) => word.endsWith(suffix) && (suffix !== 'ion' || /[st]ion$/.test(word));
  const suffix = removedSuffixes.find(isSuffix);
  if (suffix === undefined) return word;
  const stem = word.slice(0, word.length - suffix.length);
  return measure(stem) > 1 ? stem : word;
}

function withoutFinalE(word: string): string {
  const size = measure(word);
  const isShort = endsShort(word.slice(0, -1));
  const stem = word.endsWith('e') && (size > 1 || (size === 1 && !isShort)) ? word.slice(0, -1) : word;
  return stem.endsWith('ll') && size > 1 ? stem.slice(0, -1) : stem;
}

/** The number of groups of vowels that consonants follow. */
function measure(word: string): number {
  let count = 0;
  let wasConsonant = true;
  for (let at = 0; at < word.length; at += 1) {
    const isNow = isConsonant(word, at, wasConsonant);
    if (isNow && !wasConsonant) count += 1;
    wasConsonant = isNow;
  }
  return count;
}

function hasVowel(word: string): boolean {
  let wasConsonant = true;
  for (let at = 0; at < word.length; at += 1) {
    wasConsonant = isConsonant(word, at, wasConsonant);
    if (!wasConsonant) return true;
  }
  return false;
}

/** Whether two equal consonants end the word. */
function endsDoubled(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && kindsOf(word).endsWith('c');
}

/** Whether consonant, vowel and consonant end the word, the last not `w`, `x` or `y`. */
function endsShort(word: string): boolean {
  return kindsOf(word).endsWith('cvc') && !/[wxy]$/.test(word);
}

/** For each letter `c` for a consonant or `v` for a vowel. */
function kindsOf(word: string): string {
  let kinds = '';
  for (let at = 0; at < word.length; at += 1)
    kinds += isConsonant(word, at, !kinds.endsWith('v')) ? 'c' : 'v';
  return kinds;
}

/** After a consonant, `y` is a vowel. */
function isConsonant(word: string, at: number, wasConsonant: boolean): boolean {
  switch (word.charAt(at)) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return false;
    case 'y':
      return at === 0 || !wasConsonant;
    default:
      return true;
  }
}
