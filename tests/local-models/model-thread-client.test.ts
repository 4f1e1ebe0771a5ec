// The queue in front of the thread of local models: its limits, cancelled work, and a thread that ends.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { findLocalModels } from '../../src/data-service/embedding/local/find-local-models.js';
import { ModelThreadClient } from '../../src/data-service/embedding/local/model-thread-client.js';
import { ProviderFailure } from '../../src/data-service/embedding/provider-failure.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { writeStaticModel } from './model-files.js';

const directory = makeTemporaryDirectory();
writeStaticModel(directory, 'words');
const fingerprint = findLocalModels(directory).models[0]?.fingerprint ?? '';
const client = new ModelThreadClient(directory);
after(() => client.close());

const { signal } = new AbortController();
const texts = { model: 'words', fingerprint, purpose: 'passage', texts: ['boiler', 'roof'] } as const;
const wanted = { ...texts, timeoutMs: 30_000, signal };

function failed(problem: string, message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof ProviderFailure && error.problem === problem && message.test(error.message);
}

describe('the client of the thread of local models', () => {
  it('gets one vector for each text', async () => {
    const { vectors } = await client.embed(wanted);
    assert.deepEqual(
      vectors.map((vector) => [...vector]),
      [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
      ],
    );
  });

  it('refuses texts when 256 batches wait', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 300 }, () => client.embed({ ...wanted, signal: new AbortController().signal })),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(refused.length, 300 - 257);
    for (const error of refused)
      assert.ok(failed('rateLimited', /256 requests are already waiting/)(error), String(error));
  });

  it('gives texts up that are cancelled while they wait', async () => {
    const ending = new AbortController();
    const first = client.embed(wanted);
    const second = client.embed({ ...wanted, signal: ending.signal });
    ending.abort();
    await assert.rejects(second, failed('unreachable', /was cancelled/));
    assert.equal((await first).vectors.length, 2);
  });

  it('gives texts up that take too long', async () => {
    const many = Array.from({ length: 100 }, () => 'x'.repeat(60_000));
    const slow = client.embed({ ...wanted, texts: many });
    await assert.rejects(client.embed({ ...wanted, timeoutMs: 1 }), failed('timeout', /not read in 1 ms/));
    await slow;
  });

  it('names a model whose files are gone or others', async () => {
    await assert.rejects(client.embed({ ...wanted, model: 'none' }), failed('unreachable', /is missing/));
    await assert.rejects(
      client.embed({ ...wanted, fingerprint: 'x' }),
      failed('unreachable', /have changed/),
    );
  });

  it('refuses texts after its end', async () => {
    const other = new ModelThreadClient(directory);
    await other.embed(wanted);
    await other.close();
    await assert.rejects(other.embed(wanted), failed('rateLimited', /is shutting down/));
  });
});
