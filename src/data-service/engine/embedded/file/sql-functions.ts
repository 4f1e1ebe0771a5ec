// Functions of ours inside SQLite, the same on every connection to a data file: indexes are built with them.
import type { SqlFunctions } from '../../../../foundation/sqlite/open-database.js';
import { text } from '../../../column-types/text.js';
import { foldText, type TextFold } from '../../../column-types/text-fold.js';
import { vectorFunctions } from './vector-functions.js';

const bits = { ascii: 1, caseInsensitive: 2, normalize: 4 } as const;

/** Those over vectors, and `fold(text, options)`: the stored text as an index sees it; null for null. */
export const sqlFunctions: SqlFunctions = {
  ...vectorFunctions,
  fold: (stored, options) => {
    if (typeof stored !== 'string') return null;
    const given = Number(options);
    const fold: TextFold = {
      ascii: (given & bits.ascii) !== 0,
      caseSensitive: (given & bits.caseInsensitive) === 0,
      normalize: (given & bits.normalize) !== 0,
    };
    return text.sql.encode(foldText(String(text.sql.decode(stored)), fold));
  },
};

/** `fold(c3, 2)`: the SQL expression for a folded column. */
export function foldExpression(column: string, { ascii, caseSensitive, normalize }: TextFold): string {
  const options =
    (ascii ? bits.ascii : 0) + (caseSensitive ? 0 : bits.caseInsensitive) + (normalize ? bits.normalize : 0);
  return `fold(${column}, ${options})`;
}
