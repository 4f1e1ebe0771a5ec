// A file that was read once, and how its rows go into a table or collection that exists or is created for it.
import { rowRecords } from '../../src/files/csv-layout.js';
import { conversionsText } from '../../src/files/extended-json.js';
import type { GuessedType } from '../../src/files/guess-type.js';
import { type ExistingTarget, type FilePlan, planFile, typesOf } from '../../src/files/plan-file.js';
import { fileLines, idsLine, keyLine } from '../../src/files/plan-text.js';
import { readCsv } from '../../src/files/read-csv.js';
import { csvLine } from '../../src/files/write-csv.js';
import { recordWriter } from '../../src/files/write-row.js';
import type { NewRow } from './insert-batches.js';
import { columnTypes, jsonRows, type RowForm, rowNotes } from './new-rows.js';
import { type Item, keyOf } from './schema.js';
import { type InspectedFile, textOf } from './source-file.js';

/** Where the rows of a file go. */
export interface FileDestination {
  readonly kind: Item['kind'];
  readonly name: string;
  /** Undefined if the table or collection is created for the file. */
  readonly existing: ExistingTarget | undefined;
}

/** What is chosen about the rows. Names that the file does not have count as not chosen. */
export interface RowChoices {
  /** Corrections of the guessed types. */
  readonly types: ReadonlyMap<string, GuessedType>;
  /** The partition key of a new table, then its clustering columns. */
  readonly primaryKey: readonly string[] | undefined;
  /** The column or member whose value is also the id of a document; an empty text names none. */
  readonly idFrom: string;
}

/** A file of which everything is known that an import needs. */
export interface PlannedFile extends InspectedFile {
  readonly destination: FileDestination;
  readonly plan: FilePlan;
  /** The types of the columns that are guessed or chosen. */
  readonly types: ReadonlyMap<string, GuessedType>;
  /** How the rows are written. */
  readonly form: RowForm;
  /** What is decided, as lines for people. */
  readonly lines: readonly string[];
}

/** A table or collection that exists, as the destination of a file. */
export function destinationOf(item: Item): FileDestination {
  const { kind, name } = item;
  const { partition, clustering } = keyOf(item.definition);
  const keyColumns = item.kind === 'table' ? [...partition, ...clustering] : ['_id'];
  return { kind, name, existing: { kind, columns: columnTypes(item), keyColumns } };
}

/** Decides how the rows of a file are written. @throws FileProblem with what must be different */
export function plannedFile(
  found: InspectedFile,
  destination: FileDestination,
  choices: RowChoices,
): PlannedFile {
  const { kind, name, existing } = destination;
  const has = (column: string) => found.format === 'ndjson' || found.columns.has(column);
  const idFrom = choices.idFrom !== '' && has(choices.idFrom) ? choices.idFrom : undefined;
  const target = {
    ...{ kind, name, idFrom },
    primaryKey: choices.primaryKey?.filter(has),
    columns: new Map([...choices.types].filter(([column]) => has(column))),
  };
  const plan = planFile(found, target, existing);
  const types = existing?.kind === 'table' ? existing.columns : new Map<string, string>();
  const form = { kind, types, idFrom };
  const lines = linesOf(found, plan, form);
  return { ...found, destination, plan, types: typesOf(found, target), form, lines };
}

function linesOf(found: InspectedFile, plan: FilePlan, form: RowForm): readonly string[] {
  const converted = conversionsText(found.conversions);
  return [
    ...fileLines(found, plan.notes),
    ...(converted === undefined ? [] : [converted]),
    form.kind === 'table' ? keyLine(plan) : idsText(found, form),
  ];
}

function idsText(found: InspectedFile, { idFrom }: RowForm): string {
  const isMade = idFrom === undefined && found.withId < found.rows;
  const ofExisting = isMade
    ? 'a document that is there already with the same content stays'
    : 'a document whose id exists is refused';
  return `${idsLine(found, { idFrom, primaryKey: undefined })}; ${ofExisting}`;
}

/** The rows of the file, from the first one on. @throws FileProblem, or the reason of `signal` */
export async function* rowsOfFile(
  planned: PlannedFile,
  signal: AbortSignal,
): AsyncGenerator<readonly NewRow[]> {
  const { file, options, dialect, layout, plan, name, form } = planned;
  const text = textOf(file, options, signal);
  if (planned.format === 'ndjson') {
    yield* jsonRows(text, form, name);
    return;
  }
  const { ids, noting } = rowNotes(form);
  const write = noting(recordWriter(plan.fields, layout, ids));
  for await (const records of rowRecords(readCsv(text, dialect, name), layout))
    yield records.map((record) => write(record, () => csvLine(record.fields, dialect.delimiter || ',')));
}

/** The line with the names of the columns, for a file of refused rows; undefined for JSON. */
export function headerOf({ format, layout, dialect }: PlannedFile): string | undefined {
  if (format === 'ndjson') return undefined;
  const names: string[] = Array.from({ length: layout.width }, () => '');
  for (const { name, at } of layout.columns) names[at] = name;
  return csvLine(names, dialect.delimiter || ',');
}
