// The formats in which rows are written, of which the manifest of an export names one.

/**
 * 1: whole numbers of `float`, `double` and vectors have no point (`1`). 2: they have one (`1.0`), as in replies. The
 * lines of documents are the same in all formats.
 */
export const rowFormats = [1, 2] as const;

/** A format. Checksums are made of lines, so those of different formats differ. */
export type RowFormat = (typeof rowFormats)[number];

/** The format of new exports and imports. */
export const newestFormat: RowFormat = 2;
