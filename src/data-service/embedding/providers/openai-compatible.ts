// Servers of the operator whose API is compatible with OpenAI's: vLLM, Ollama, llama.cpp, text-embeddings-inference and
// others.
import { bearer, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';
import { openaiBody } from './openai.js';

export const openaiCompatible = httpProvider({
  name: 'openaiCompatible',
  help: "Your own server with an API that is compatible with OpenAI's. The providers file has its URL and its models.",
  entry: makeEntry({
    displayName: 'OpenAI-compatible server',
    // The author of a column definition must not choose the host that the server sends requests to.
    url: null,
    isEnabled: false,
    authentication: { none: true, header: true, sharedSecret: true },
    models: [],
    limits: { maxBatchSize: 32 },
  }),
  path: 'embeddings',
  body: openaiBody,
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});
