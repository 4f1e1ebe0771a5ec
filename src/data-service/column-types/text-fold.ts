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
