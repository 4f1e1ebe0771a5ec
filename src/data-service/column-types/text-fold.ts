// Normalizes texts for an index: case, accents, equivalent forms of characters (wire: createIndex, text options).
import asciiFolder from 'fold-to-ascii';

/** The options of a text index. */
export interface TextFold {
  /** Letters, digits and signs become their nearest ASCII characters. */
  readonly ascii: boolean;
  /** False: upper and lower case are equal. */
  readonly caseSensitive: boolean;
  /** Unicode's composed form (NFC). */
  readonly normalize: boolean;
}

/** The fold that does not change texts: the default. */
export const exactText: TextFold = { ascii: false, caseSensitive: true, normalize: false };

/** Whether the fold changes no text. */
export function isExact({ ascii, caseSensitive, normalize }: TextFold): boolean {
  return !ascii && caseSensitive && !normalize;
}

/** The text in the form of an index: first lower case, then the composed form, then ASCII, as in Cassandra. */
export function foldText(text: string, { ascii, caseSensitive, normalize }: TextFold): string {
  let folded = caseSensitive ? text : text.toLowerCase();
  if (normalize) folded = folded.normalize('NFC');
  return ascii ? asciiFolder.foldMaintaining(folded) : folded;
}

/**
 * Letters of Latin, Greek (without sigma, whose small form depends on its place), Cyrillic, Hebrew, Arabic, Devanagari,
 * Thai, Japanese, Chinese and Korean, and ASCII. No letters that Unicode added later become one of these.
 */
const steadyText = new RegExp(
  '^[\0-\x7f\xa0-\u0137\u0139-\u0148\u014a-\u017f\u0386-\u03a2\u03a4-\u03c1\u03c4-\u03ce\u0400-\u045f' +
    '\u05d0-\u05ea\u0620-\u064a\u0905-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$',
);

/** Whether each text that becomes this one by a fold without `ascii` does so in every version of Unicode. */
export function isSteady(text: string): boolean {
  return steadyText.test(text);
}
