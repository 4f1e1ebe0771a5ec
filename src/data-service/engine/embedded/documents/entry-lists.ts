// Many ranges of entries as one bound value. A statement with a part for each range takes milliseconds to prepare and
// some kilobytes for each of them while it is kept.
import type { EntryRange } from '../../../documents/entries.js';
import { packEntryKey, packEntryPath } from '../file/entry-keys.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { type EntriesOwner, sqlEntries, sqlPaths, sqlSegments } from '../file/sql-names.js';

/** Up to here, statements have a part for each range: then they find the next entries of each without a sort. */
export const mostWritten = 20;

/**
 * The entries of any of the ranges in the segments of documents with numbers above one, as `entriesOf`, but in no
 * order; a document can have several.
 */
export function entriesOfList(
  table: EntriesOwner,
  ranges: readonly EntryRange[],
  above: number,
): SqlFragment {
  const segments = sqlSegments(table);
  const listed =
    'WITH listed AS MATERIALIZED (SELECT known.id AS path, entry_key(value ->> 1) AS low, ' +
    `entry_key(value ->> 2) AS high FROM json_each(?) CROSS JOIN ${sqlPaths(table)} AS known ` +
    'ON known.path = value ->> 0) SELECT * FROM listed';
  const packed = ranges.map(({ path, low, high }) => [
    packEntryPath(path),
    packEntryKey(low),
    packEntryKey(high),
  ]);
  return {
    sql:
      `(${listed}) AS range CROSS JOIN ${segments} AS segment CROSS JOIN ${sqlEntries(table)} AS entry ` +
      `WHERE segment.first >= (SELECT coalesce(max(first), 0) FROM ${segments} WHERE first <= ?) ` +
      'AND entry.segment = segment.id AND entry.path = range.path ' +
      'AND entry.value >= range.low AND entry.value <= range.high AND entry.document > ?',
    values: [JSON.stringify(packed), above + 1, above],
  };
}
