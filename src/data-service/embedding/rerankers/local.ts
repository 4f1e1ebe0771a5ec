// Models in files of this machine that rank passages, in the directory that --models names.
import { rerankingEntry } from '../entry-parts.js';
import type { RerankingEntry, RerankingProvider } from '../reranking-provider.js';

/** The limits of local models: waiting has an end of its own, and what fails here fails again. */
const limits = { maxBatchSize: 100, timeoutMs: 9_000, maxAttempts: 1 };

/** Its entry gets the models from `withLocalRerankers`. */
export const local: RerankingProvider = {
  name: 'local',
  help: 'Trained models (cross-encoders) in files of this machine, in the directory of `--models`. Needs no key and no network.',
  entry: {
    ...rerankingEntry({
      displayName: 'Local models (files of this machine)',
      url: null,
      authentication: { none: true, header: false, sharedSecret: false },
      secrets: [],
      models: [],
      limits,
    }),
    isEnabled: false,
    wayToEnable: 'start it with --models DIRECTORY, which must have a model that ranks passages',
  },
  rank: async ({ model, query, passages, timeoutMs, signal, onCut }, { localModels }) => {
    const texts = passages.map(({ text }) => text);
    const wanted = { model: model.name, query, passages: texts, timeoutMs, signal };
    const { scores, cut } = await localModels.rank(wanted);
    if (cut !== undefined) onCut?.(cut);
    return scores;
  },
};

/** The entry of a server that has these models. */
export function withLocalRerankers(names: readonly string[]): RerankingEntry {
  const models = names.map((name) => ({ name, status: 'SUPPORTED', statusMessage: null }) as const);
  return { ...local.entry, isEnabled: models.length > 0, models };
}
