// What Java counts as white space: no-break spaces are not among it, and some control characters are.

/** One character of white space. */
export const javaSpace =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are white space in Java.
  /[\t\n\v\f\r\u001c-\u001f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/;
