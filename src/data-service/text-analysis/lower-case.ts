// Lower case for each character by itself, independent of language and of the characters beside it, as in Lucene.

/** In these, the lower case of JavaScript depends on other characters, or has several characters. */
const exceptions = /[\u03a3\u0130]/;

/** The text in lower case. */
export function lowerCase(text: string): string {
  if (isLower(text)) return text;
  if (!exceptions.test(text)) return text.toLowerCase();
  let lower = '';
  for (const character of text) lower += character === '\u0130' ? 'i' : character.toLowerCase();
  return lower;
}

/** Whether a text is ASCII without capital letters. Most words are, and this is much faster than the methods. */
function isLower(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80 || (unit >= 0x41 && unit <= 0x5a)) return false;
  }
  return true;
}
