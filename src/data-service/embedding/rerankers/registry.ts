// Every reranking provider, in the order of the reference. The first one that can be used is the default.
import type { RerankingProvider } from '../reranking-provider.js';
import { colonnade } from './colonnade.js';
import { local } from './local.js';
import { nvidia } from './nvidia.js';

/** Every provider, enabled or not. */
export const rerankingProviders: readonly RerankingProvider[] = [colonnade, local, nvidia];
