// For tests of commands without texts to embed: no providers and no keys.
import { makeEmbedder } from '../src/data-service/commands/embed-texts.js';
import type { RunCommandOptions } from '../src/data-service/commands/run-command.js';
import { makeCatalogue } from '../src/data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../src/data-service/embedding/check-embedding-service.js';

const catalogue = makeCatalogue(new Map(), 'local');
const fail = () => Promise.reject(new Error('there is nothing to embed with'));

/** The options of embedding for runCommand; every service is refused. */
export const withoutEmbedding: Pick<RunCommandOptions, 'embedder' | 'checkEmbeddingService'> = {
  embedder: makeEmbedder({
    catalogue,
    findKey: () => undefined,
    effects: {
      send: fail,
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      sleep: fail,
      random: () => 0,
    },
  }),
  checkEmbeddingService: makeCheckEmbeddingService({ catalogue, membersOfKey: () => undefined }),
};
