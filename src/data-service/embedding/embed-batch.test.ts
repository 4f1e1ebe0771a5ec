// Checks batches, order, attempts and time, with a provider whose replies the test sets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EmbeddingTask, embedBatches } from './embed-batch.js';
import { fixedModel, makeEntry } from './entry-parts.js';
import type { EmbeddingProvider, TextBatch } from './provider.js';
import { ProviderFailure } from './provider-failure.js';
import type { BatchEffects } from './run-batches.js';

type Embed = (batch: TextBatch) => Promise<readonly Float32Array[]>;

const vectorsOf: Embed = async ({ texts }) => texts.map((text) => Float32Array.of(Number(text)));

function taskOf(count: number, embed: Embed, maxBatchSize = 3): EmbeddingTask {
  const model = fixedModel('m', 1);
  const entry = makeEntry({ displayName: 'P', url: null, models: [model], limits: { maxBatchSize } });
  const provider: EmbeddingProvider = { name: 'p', help: 'P.', entry, embed };
  const texts = Array.from({ length: count }, (_, at) => String(at));
  const rest = { dimension: 1, parameters: {}, credential: undefined, purpose: 'passage' } as const;
  return { provider, entry, model, texts, ...rest };
}

/** A clock that only sleeping and `pass` advance. */
function effects(): BatchEffects & { pass(ms: number): void } {
  let nowMs = 0;
  return {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    send: async () => Promise.reject(new Error('nothing is sent here')),
    localModels: {
      embed: async () => Promise.reject(new Error('there are no local models')),
      rank: async () => Promise.reject(new Error('there are no local models')),
    },
    random: () => 1,
    sleep: async (ms) => {
      nowMs += ms;
    },
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

describe('embedBatches', () => {
  it('keeps the order, whatever the sizes and whichever batch is done first', async () => {
    for (const count of [1, 2, 3, 4, 100]) {
      const late: Embed = async (batch) => {
        for (let turn = 0; turn < (Number(batch.texts[0]) * 7) % 5; turn += 1) await Promise.resolve();
        assert.ok(batch.texts.length >= 1 && batch.texts.length <= 3);
        return vectorsOf(batch);
      };
      const vectors = await embedBatches(taskOf(count, late), effects());
      assert.deepEqual(
        vectors.map(([element]) => element),
        Array.from({ length: count }, (_, at) => at),
      );
    }
  });

  it('has at most 8 requests under way', async () => {
    let underWay = 0;
    let most = 0;
    const counting: Embed = async (batch) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return vectorsOf(batch);
    };
    await embedBatches(taskOf(100, counting, 1), effects());
    assert.equal(most, 8);
  });

  it('gives each request its own time limit, and the last ones what is left of all time', async () => {
    const limits: number[] = [];
    const world = effects();
    const slow: Embed = async ({ timeoutMs }) => {
      limits.push(timeoutMs);
      world.pass(timeoutMs);
      throw new ProviderFailure('timeout', 'slow');
    };
    await assert.rejects(embedBatches(taskOf(1, slow), world), { problem: 'timeout' });
    assert.deepEqual(limits, [5000, 3900]);
  });

  it('ends the other requests when the last attempt of one fails, and starts no more', async () => {
    const started: string[] = [];
    let ended = 0;
    const failing: Embed = async ({ texts: [text = ''], signal }) => {
      started.push(text);
      if (text === '3') throw new ProviderFailure('clientError', 'no');
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended += 1;
          reject(new ProviderFailure('unreachable', 'given up'));
        });
      });
      return [];
    };
    await assert.rejects(embedBatches(taskOf(20, failing, 1), effects()), { problem: 'clientError' });
    await new Promise(setImmediate);
    assert.equal(ended, 7);
    assert.deepEqual(started, ['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  it('passes an internal error on unchanged', async () => {
    const broken: Embed = async () => Promise.reject(new TypeError('a bug'));
    await assert.rejects(embedBatches(taskOf(1, broken), effects()), new TypeError('a bug'));
  });
});
