// Reads a whole file of rows to find all that a plan and its rows need, for the command line and for the console.
import { usualDialect } from './csv-dialect.js';
import type { CsvLayout } from './csv-layout.js';
import type { Conversions, ValueForm } from './extended-json.js';
import type { FileFormat } from './file-format.js';
import { usualValues } from './guess-type.js';
import { type CsvOptions, inspectCsv } from './inspect-csv.js';
import { inspectJson } from './inspect-json.js';
import type { DescribedFile } from './plan-text.js';

/** What is known of a text before it is read. */
export interface TextToInspect {
  /** The file in messages. */
  readonly name: string;
  readonly format: FileFormat;
  readonly csv: CsvOptions;
  /** That of the values of JSON. */
  readonly form: ValueForm;
}

/** A whole text. */
export interface InspectedText extends DescribedFile {
  /** For CSV only. */
  readonly layout: CsvLayout;
  /** Rows that have an `_id`. */
  readonly withId: number;
  /** Values of JSON that are converted. */
  readonly conversions: Conversions;
}

const noColumns: CsvLayout = { hasHeader: false, columns: [], width: 0, isRagged: false };

/** Inspects the pieces of a text. @throws FileProblem if it does not have its format, with what to do */
export async function inspectText(
  pieces: AsyncIterable<string>,
  { name, format, csv, form }: TextToInspect,
): Promise<InspectedText> {
  if (format === 'csv') {
    const inspected = await inspectCsv(pieces, csv, name);
    const withId = inspected.rows - (inspected.columns.get('_id')?.empty ?? inspected.rows);
    const values = csv.values ?? usualValues;
    return { name, format, values, withId, conversions: new Map(), ...inspected };
  }
  const inspected = await inspectJson(pieces, form, name);
  const none = { dialect: usualDialect, layout: noColumns, notes: [], columns: new Map() };
  return { name, format, ...none, ...inspected };
}
