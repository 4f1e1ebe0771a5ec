// Texts that stand for no value.

/**
 * Marks of programs: pandas, R, SQL, MySQL and PostgreSQL (`\N`), SAS and Stata (`.`), the World Bank (`..`), the UCI
 * archive (`?`), spreadsheets (`#N/A`), and an empty text in quotes. None of them is a number, date or other value.
 */
const usualMarks: ReadonlySet<string> = new Set([
  ...['', 'NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NULL', 'null', 'Null', '(null)', '\\N', 'None', 'nil'],
  ...['NaN', 'nan', 'NaT', '-', '--', '.', '..', '?'],
]);

/** Whether a text stands for no value if the other values of its column are numbers, dates or the like. */
export function isUsualMark(field: string): boolean {
  return field.length <= 12 && usualMarks.has(field.trim());
}
