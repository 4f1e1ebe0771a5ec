// How an index makes texts alike: case, accents, forms of the same character (wire: createIndex, text options).
import asciiFolder from 'fold-to-ascii';

/** The options of a text index. */
export interface TextFold {
  /** Letters, digits and signs become their nearest ASCII characters. */
  readonly ascii: boolean;
  /** False: upper and lower case are alike. */
  readonly caseSensitive: boolean;
  /** Unicode's composed form (NFC). */
  readonly normalize: boolean;
}

/** The fold that leaves texts as they are: the default. */
export const exactText: TextFold = { ascii: false, caseSensitive: true, normalize: false };

/** Whether the fold leaves every text as it is. */
export function isExact({ ascii, caseSensitive, normalize }: TextFold): boolean {
  return !ascii && caseSensitive && !normalize;
}

/** The text as an index sees it: lower case first, then the composed form, then ASCII, as Cassandra does it. */
export function foldText(text: string, { ascii, caseSensitive, normalize }: TextFold): string {
  let folded = caseSensitive ? text : text.toLowerCase();
  if (normalize) folded = folded.normalize('NFC');
  return ascii ? asciiFolder.foldMaintaining(folded) : folded;
}
