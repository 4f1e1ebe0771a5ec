// Requests that begin again, on the thread for large requests or with another plan, ask for the vector of a text once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LargeRequestThreadClient } from '../../src/bin/large-requests/large-request-thread-client.js';
import { makeEmbedder } from '../../src/data-service/commands/embed-texts.js';
import { asKnown, makeCatalogue } from '../../src/data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../../src/data-service/embedding/check-embedding-service.js';
import type { EmbeddingProvider } from '../../src/data-service/embedding/provider.js';
import { colonnade } from '../../src/data-service/embedding/providers/colonnade.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { loadConfig } from '../../src/foundation/config/load-config.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { withoutEmbedding } from '../without-embedding.js';
import { type InProcessServer, serveEngine } from './in-process-server.js';

/** The texts that were embedded. */
const embedded: string[] = [];
const provider: EmbeddingProvider = {
  ...colonnade,
  embed: async (batch, effects) => {
    if (batch.texts.includes('zeros')) return batch.texts.map(() => new Float32Array(64));
    embedded.push(...batch.texts);
    const longer = batch.texts.filter((text) => text.length > 20).length;
    if (longer > 0) batch.onCut?.({ count: longer, mostTokens: 20 });
    return colonnade.embed(batch, effects);
  },
};
const catalogue = makeCatalogue(asKnown([provider]), 'local');
const refuse = () => Promise.reject(new Error('this is not called'));
const embedding = {
  ...withoutEmbedding,
  embedder: makeEmbedder({
    catalogue,
    findKey: () => undefined,
    effects: {
      send: refuse,
      clock: systemClock,
      sleep: refuse,
      random: () => 0,
      localModels: { embed: refuse, rank: refuse },
    },
  }),
  checkEmbeddingService: makeCheckEmbeddingService({ catalogue, findKey: () => undefined }),
};

describe('a text to embed', { timeout: 60_000 }, () => {
  /** How many writes of the thread for large requests are refused as if the schema had changed. */
  let outdated = 0;
  let server: InProcessServer;
  let close = async () => {};
  before(async () => {
    const dataDirectory = newDataDirectory();
    const engine = await openEmbedded(dataDirectory, { mostBytesOfRead: 2_000 });
    const { host } = engine;
    const calls: typeof host = {
      ...host,
      writeDocuments: (write) => {
        outdated -= 1;
        if (outdated >= 0) throw new EngineError('schemaChanged', 'another command changed it');
        return host.writeDocuments(write);
      },
    };
    const config = loadConfig(['--data-dir', dataDirectory, '--log-level', 'silent'], {
      environment: {},
      readFile: () => '{}',
    });
    const largeRequests = new LargeRequestThreadClient({
      data: {
        config,
        pageStateKey: Buffer.alloc(32),
        localModels: [],
        providersText: undefined,
        readTimeoutMs: 10_000,
        shared: undefined,
      },
      hostThread: () => ({ calls, ended: () => {} }),
      ...embedding,
      watch: { counter: new Traffic() },
    });
    server = await serveEngine(engine, { ...embedding, largeRequests });
    close = async () => {
      await largeRequests.close();
      await server.close();
    };
    const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };
    const createCollection = { name: 'docs', options: { vector: { dimension: 64, service } } };
    await server.client.mustSend('/default_keyspace', { createCollection });
  });
  after(() => close());

  const send = async (command: object) => {
    embedded.length = 0;
    return server.client.mustSend('/default_keyspace/docs', command);
  };

  it('is not embedded again for another plan of a large request', async () => {
    outdated = 2;
    const documents = Array.from({ length: 20 }, (_, at) => {
      return { _id: at, $vectorize: `house ${at}`, more: 'x'.repeat(8_000) };
    });
    await send({ insertMany: { documents } });
    assert.ok(outdated < 0, 'it was planned again');
    assert.deepEqual(
      embedded,
      documents.map(({ $vectorize }) => $vectorize),
    );
  });

  it('is not embedded again on the thread for large requests, and keeps its warning there', async () => {
    const text = 'a house of more than twenty letters';
    const { data, status } = await send({ find: { sort: { $vectorize: text }, options: { limit: 20 } } });
    assert.equal(data?.documents?.length, 20);
    assert.deepEqual(embedded, [text]);
    assert.match(JSON.stringify(status), /TEXTS_CUT_BY_MODEL/);
  });

  it('is refused in a sort by cosine where its provider gives a vector without a direction', async () => {
    const command = { find: { sort: { $vectorize: 'zeros' }, options: { includeSimilarity: true } } };
    const { body } = await server.client.send('/default_keyspace/docs', command);
    const [error] = body.errors ?? [];
    assert.equal(error?.errorCode, 'SORT_CLAUSE_VALUE_INVALID');
    assert.match(error.message, /"\$vectorize"/);
  });
});
