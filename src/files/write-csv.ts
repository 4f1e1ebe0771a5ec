// Writes records of CSV files.

/** What an import guesses to be the delimiter, and marks of the lines of a record. */
const needsQuotes = /[",;|\t\r\n]|^\s|\s$/;

/** A record without its line break. No value (null) is an empty field, an empty text has quotes. */
export function csvLine(fields: readonly (string | null)[], delimiter: string): string {
  const texts = fields.map((field) => {
    if (field === null) return '';
    const isPlain = field !== '' && !field.includes(delimiter) && !needsQuotes.test(field);
    return isPlain ? field : `"${field.replaceAll('"', '""')}"`;
  });
  // An empty line would be skipped.
  return texts.length === 1 && texts[0] === '' ? '""' : texts.join(delimiter);
}

/** What spreadsheets take for the beginning of a formula, or remove before one. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text that spreadsheets do not run as a formula: with `'` before it, if it begins like one. */
export function withoutFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}
