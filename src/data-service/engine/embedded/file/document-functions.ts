// SQL functions for documents: whether a stored document matches a filter.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text as textType } from '../../../column-types/text.js';
import { fromColumns } from '../../../documents/document-columns.js';
import { comparisonsOf, type DocumentFilter, readsWords } from '../../../documents/document-filter.js';
import { matchesDocument } from '../../../documents/match-filter.js';
import { packFilter, unpackFilter } from '../../../documents/pack-filter.js';
import type { DocumentComparison } from '../../../query/filter.js';
import { collectionColumns } from '../../../schema/collection.js';
import { type Analyzer, analysisUnits } from '../../../text-analysis/analyzer.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import type { SqlFragment } from './sql-fragment.js';
import { sqlColumn } from './sql-names.js';

interface Matcher {
  readonly filter: DocumentFilter;
  readonly analyzer: Analyzer | undefined;
  /** What a character of a document and one of its `$lexical` count as. */
  readonly costs: { readonly text: number; readonly lexical: number };
}

/** So many comparisons take about as long as decoding the document that they compare. */
const freeComparisons = 4;
/** With a usual tokenizer, analyzing a text takes about as long as decoding one of so many times its length. */
const analysisCost = 5;

/** The filters of recent statements: a statement calls the function for each row. */
const matchers = new GenerationCache<Matcher>(100);

/** The number of characters of documents that this thread may still compare; undefined: any. */
const compared: { left: number | undefined } = { left: undefined };

/**
 * Makes a function that does the same as `work`, or returns undefined if its statements compare documents of more than
 * `characters` in all: then it is given up before the document that exceeds them. Characters count several times for
 * a filter with many comparisons. Errors that SQLite makes of this do not leave the function.
 */
export function withComparedLimit<Given, Result>(
  characters: number,
  work: (given: Given) => Result,
): (given: Given) => Result | undefined {
  return (given) => {
    compared.left = characters;
    try {
      return work(given);
    } catch (error) {
      if (compared.left >= 0) throw error;
      return undefined;
    } finally {
      compared.left = undefined;
    }
  };
}

function countCompared(text: SqlValue | undefined, lexical: SqlValue | undefined, { costs }: Matcher): void {
  if (compared.left === undefined) return;
  compared.left -= lengthOf(text) * costs.text + lengthOf(lexical) * costs.lexical;
  if (compared.left < 0) throw new RangeError('the documents to compare are too large');
}

function lengthOf(text: SqlValue | undefined): number {
  return typeof text === 'string' ? text.length : 0;
}

/** `document_matches(text, reserved, lexical, filter, analyzer)`: 1 or 0; the first three are columns. */
export const documentFunctions: SqlFunctions = {
  document_matches: (text, reserved, lexical, filter, analyzer) => {
    const matcher = getOrMake(matchers, `${analyzer ?? ''}\n${filter}`, () =>
      unpackMatcher(filter, analyzer),
    );
    countCompared(text, lexical, matcher);
    const document = fromColumns({
      text: decoded(text) ?? '{}',
      reserved: decoded(reserved),
      vector: undefined,
      lexical: decoded(lexical),
    });
    return matchesDocument(matcher.filter, document, matcher.analyzer) ? 1 : 0;
  },
};

function unpackMatcher(packed: SqlValue | undefined, analyzer: SqlValue | undefined): Matcher {
  const filter = unpackFilter(textType.sql.decode(String(packed)));
  const known = typeof analyzer === 'string' ? analyzerOf(textType.sql.decode(analyzer)) : undefined;
  return {
    filter,
    analyzer: known,
    costs: {
      text: Math.max(1, comparisonsOf(filter) / freeComparisons),
      lexical: readsWords(filter) && known !== undefined ? analysisUnits(analysisCost, known) : 0,
    },
  };
}

function decoded(value: SqlValue | undefined): string | null {
  return typeof value === 'string' ? textType.sql.decode(value) : null;
}

/** The condition for the documents that match. */
export function documentCondition({ collection, filter, analyzer }: DocumentComparison): SqlFragment {
  const { document, reserved, lexical } = collectionColumns(collection);
  const columns = [
    sqlColumn(document),
    sqlColumn(reserved),
    lexical === undefined ? 'NULL' : sqlColumn(lexical),
  ];
  return {
    sql: `document_matches(${columns.join(', ')}, ?, ?)`,
    values: [
      textType.sql.encode(packFilter(filter)),
      analyzer === undefined ? null : textType.sql.encode(analyzer.definition),
    ],
  };
}
