// Adds the rows that exist to a text index, in steps: each makes a segment.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { forgetWanted, wantsTexts } from '../file/text-functions.js';
import { addBuilt, blobOrNull, type SegmentSizes } from './keep-segments.js';
import { SegmentBuilder } from './segment-builder.js';
import type { TextTables } from './text-tables.js';

/** The argument of a step. */
export interface BuildSegments {
  readonly tables: TextTables;
  readonly sizes: SegmentSizes;
  /** The table of the rows. */
  readonly rows: string;
  /** The SQL of the logged form of the text of a row. */
  readonly tokens: string;
  /** The number of rows of a step. */
  readonly count: number;
}

/**
 * Adds the next rows, in a transaction of the caller: until the time is up, or before a text that is to be analyzed
 * elsewhere. `isDone`: the index has all rows.
 */
export function buildSegments(
  database: Database,
  { tables, sizes, rows, tokens, count }: BuildSegments,
  isTimeUp: () => boolean,
): { readonly isDone: boolean } {
  const { progress } = tables;
  const { built, last } = database.statement(`SELECT built, last FROM ${progress}`).get() ?? {};
  if (built === undefined || last === undefined || Number(built) >= Number(last)) return { isDone: true };
  const builder = new SegmentBuilder();
  const found = database
    .statement(
      `SELECT row_id, ${tokens} FROM ${rows} WHERE row_id > ? AND row_id <= ? ORDER BY row_id LIMIT ?`,
      { returnArrays: true },
    )
    .iterate([built, last, count]);
  let [read, through] = [0, Number(built)];
  let [isFirstWanted, isStopped] = [false, false];
  for (const [row, logged] of found) {
    if (Number(row) <= through) break; // a damaged table, which would give the same rows again and again
    if (wantsTexts() && !isFirstWanted) {
      // The first row waits for its text, and those behind it are analyzed together with it; of others it is the next.
      isFirstWanted = read === 0;
      isStopped = !isFirstWanted;
      if (isStopped) {
        forgetWanted();
        break;
      }
    }
    read += 1;
    through = Number(row);
    const text = blobOrNull(logged);
    if (text !== null && !isFirstWanted) builder.add(through, text, null);
    isStopped = isTimeUp();
    if (isStopped) break;
  }
  if (!isStopped && read < count) through = Number(last);
  if (builder.texts > 0) addBuilt(database, tables, sizes, builder);
  database.statement(`UPDATE ${progress} SET built = ?`).run([through]);
  return { isDone: false };
}
