// The reranking service of collections that name none, and how findRerankingProviders marks it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asKnown, makeCatalogue } from './catalogue.js';
import { describeRerankers } from './describe-providers.js';
import { rerankingProviders } from './rerankers/registry.js';
import { makeRerankers } from './rerankers.js';
import type { RerankingEntry, RerankingProvider } from './reranking-provider.js';

/** The providers of a server whose providers file changes some of them. */
function catalogueWith(changes: Readonly<Record<string, Partial<RerankingEntry>>>) {
  const changed = rerankingProviders.map(
    (provider): RerankingProvider => ({
      ...provider,
      entry: { ...provider.entry, ...changes[provider.name] },
    }),
  );
  return makeCatalogue(asKnown(changed), 'region');
}

/** The providers and models that are marked, as `provider/model`. */
function marked(catalogue: ReturnType<typeof catalogueWith>): readonly string[] {
  const described = JSON.parse(describeRerankers(catalogue, ['SUPPORTED', 'DEPRECATED'])) as Record<
    string,
    { isDefault: boolean; models: { name: string; isDefault: boolean }[] }
  >;
  return Object.entries(described).flatMap(([name, { isDefault, models }]) =>
    isDefault ? models.filter((model) => model.isDefault).map((model) => `${name}/${model.name}`) : [],
  );
}

const on = { isEnabled: true, regions: null, url: 'http://127.0.0.1:1/' } as const;

describe('the default reranker', () => {
  for (const [name, changes, expected] of [
    ['of a server without a providers file', {}, 'colonnade/reciprocal-rank-fusion'],
    [
      'is never one that is switched off',
      { colonnade: { isEnabled: false }, nvidia: on },
      'nvidia/nvidia/llama-3.2-nv-rerankqa-1b-v2',
    ],
    [
      'does not exist if all are switched off',
      { colonnade: { isEnabled: false }, nvidia: { isEnabled: false } },
      '',
    ],
  ] as const)
    it(`${name}: ${expected}`, () => {
      const catalogue = catalogueWith(changes);
      const { defaultRerank } = makeRerankers(catalogue);
      const chosen =
        defaultRerank === undefined ? [] : [`${defaultRerank.provider}/${defaultRerank.modelName}`];
      assert.deepEqual(chosen, expected === '' ? [] : [expected]);
      assert.deepEqual(marked(catalogue), chosen);
    });

  it('has a model that is supported', () => {
    const [first] = rerankingProviders;
    const models = [
      { name: 'old', status: 'DEPRECATED', statusMessage: null },
      { name: 'new', status: 'SUPPORTED', statusMessage: null },
    ] as const;
    const catalogue = catalogueWith({ [first?.name ?? '']: { models } });
    assert.deepEqual(makeRerankers(catalogue).defaultRerank, { provider: first?.name, modelName: 'new' });
    assert.deepEqual(marked(catalogue), [`${first?.name}/new`]);
  });
});
