// The embedding service that the console creates columns, collections and samples with.

/** It needs no key and no network. */
export const builtInEmbedding = { provider: 'colonnade', modelName: 'hashed-ngrams' };

/** What it finds, for forms. */
export const builtInHint = 'The built-in provider compares letters and words, not meaning.';
