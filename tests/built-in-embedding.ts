// For tests with texts to embed: the built-in providers alone, and no keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeEmbedder } from '../src/data-service/commands/embed-texts.js';
import { asKnown, makeCatalogue } from '../src/data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../src/data-service/embedding/check-embedding-service.js';
import { colonnade } from '../src/data-service/embedding/providers/colonnade.js';
import { systemClock } from '../src/foundation/telemetry/clock.js';
import { withoutEmbedding } from './without-embedding.js';

const catalogue = makeCatalogue(asKnown([colonnade]), 'local');
const refuse = () => Promise.reject(new Error('there are no local models'));
const withoutModels = { embed: refuse, rank: refuse };
const effects = {
  send: () => Promise.reject(new Error('the built-in provider sends nothing')),
  clock: systemClock,
  sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  random: () => 0,
  localModels: withoutModels,
};

/** The options of embedding for runCommand. */
export const builtInEmbedding: typeof withoutEmbedding = {
  ...withoutEmbedding,
  embedder: makeEmbedder({ catalogue, findKey: () => undefined, effects }),
  checkEmbeddingService: makeCheckEmbeddingService({ catalogue, findKey: () => undefined }),
};
