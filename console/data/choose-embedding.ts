// Which embedding service samples get: that of a local model where the server has one.
import { isList, memberAt, plainText } from '../json/exact-json.js';
import { builtInEmbedding } from './built-in-embedding.js';
import { sendCommand } from './command.js';

/** A service, and what a search by it does. */
export interface EmbeddingChoice {
  readonly service: { readonly provider: string; readonly modelName: string };
  /** A sentence for people. */
  readonly words: string;
}

const local = 'local';

/** The first local model, or the built-in provider. @throws RequestFailure */
export async function chooseEmbedding(): Promise<EmbeddingChoice> {
  const { status } = await sendCommand({ target: {}, name: 'findEmbeddingProviders', body: {} });
  const models = memberAt(status, 'embeddingProviders', local, 'models');
  const modelName = isList(models) ? plainText(memberAt(models[0], 'name')) : '';
  if (modelName === '')
    return { service: builtInEmbedding, words: 'Its search compares letters and words, not meaning.' };
  return { service: { provider: local, modelName }, words: `Its search uses the local model ${modelName}.` };
}
