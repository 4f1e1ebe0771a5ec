// For tests of the road that have no texts to embed: no providers and no keys.
import { makeEmbedder } from '../src/data-service/commands/embed-texts.js';
import type { RoadOptions } from '../src/data-service/commands/run-command.js';
import { makeCatalogue } from '../src/data-service/embedding/catalogue.js';
import { makeCheckVectorizer } from '../src/data-service/embedding/check-vectorizer.js';

const catalogue = makeCatalogue(new Map(), 'local');
const fail = () => Promise.reject(new Error('there is nothing to embed with'));

/** What the road asks for; every service is refused. */
export const withoutEmbedding: Pick<RoadOptions, 'embedder' | 'checkVectorizer'> = {
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
  checkVectorizer: makeCheckVectorizer({ catalogue, membersOfKey: () => undefined }),
};
