// Checks that the texts of a command are embedded once each, by group, and not again when it is planned again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { vectorOf } from '../column-types/vector.js';
import { asKnown, makeCatalogue } from '../embedding/catalogue.js';
import { fixedModel, makeEntry } from '../embedding/entry-parts.js';
import type { EmbeddingProvider, TextBatch } from '../embedding/provider.js';
import { ProviderFailure } from '../embedding/provider-failure.js';
import { ApiError } from '../errors/api-error.js';
import { makeColumn } from '../schema/table.js';
import { makeEmbedder, type TextToEmbed, textToEmbed } from './embed-texts.js';

/** A provider that returns the lengths of texts and records its requests. */
function setUp(fail = false) {
  const batches: TextBatch[] = [];
  const provider: EmbeddingProvider = {
    name: 'p',
    help: 'P.',
    entry: makeEntry({
      displayName: 'P',
      url: null,
      authentication: { none: true, header: true, sharedSecret: false },
      models: [fixedModel('m', 1), fixedModel('n', 1)],
      limits: { maxBatchSize: 10 },
    }),
    embed: async (batch) => {
      batches.push(batch);
      if (fail) throw new ProviderFailure('clientError', 'no');
      const count = batch.texts.filter((text) => text.length > 4).length;
      if (count > 0) batch.onCut?.({ count, mostTokens: 4 });
      return batch.texts.map((text) => Float32Array.of(text.length));
    },
  };
  const embedder = makeEmbedder({
    catalogue: makeCatalogue(asKnown([provider]), 'local'),
    findKey: () => undefined,
    effects: {
      send: async () => Promise.reject(new Error('nothing is sent here')),
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      sleep: async () => {},
      random: () => 0,
      localModels: {
        embed: async () => Promise.reject(new Error('there are no local models')),
        rank: async () => Promise.reject(new Error('there are no local models')),
      },
    },
  });
  return { batches, embedTexts: embedder.embedTextsFor(() => undefined) };
}

function toEmbed(text: string, purpose: TextToEmbed['purpose'] = 'passage', modelName = 'm'): TextToEmbed {
  const service = { provider: 'p', modelName, authentication: {}, parameters: {} };
  const definition = { name: 'v', type: vectorOf(1), service: { ...service, isEnabled: true } };
  return textToEmbed(makeColumn(1, definition), text, purpose);
}

describe('an embedder', () => {
  it('gives the vectors in the order of the texts, each different text embedded once', async () => {
    const { batches, embedTexts } = setUp();
    const { vectors } = await embedTexts(['aa', 'b', 'aa', 'cccc'].map((text) => toEmbed(text)));
    assert.deepEqual(
      vectors.map(([element]) => element),
      [2, 1, 2, 4],
    );
    assert.deepEqual(
      batches.map(({ texts }) => texts),
      [['aa', 'b', 'cccc']],
    );
  });

  it('embeds apart what has another model or purpose', async () => {
    const { batches, embedTexts } = setUp();
    await embedTexts([toEmbed('a'), toEmbed('a', 'query'), toEmbed('a', 'passage', 'n')]);
    assert.deepEqual(
      batches.map(({ model, purpose, texts }) => [model.name, purpose, texts]),
      [
        ['m', 'passage', ['a']],
        ['m', 'query', ['a']],
        ['n', 'passage', ['a']],
      ],
    );
  });

  it('does not embed the same texts again when the command is planned again', async () => {
    const { batches, embedTexts } = setUp();
    await embedTexts([toEmbed('a')]);
    const { vectors } = await embedTexts([toEmbed('bb'), toEmbed('a')]);
    assert.deepEqual(vectors, [Float32Array.of(2), Float32Array.of(1)]);
    assert.deepEqual(
      batches.map(({ texts }) => texts),
      [['a'], ['bb']],
    );
  });

  it('counts the texts that a model did not read to their end, each once', async () => {
    const { embedTexts } = setUp();
    const long = ['aaaaa', 'aaaaa', 'b', ...Array.from({ length: 30 }, (_, at) => 'c'.repeat(5 + at))];
    const { cuts } = await embedTexts(long.map((text) => toEmbed(text)));
    assert.deepEqual(cuts, [{ provider: 'p', model: 'm', count: 31, mostTokens: 4 }]);
    assert.deepEqual((await embedTexts(long.map((text) => toEmbed(text)))).cuts, []);
  });

  it('rejects with an error for the client when the provider fails', async () => {
    const { embedTexts } = setUp(true);
    await assert.rejects(embedTexts([toEmbed('a')]), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.code, error.scope], ['EMBEDDING_PROVIDER_CLIENT_ERROR', 'EMBEDDING_PROVIDER']);
      return true;
    });
  });
});
