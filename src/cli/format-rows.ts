// Formats rows as a text table.

/** A reply's columns, and the values of its rows as they are shown, aligned with the columns. */
export interface ShownRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The names, a line, a line for each row, and the number of rows; an empty text if there are no columns. */
export function formatRows({ columns, rows }: ShownRows): string {
  if (columns.length === 0) return '';
  const widths = columns.map((name, at) =>
    rows.reduce((width, row) => Math.max(width, lengthOf(row[at])), lengthOf(name)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => ` ${cell}${' '.repeat((widths[at] ?? 0) - lengthOf(cell))} `)
      .join('|')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width + 2)).join('+');
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;
  return `${[line(columns), rule, ...rows.map(line), '', count].join('\n')}\n`;
}

/** In characters, not in UTF-16 code units. */
function lengthOf(text = ''): number {
  return [...text].length;
}
