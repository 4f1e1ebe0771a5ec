// The SQL function of text indexes: the tokens of a stored text, for the triggers that log changed texts.
import { createHash } from 'node:crypto';
import type { SqlFunctions } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text } from '../../../column-types/text.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';

/** Longer tokens are indexed by their hash, so that keys in the file stay short. In characters. */
const longestKept = 200;

/**
 * `text_tokens(stored, definition)`: the tokens of a stored text by the definition of an analyzer, in bytes: fields
 * that each end with U+0000. The first one is the number of all tokens in digits; then each different token, and if it
 * occurs more than once U+0001 and the number of its occurrences in digits. Null for null. Stored texts have no U+0000,
 * and U+0001 only before U+0001 or U+0002, so that SQL finds a token without reading the others.
 */
export const textFunctions: SqlFunctions = {
  text_tokens: (stored, definition) =>
    typeof stored === 'string' ? tokensOf(stored, String(definition)) : null,
};

/** The form of a token in indexes. */
export function indexedToken(token: string): string {
  const stored = String(text.sql.encode(token));
  if (token.length <= longestKept) return stored;
  // Not a form of another token: see `text_tokens` on U+0001.
  return `\u0001 ${createHash('sha256').update(stored).digest('hex')}`;
}

function tokensOf(stored: string, definition: string): SqlValue {
  const tokens = analyzerOf(definition).analyze(String(text.sql.decode(stored)));
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  let packed = `${tokens.length}\u0000`;
  for (const [token, count] of counts)
    packed += `${indexedToken(token)}\u0000${count > 1 ? `\u0001${count}\u0000` : ''}`;
  return Buffer.from(packed);
}
