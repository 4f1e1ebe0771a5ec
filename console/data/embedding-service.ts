// The embedding services that the console creates columns, collections and samples with.

/** A service that needs no key and no network; JSON. */
export type EmbeddingService = { readonly provider: string; readonly modelName: string };

/** The model of forms that compares letters and words. */
export const builtInModel = '';

/** What it finds, for forms. */
export const builtInHint = 'The built-in provider compares letters and words, not meaning.';

/** The service of a local model by its name, or of `builtInModel`. */
export function serviceOf(model: string): EmbeddingService {
  if (model === builtInModel) return { provider: 'colonnade', modelName: 'hashed-ngrams' };
  return { provider: 'local', modelName: model };
}
