// Shortens texts to be shown, never inside a character.

/** The text, or its beginning and `…`. The result has at most `length` UTF-16 units. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const isInsidePair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(length - 2, length));
  return `${text.slice(0, isInsidePair ? length - 2 : length - 1)}…`;
}
