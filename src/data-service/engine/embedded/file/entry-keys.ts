// Paths and keys of entries inside a bound JSON text, and the SQL function that reads such keys.
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import { text as textType } from '../../../column-types/text.js';
import type { EntryKey } from '../../../documents/entries.js';

/** `entry_key(packed)`: the key of a text of `packEntryKey`. */
export const entryFunctions: SqlFunctions = {
  entry_key: (packed) => {
    const text = String(packed).slice(1);
    switch (String(packed).charAt(0)) {
      case 'n':
        return Number(text);
      case 'b':
        return Buffer.from(text, 'base64');
      default:
        return text;
    }
  },
};

/** Not a number of JSON: SQLite's conversion of a text can differ from the double by one in the last place. */
export function packEntryKey(key: EntryKey): string {
  if (key instanceof Uint8Array) return `b${Buffer.from(key).toString('base64')}`;
  return typeof key === 'string' ? `s${asBound(key)}` : `n${key}`;
}

/** A path in the form of the table of paths. */
export function packEntryPath(path: string): string {
  return asBound(String(textType.sql.encode(path)));
}

/** The driver replaces a lone surrogate in a bound text; JSON would keep it. */
function asBound(text: string): string {
  return text.isWellFormed() ? text : Buffer.from(text).toString();
}
