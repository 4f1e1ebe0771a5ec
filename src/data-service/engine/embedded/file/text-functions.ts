// SQL functions of text indexes: the tokens of a stored text, for the triggers that keep the postings.
import type { SqlFunctions } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text } from '../../../column-types/text.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';

/** The number of bits of a length: more than any text has tokens. */
export const lengthBits = 25;

/** The tokens of a text. */
interface TokensOfText {
  readonly stored: SqlValue;
  readonly definition: SqlValue;
  readonly json: string;
  readonly length: number;
}

/** Triggers need the same tokens several times one after another. */
let last: TokensOfText = { stored: null, definition: null, json: '[]', length: 0 };

/**
 * By name. Arguments: a stored text and the definition of an analyzer. `text_tokens`: a JSON array with a string for
 * each different token: its number of occurrences times 2^25 plus the number of all tokens, a space, the token.
 * `text_length`: the number of all tokens. Null has none.
 */
export const textFunctions: SqlFunctions = {
  text_tokens: (stored, definition) => tokensOf(stored, definition).json,
  text_length: (stored, definition) => tokensOf(stored, definition).length,
};

function tokensOf(stored: SqlValue, definition: SqlValue): TokensOfText {
  if (last.stored === stored && last.definition === definition) return last;
  last = readTokens(stored, definition);
  return last;
}

function readTokens(stored: SqlValue, definition: SqlValue): TokensOfText {
  if (typeof stored !== 'string') return { stored, definition, json: '[]', length: 0 };
  const tokens = analyzerOf(String(definition)).analyze(String(text.sql.decode(stored)));
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const { length } = tokens;
  const packed = [...counts].map(
    ([token, count]) => `${count * 2 ** lengthBits + length} ${text.sql.encode(token)}`,
  );
  return { stored, definition, json: JSON.stringify(packed), length };
}
