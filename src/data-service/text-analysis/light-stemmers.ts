// The light stemmers of Lucene's analyzers for five languages, by the rules of Jacques Savoy ("Light stemming
// approaches for the French, Portuguese, German and Hungarian languages", 2006): they remove plurals and a few endings.
// Lengths are in UTF-16 units, as in Lucene.

/** A word that is longer than `above` units and ends with `ending` gets the ending `to`. */
interface EndingRule {
  readonly above: number;
  readonly ending: string;
  readonly to: string;
  /** The rule that is tried next on the result. */
  readonly second?: EndingRule;
  /** Further rules of the list are tried on the result. */
  readonly continues?: true;
}

function rule(above: number, ending: string, to: string, more: Partial<EndingRule> = {}): EndingRule {
  return { above, ending, to, ...more };
}

function applies({ above, ending }: EndingRule, word: string): boolean {
  return word.length > above && word.endsWith(ending);
}

/** Applies the first rule that applies, and those after rules that continue. */
function changeEnding(word: string, rules: readonly EndingRule[]): string {
  let changed = word;
  for (const each of rules) {
    if (!applies(each, changed)) continue;
    changed = changed.slice(0, changed.length - each.ending.length) + each.to;
    if (each.second !== undefined) return changeEnding(changed, [each.second]);
    if (each.continues !== true) return changed;
  }
  return changed;
}

/** Without the accents of some letters, given as pairs of a letter and its forms with accents. */
function accentFolding(...letters: readonly (readonly [letter: string, forms: string])[]) {
  const folded = new Map(letters.flatMap(([letter, forms]) => [...forms].map((form) => [form, letter])));
  const accents = new RegExp(`[${[...folded.keys()].join('')}]`, 'g');
  return (word: string) => word.replace(accents, (form) => folded.get(form) ?? form);
}

const usualAccents = [
  ['a', 'àáâä'],
  ['o', 'òóôö'],
  ['i', 'ìíîï'],
  ['u', 'ùúûü'],
] as const;
const withoutAccents = accentFolding(...usualAccents, ['e', 'èéêë']);
const withoutPortugueseAccents = accentFolding(
  ...usualAccents,
  ['e', 'èéêë'],
  ['a', 'ã'],
  ['o', 'õ'],
  ['c', 'ç'],
);
const withoutGermanAccents = accentFolding(...usualAccents);
const withoutFrenchAccents = accentFolding(
  ['a', 'àáâ'],
  ['o', 'ô'],
  ['e', 'èéê'],
  ['u', 'ùû'],
  ['i', 'î'],
  ['c', 'ç'],
);

/** Spanish: plurals, and the final vowel of genders. */
export function spanishLightStem(word: string): string {
  if (word.length < 5) return word;
  const plain = withoutAccents(word);
  if (/[aeo]$/.test(plain)) return plain.slice(0, -1);
  if (plain.endsWith('eses')) return plain.slice(0, -2);
  if (plain.endsWith('ces')) return `${plain.slice(0, -3)}z`;
  return /[aeo]s$/.test(plain) ? plain.slice(0, -2) : plain;
}

/** Italian: the final vowels of genders and plurals. */
export function italianLightStem(word: string): string {
  if (word.length < 6) return word;
  return withoutAccents(word).replace(/(?:[ih]e|[ih]i|i[ao]|[aeio])$/, '');
}

const portuguesePlurals: readonly EndingRule[] = [
  ...['r', 's', 'l', 'z'].map((letter) => rule(4, `${letter}es`, letter)),
  rule(3, 'ns', 'm'),
  rule(4, 'eis', 'el'),
  rule(4, 'éis', 'el'),
  rule(4, 'ais', 'al'),
  rule(4, 'óis', 'ol'),
  rule(4, 'is', 'il'),
  rule(3, 'ões', 'ão'),
  rule(3, 'ães', 'ão'),
  rule(6, 'mente', ''),
  rule(3, 's', ''),
];

const portugueseFeminines: readonly EndingRule[] = [
  ...['inh', 'iac', 'eir'].map((start) => rule(7, `${start}a`, `${start}o`)),
  ...['os', 'ic', 'id', 'ad', 'iv', 'am'].map((start) => rule(6, `${start}a`, `${start}o`)),
  rule(6, 'ona', 'ão'),
  rule(6, 'ora', 'or'),
  rule(6, 'esa', 'ês'),
  rule(6, 'na', 'no'),
];

/** Portuguese: plurals, adverbs, feminine forms, and the final vowel. */
export function portugueseLightStem(word: string): string {
  if (word.length < 4) return word;
  const singular = changeEnding(word, portuguesePlurals);
  const masculine = singular.length > 3 ? changeEnding(singular, portugueseFeminines) : singular;
  const stem = masculine.length > 4 ? masculine.replace(/[aeo]$/, '') : masculine;
  return withoutPortugueseAccents(stem);
}

/** The letters after which a final `s` or `st` is an ending. */
const beforeGermanEnding = '[bdfghklmnt]';
const [germanS, germanSt] = [
  new RegExp(`(${beforeGermanEnding})s$`),
  new RegExp(`(${beforeGermanEnding})st$`),
];

/** German: the endings of cases and plurals, then those of comparisons. */
export function germanLightStem(word: string): string {
  return withoutGermanComparison(withoutGermanCase(withoutGermanAccents(word)));
}

function withoutGermanCase(word: string): string {
  const { length } = word;
  if (length > 5 && word.endsWith('ern')) return word.slice(0, -3);
  if (length > 4 && /e[mnrs]$/.test(word)) return word.slice(0, -2);
  if (length > 3 && word.endsWith('e')) return word.slice(0, -1);
  return length > 3 ? word.replace(germanS, '$1') : word;
}

function withoutGermanComparison(word: string): string {
  const { length } = word;
  if (length > 5 && word.endsWith('est')) return word.slice(0, -3);
  if (length > 4 && /e[rn]$/.test(word)) return word.slice(0, -2);
  return length > 4 ? word.replace(germanSt, '$1') : word;
}

/**
 * German spelling: `ae`, `oe` and `ue` for umlauts become the vowel alone, unless another vowel or `q` is before; so do
 * umlauts; `ß` becomes `ss`.
 */
export function germanNormalized(word: string): string {
  let written = '';
  // Whether an `e` that follows belongs to the vowel, and whether a `u` can begin such a pair.
  let [dropsE, allowsU] = [false, true];
  for (const unit of word) {
    if (unit === 'e' && dropsE) {
      [dropsE, allowsU] = [false, false];
      continue;
    }
    written += germanSpelling.get(unit) ?? unit;
    dropsE = unit === 'a' || unit === 'o' || (unit === 'u' && allowsU);
    allowsU = !'aoueiqyäöü'.includes(unit);
  }
  return written;
}

const germanSpelling: ReadonlyMap<string, string> = new Map([
  ['ä', 'a'],
  ['ö', 'o'],
  ['ü', 'u'],
  ['ß', 'ss'],
]);

const frenchEndings: readonly EndingRule[] = [
  rule(9, 'issement', 'ir'),
  rule(8, 'issant', 'ir'),
  rule(6, 'ement', 'e', { second: rule(3, 'ive', 'if') }),
  rule(11, 'ficatrice', 'fier'),
  rule(10, 'ficateur', 'fier'),
  rule(9, 'catrice', 'quer'),
  rule(8, 'cateur', 'quer'),
  rule(8, 'atrice', 'er'),
  rule(7, 'ateur', 'er'),
  rule(6, 'trice', 'teur', { continues: true }),
  rule(5, 'ième', ''),
  rule(7, 'teuse', 'ter'),
  rule(6, 'teur', 'ter'),
  rule(5, 'euse', 'eu'),
  rule(8, 'ère', 'er'),
  rule(7, 'ive', 'if'),
  rule(4, 'folle', 'fou'),
  rule(4, 'molle', 'mou'),
  rule(9, 'nnelle', 'n'),
  rule(9, 'nnel', 'n'),
  rule(4, 'ète', 'et', { continues: true }),
  rule(8, 'ique', '', { continues: true }),
  rule(8, 'esse', 'e'),
  rule(7, 'inage', 'in'),
  rule(9, 'isation', '', { second: rule(5, 'ual', 'uel') }),
  rule(9, 'isateur', ''),
  rule(8, 'ation', ''),
  rule(8, 'ition', ''),
];

/** French: plurals, endings of derived words, feminine forms, and double letters. */
export function frenchLightStem(word: string): string {
  let stem = word;
  if (stem.length > 5 && stem.endsWith('x')) stem = stem.slice(0, -1).replace(/(?<=[^e]a)u$/, 'l');
  if (stem.length > 3 && stem.endsWith('x')) stem = stem.slice(0, -1);
  if (stem.length > 3 && stem.endsWith('s')) stem = stem.slice(0, -1);
  return frenchNormalized(changeEnding(stem, frenchEndings));
}

/** A letter of the basic plane more than once. */
const repeated = /((?![\u{10000}-\u{10ffff}])\p{L})\1+/gu;
const repeatedEnd = /((?![\u{10000}-\u{10ffff}])\p{L})\1$/u;

function frenchNormalized(word: string): string {
  let stem = word.length > 4 ? withoutFrenchAccents(word).replace(repeated, '$1') : word;
  if (stem.length > 4 && stem.endsWith('ie')) stem = stem.slice(0, -2);
  if (stem.length <= 4) return stem;
  return stem
    .replace(/r$/, '')
    .replace(/e{1,2}$/, '')
    .replace(repeatedEnd, '$1');
}
