// The look-ups of reads by words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Filter, matchAll } from '../../../query/filter.js';
import { matchOperator } from '../../../query/filter-operators.js';
import type { ReadPlan } from '../../../query/read.js';
import { collectionColumns } from '../../../schema/collection.js';
import { anyTextIndexOn } from '../../../schema/table.js';
import { unbuiltTerms, withoutTokens } from '../schema/engine-state.js';
import { collectionNamed } from './collection-layout.js';
import { anyToken, tokenTerm } from './entry-terms.js';
import { pathOfDocuments } from './lookup-path.js';

const collection = collectionNamed({ id: 1, version: 1, keyspace: 'shop' }, 'people', {
  lexical: { analyzer: '"whitespace"' },
});
const { lexical, document } = collectionColumns(collection);
assert.ok(lexical);
const index = anyTextIndexOn(collection, lexical);
assert.ok(index);

/** A plan that searches for tokens, if there is a list of them, among the texts that have others. */
function planOf(
  tokens: readonly string[] | undefined,
  matched: readonly string[],
  table = collection,
): ReadPlan {
  assert.ok(lexical !== undefined && index !== undefined);
  const { analyzer } = index;
  const match: Filter = {
    kind: 'comparison',
    column: lexical,
    operator: matchOperator,
    analyzer,
    operands: matched,
  };
  return {
    table,
    columns: [document],
    filter: matched.length === 0 ? matchAll : match,
    order: null,
    page: { after: null, limit: 10, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: tokens === undefined ? null : { kind: 'words', column: lexical, index, tokens },
  };
}

function lookupsOf(plan: ReadPlan): unknown {
  return pathOfDocuments(plan)?.sources.map(({ lookup }) => lookup);
}

describe('the path of a read by words', () => {
  it('is one look-up with the words of the search and of the filter', () => {
    assert.deepEqual(lookupsOf(planOf(['a', 'b', 'a'], [])), [[tokenTerm('a'), tokenTerm('b')]]);
    assert.deepEqual(lookupsOf(planOf(undefined, ['b'])), [[tokenTerm('b')]]);
    assert.deepEqual(lookupsOf(planOf(['a'], ['b'])), [[tokenTerm('a'), tokenTerm('b')]]);
  });

  it('finds every text for a search without words', () => {
    assert.deepEqual(lookupsOf(planOf([], [])), [[tokenTerm(anyToken)]]);
  });

  it('is that of all documents where their terms lack words, or are not indexed yet', () => {
    for (const engineState of [withoutTokens, unbuiltTerms])
      assert.equal(lookupsOf(planOf(['a'], ['b'], { ...collection, engineState })), undefined);
    assert.equal(lookupsOf(planOf(undefined, [])), undefined);
  });
});
