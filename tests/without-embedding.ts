// For tests of commands without texts to embed: no providers, except the built-in reranker, and no keys.
import { makeEmbedder } from '../src/data-service/commands/embed-texts.js';
import { makeReranker } from '../src/data-service/commands/rank-documents.js';
import type { RunCommandOptions } from '../src/data-service/commands/run-command.js';
import { asKnown, type EmbeddingCatalogue, makeCatalogue } from '../src/data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../src/data-service/embedding/check-embedding-service.js';
import { colonnade } from '../src/data-service/embedding/rerankers/colonnade.js';

const catalogue: EmbeddingCatalogue = makeCatalogue(new Map(), 'local');
const fail = () => Promise.reject(new Error('there is nothing to embed with'));
const parts = {
  findKey: () => undefined,
  effects: {
    send: fail,
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    sleep: fail,
    random: () => 0,
    localModels: { embed: fail, rank: fail },
  },
};

/** The options of embedding for runCommand; every embedding service is refused. */
export const withoutEmbedding: Pick<RunCommandOptions, 'embedder' | 'reranker' | 'checkEmbeddingService'> = {
  embedder: makeEmbedder({ catalogue, ...parts }),
  reranker: makeReranker({ catalogue: makeCatalogue(asKnown([colonnade]), 'local'), ...parts }),
  checkEmbeddingService: makeCheckEmbeddingService({ catalogue, findKey: () => undefined }),
};
