// Inserts the lines of a file in batches, several at a time, and records how far it has come.

import { isJsonObject, type JsonText, stringifyJson } from '../../foundation/json/json-value.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import { readReply } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';
import { ExportProblem } from './export-directory.js';
import type { InsertedRows } from './import-progress.js';
import { type InsertTarget, insertLines, mostRows, type Refusal } from './insert-lines.js';
import type { MoveReport } from './move-report.js';
import type { PagePlace } from './page-place.js';
import { RowChecksum } from './row-checksum.js';
import type { Line, LineGroups } from './row-file.js';

/** How to insert the lines of a table. */
export interface ImportRows extends InsertTarget {
  /** The columns to insert; undefined to insert the lines as they are. */
  readonly columns: ReadonlySet<string> | undefined;
  readonly done: InsertedRows;
  /** Whether the lines are those of pages, whose last ones have the place of the next page. */
  readonly isPaged: boolean;
  /** Stores the progress; called after about `rowsPerSave` rows, at the end, and when an error ends the import. */
  readonly save: (inserted: InsertedRows) => Promise<void>;
  /** Called for each row that the server stored in the place of another one of the lines. */
  readonly noteReplaced?: () => void;
  /** Called for each refused row. It throws if there are too many. */
  readonly refuse: (refusal: Refusal) => void;
}

/** Characters of a batch, unless one row has more. */
const batchLength = 1024 * 1024;
/** The server commits batches together that arrive at the same time. */
const mostBatches = 4;
/** Characters of all batches that were sent and not answered, unless one row has more. */
const mostLength = 8 * 1024 * 1024;
/** The progress is stored after this number of rows or characters. A later run inserts again what came after it. */
const rowsPerSave = 2000;
const lengthPerSave = 8 * 1024 * 1024;

interface Batch {
  readonly lines: readonly Line[];
  readonly length: number;
}

/** More refused rows end an import: its cause is not a row. */
const mostRefused = 1000;

/** So many rows were refused that the import ended. */
export class TooManyRefused extends DataPortProblem {}

/**
 * Warns of refused rows, after `before` others. `placeOf` names a row in messages. The function throws TooManyRefused.
 */
export function refusalReporter(
  { warn }: Pick<MoveReport, 'warn'>,
  placeOf: (line: Line) => string,
  before: number,
): (refusal: Refusal) => void {
  let refused = before;
  return ({ line, reason }) => {
    warn(`${placeOf(line)}: ${reason}`);
    refused += 1;
    if (refused > mostRefused) throw new TooManyRefused(`more than ${mostRefused} rows were refused`);
  };
}

/** @throws DataPortProblem, Interrupted, RowFileProblem, ExportProblem */
export async function importRows(lines: LineGroups, options: ImportRows): Promise<InsertedRows> {
  const { columns, save, refuse, isPaged, noteReplaced = () => {} } = options;
  const checksum = new RowChecksum(options.done.totals);
  let { lines: answered, refused } = options.done;
  let [unsavedRows, unsavedLength, sentLength] = [0, 0, 0];
  const sent: (Batch & { readonly refusals: Promise<readonly Refusal[]> })[] = [];
  const inserted = (place?: PagePlace): InsertedRows => ({
    lines: answered,
    refused,
    totals: checksum.totals(),
    place,
  });
  // Rows of a server are continued where a page begins, those of a file behind any line.
  let continuable = options.done;

  const settleFirst = async (): Promise<void> => {
    const [first] = sent;
    if (first === undefined) return;
    const refusals = await first.refusals;
    sent.shift();
    const refusedLines = new Set(refusals.map(({ line }) => line));
    for (const line of first.lines) {
      answered += 1;
      if (refusedLines.has(line)) refused += 1;
      else {
        checksum.add(line.text);
        if (line.isRepeated === true) noteReplaced();
      }
      if (line.place !== undefined) continuable = inserted(line.place);
    }
    if (!isPaged) continuable = inserted();
    sentLength -= first.length;
    for (const refusal of refusals) refuse(refusal);
    unsavedRows += first.lines.length;
    unsavedLength += first.length;
    if (unsavedRows < rowsPerSave && unsavedLength < lengthPerSave) return;
    await save(continuable);
    [unsavedRows, unsavedLength] = [0, 0];
  };

  try {
    for await (const batch of batchesOf(lines, columns)) {
      while (sent.length >= mostBatches || (sent.length > 0 && sentLength + batch.length > mostLength))
        await settleFirst();
      // Batches that are sent at the same time are stored in any order, and of rows with the same key the last remains.
      while (sent.some((before) => repeatsOneOf(before, batch))) await settleFirst();
      const refusals = insertSound(options, batch.lines);
      refusals.catch(() => {}); // thrown where it is awaited, unless an earlier batch fails
      sent.push({ ...batch, refusals });
      sentLength += batch.length;
    }
    while (sent.length > 0) await settleFirst();
    const { place } = continuable;
    continuable = inserted(place === undefined ? undefined : { ...place, isDone: true });
  } finally {
    await Promise.allSettled(sent.map(({ refusals }) => refusals));
    await save(continuable);
  }
  return continuable;
}

/** Inserts the lines that have no problem. */
async function insertSound(target: InsertTarget, lines: readonly Line[]): Promise<readonly Refusal[]> {
  const refused = lines.flatMap((line) =>
    line.problem === undefined ? [] : [{ line, reason: line.problem }],
  );
  if (refused.length === 0) return insertLines(target, lines);
  const sound = lines.filter(({ problem }) => problem === undefined);
  const more = sound.length === 0 ? [] : await insertLines(target, sound);
  return [...refused, ...more].sort((left, right) => left.line.number - right.line.number);
}

async function* batchesOf(
  lines: LineGroups,
  columns: ReadonlySet<string> | undefined,
): AsyncGenerator<Batch> {
  let batch: Line[] = [];
  let length = 0;
  for await (const group of lines)
    for (const line of group) {
      const { number, text: whole } = line;
      const text = columns === undefined ? whole : withColumns(whole, number, columns);
      if (batch.length > 0 && (batch.length === mostRows || length + text.length > batchLength)) {
        yield { lines: batch, length };
        batch = [];
        length = 0;
      }
      batch.push(columns === undefined ? line : { ...line, text });
      length += text.length;
    }
  if (batch.length > 0) yield { lines: batch, length };
}

function repeatsOneOf(before: Batch, { lines }: Batch): boolean {
  return lines.some(
    ({ key, isRepeated }) => isRepeated === true && before.lines.some((line) => line.key === key),
  );
}

/** The row with these columns only, in the same order. */
function withColumns(text: JsonText, number: number, columns: ReadonlySet<string>): JsonText {
  const row = readReply(text);
  if (!isJsonObject(row)) throw new ExportProblem(`line ${number} is not a row: ${shortened(text, 100)}`);
  return stringifyJson(new Map([...row].filter(([name]) => columns.has(name))));
}
