// NVIDIA: https://docs.api.nvidia.com/nim/reference/nvidia-llama-3_2-nv-rerankqa-1b-v2-infer
import { askProvider, jsonRequest, keyOf, parseReply, requireSecrets } from '../ask-provider.js';
import { bearer, rerankingEntry } from '../entry-parts.js';
import { ProviderFailure } from '../provider-failure.js';
import { membersOf } from '../provider-reply.js';
import type { RerankingProvider } from '../reranking-provider.js';

/** Replies are lists of short objects. */
const replyBytes = 1_000_000;

/** Its scores are the logits of a model. */
export const nvidia: RerankingProvider = {
  name: 'nvidia',
  help: 'The models of NVIDIA, and servers with the same API (NIM).',
  entry: rerankingEntry({
    displayName: 'NVIDIA',
    url: 'https://ai.api.nvidia.com/v1/retrieval/nvidia/llama-3_2-nv-rerankqa-1b-v2/reranking',
    models: ['nvidia/llama-3.2-nv-rerankqa-1b-v2'],
  }),
  rank: async (batch, effects) => {
    requireSecrets(batch);
    const { entry, model, query, passages, credential } = batch;
    const body = {
      model: model.name,
      query: { text: query },
      passages: passages.map(({ text }) => ({ text })),
      truncate: 'END',
    };
    const request = jsonRequest(entry.url ?? '', bearer(keyOf(batch)), body);
    return readScores(
      parseReply(await askProvider(request, batch, replyBytes, effects), credential),
      passages.length,
    );
  },
};

/** The scores of `{"rankings":[{"index":0,"logit":1.5}]}`, which are ordered by score, in the order of the passages. */
function readScores(reply: unknown, count: number): readonly number[] {
  const { rankings } = membersOf(reply);
  if (!Array.isArray(rankings)) throw unexpected('the reply has no list "rankings"');
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    const { index, logit } = membersOf(ranking);
    if (typeof index !== 'number' || typeof logit !== 'number' || !Number.isFinite(logit))
      throw unexpected('a ranking in the reply is not an "index" and a "logit"');
    scores.set(index, logit);
  }
  return Array.from({ length: count }, (_, at) => {
    const score = scores.get(at);
    if (score === undefined)
      throw unexpected(`the reply has no score for passage ${at}; it has ${rankings.length} for ${count}`);
    return score;
  });
}

function unexpected(message: string): ProviderFailure {
  return new ProviderFailure('unexpectedResponse', message);
}
