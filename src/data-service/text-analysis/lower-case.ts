// Lower case for each character by itself, independent of language and of the characters beside it, as in Lucene.

/** In these, the lower case of JavaScript depends on other characters, or has several characters. */
const exceptions = /[\u03a3\u0130]/;

/** The text in lower case. */
export function lowerCase(text: string): string {
  if (!exceptions.test(text)) return text.toLowerCase();
  let lower = '';
  for (const character of text) lower += character === '\u0130' ? 'i' : character.toLowerCase();
  return lower;
}
