// The look-ups of filters: how many there are, and the terms of each.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import type { DocumentFilter } from '../../../documents/document-filter.js';
import { parseDocumentFilter } from '../../../documents/parse-document-filter.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { presenceTerm, tokenTerm, valueTerm } from './entry-terms.js';
import { lookupsOf, mostOfRange } from './filter-lookups.js';

const analyzer = analyzerOf('"standard"');

function filterOf(value: unknown): DocumentFilter {
  const json = parseJson(JSON.stringify(value), { maxDepth: 100, maxNumberLength: 100 });
  return parseDocumentFilter(json, { keyspace: 'k', table: 'c', lexical: 'enabled' }).filter;
}

function lookups(value: unknown) {
  return lookupsOf(filterOf(value), { most: mostOfRange, analyzer });
}

function counts(value: unknown): readonly number[] | undefined {
  return lookups(value)?.map((lookup) => lookup.length);
}

describe('the look-ups of a filter', () => {
  it('are one for a value, also where it can be an element or in an array', () => {
    assert.deepEqual(lookups({ a: 'x' }), [[valueTerm('a', 'x')]]);
    assert.deepEqual(lookups({ 'a.0.b': 'x' }), [[valueTerm('a.b', 'x')]]);
    assert.deepEqual(lookups({ a: { $exists: true } }), [[presenceTerm('a')]]);
  });

  it('are one for conditions that must all be true, with a term of each', () => {
    assert.deepEqual(counts({ a: 'x', b: { $size: 2 }, c: { $all: [1, 2] }, d: { $ne: 1 } }), [4]);
    assert.deepEqual(counts({ a: { $all: [1, 2, 3, 4, 5, 6, 7, 8, 9] } }), [8]);
  });

  it('are one for each different value of a list', () => {
    assert.deepEqual(counts({ a: { $in: [1, 1.0, 2, 'x'] } }), [1, 1, 1]);
    assert.deepEqual(counts({ a: { $in: [] } }), []);
    assert.deepEqual(counts({ a: { $in: Array.from({ length: 100 }, (_, at) => at) } })?.length, 100);
  });

  it('are those of the branches of an or, if all of them have some', () => {
    assert.deepEqual(counts({ $or: [{ a: 1 }, { b: { $in: [1, 2] } }, { c: 1, d: 2 }] }), [1, 1, 1, 2]);
    assert.equal(lookups({ $or: [{ a: 1 }, { b: { $ne: 1 } }] }), undefined);
  });

  it('have the terms of the other conditions beside those of a list', () => {
    assert.deepEqual(counts({ a: { $in: [1, 2] }, b: 1 }), [2, 2]);
    assert.deepEqual(counts({ a: { $in: [1, 2] }, b: { $in: [1, 2, 3] } }), [1, 1]);
  });

  it('are fewer for a range beside other terms', () => {
    const range = { a: { $gt: 990, $lt: 1_700_000 } };
    const [alone, beside] = [counts(range)?.length ?? 0, counts({ ...range, b: 1 })?.length ?? 0];
    assert.ok(alone > beside && beside <= 16 && beside > 0);
  });

  it('are as few as they must be for ranges', () => {
    const filter = filterOf({ $or: [{ a: { $gt: 990 } }, { b: { $lt: 3 } }, { c: 1 }] });
    for (const most of [3, 10, 64, 300])
      assert.ok((lookupsOf(filter, { most, analyzer }) ?? []).length <= most);
    assert.deepEqual(lookupsOf(filterOf({ a: { $gt: 990 } }), { most: 3, analyzer }), [[presenceTerm('a')]]);
  });

  it('have a term for each word of a match', () => {
    const terms = [tokenTerm('new'), tokenTerm('roof')];
    const match = { $lexical: { $match: 'New roof, new' } };
    assert.deepEqual(lookups(match), [terms]);
    assert.deepEqual(lookups({ $or: [match, { a: 1 }] }), [terms, [valueTerm('a', 1)]]);
    assert.deepEqual(lookups({ $lexical: { $match: '!' } }), []);
    assert.equal(lookupsOf(filterOf(match), { most: mostOfRange, analyzer: undefined }), undefined);
  });

  it('have the terms that are required beside those of the filter', () => {
    const required = [tokenTerm('roof')];
    const options = { most: mostOfRange, analyzer };
    assert.deepEqual(lookupsOf(filterOf({}), options, required), [required]);
    assert.deepEqual(lookupsOf(filterOf({ a: 'x' }), options, required), [
      [...required, valueTerm('a', 'x')],
    ]);
  });

  it('do not exist for conditions that most documents fulfil', () => {
    for (const filter of [
      { a: { $ne: 1 } },
      { a: { $nin: [1] } },
      { a: { $exists: false } },
      { $not: { a: 1 } },
      {},
    ])
      assert.equal(lookups(filter), undefined);
  });
});
