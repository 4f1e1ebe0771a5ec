// Every embedding provider, in the order of the reference.
import type { EmbeddingProvider } from '../provider.js';
import { azureOpenAI } from './azure-openai.js';
import { bedrock } from './bedrock.js';
import { cohere } from './cohere.js';
import { colonnade } from './colonnade.js';
import { huggingface } from './huggingface.js';
import { huggingfaceDedicated } from './huggingface-dedicated.js';
import { jinaAI } from './jina-ai.js';
import { local } from './local.js';
import { mistral } from './mistral.js';
import { nvidia } from './nvidia.js';
import { openai } from './openai.js';
import { openaiCompatible } from './openai-compatible.js';
import { upstageAI } from './upstage-ai.js';
import { vertexai } from './vertexai.js';
import { voyageAI } from './voyage-ai.js';

/** Every provider, enabled or not. */
export const embeddingProviders: readonly EmbeddingProvider[] = [
  colonnade,
  local,
  openai,
  azureOpenAI,
  huggingface,
  huggingfaceDedicated,
  jinaAI,
  mistral,
  nvidia,
  voyageAI,
  upstageAI,
  bedrock,
  cohere,
  vertexai,
  openaiCompatible,
];
