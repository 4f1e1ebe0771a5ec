// Sorts by words: parses the text of a text search (wire: Sort on tables, text search).
import type { JsonObject } from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import type { Table } from '../schema/table.js';
import { searchedIndexOn, tokensToFind, type WordSearch } from './word-search.js';

/**
 * The search of a sort clause whose only member is a text for a column with a text index. Undefined for any other
 * clause.
 * @throws ApiError scope SORT
 */
export function parseWordSort(
  json: JsonObject | undefined,
  table: Table,
  skip: number | undefined,
): WordSearch | undefined {
  if (json?.size !== 1) return undefined;
  const [[name, text] = ['', null]] = json;
  const column = table.columnsByName.get(name);
  if (column === undefined || typeof text !== 'string') return undefined;
  const index = searchedIndexOn(table, column);
  if (index === undefined) return undefined;
  if (skip !== undefined) throw apiError('sort', 'CANNOT_LEXICAL_SORT_WITH_SKIP_OPTION', {});
  const invalid = (problem: string) =>
    apiError('sort', 'SORT_CLAUSE_VALUE_INVALID', { column: index.column, problem });
  const tokens = tokensToFind(text, index.analyzer, invalid);
  if (tokens.length === 0) throw invalid('its analyzer finds no words in the text');
  return { kind: 'words', column: index.column, index, tokens };
}
