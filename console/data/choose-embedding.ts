// Which embedding service samples get: that of a local model where the server has one.
import { isList, memberAt, plainText } from '../json/exact-json.js';
import { sendCommand } from './command.js';
import { builtInModel, type EmbeddingService, serviceOf } from './embedding-service.js';

/** A service, and what a search by it does. */
export interface EmbeddingChoice {
  readonly service: EmbeddingService;
  /** A sentence for people. */
  readonly words: string;
}

/** The names of the local models that make vectors. @throws RequestFailure */
export async function loadLocalModels(): Promise<readonly string[]> {
  const { status } = await sendCommand({ target: {}, name: 'findEmbeddingProviders', body: {} });
  const models = memberAt(status, 'embeddingProviders', 'local', 'models');
  return isList(models) ? models.map((model) => plainText(memberAt(model, 'name'))) : [];
}

/** The first local model, or the built-in provider. @throws RequestFailure */
export async function chooseEmbedding(): Promise<EmbeddingChoice> {
  const [model = builtInModel] = await loadLocalModels();
  const words =
    model === builtInModel
      ? 'Its search compares letters and words, not meaning.'
      : `Its search uses the local model ${model}.`;
  return { service: serviceOf(model), words };
}
