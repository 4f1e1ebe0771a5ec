// How a model of words makes vectors: the settings files of Model2Vec and Sentence Transformers in its directory.
import type { ModelPlace } from './model-files.js';
import { type ModelLayout, refuseOtherSteps } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { type Prompts, readPrompts } from './prompts.js';

/** The settings of a model. Those that change its vectors are part of its fingerprint. */
export interface ModelSettings {
  /** See `ModelLayout`. */
  readonly folder: string;
  /** Whether vectors are divided by their length. */
  readonly isNormalized: boolean;
  /** The tokens of a text that are used; later ones are left out. */
  readonly mostTokens: number;
  readonly prompts: Prompts;
}

/** Model2Vec takes so many without a setting. */
const usualTokens = 512;
/** The most tokens of a text, whatever the settings say. */
const largestTokens = 8_192;

/** The settings of a model of words. @throws ModelProblem for settings that cannot be followed */
export function readSettings(place: ModelPlace, layout: ModelLayout): ModelSettings {
  refuseOtherSteps(layout, ['StaticEmbedding', 'Normalize']);
  const { config, steps, folder } = layout;
  const { normalize } = config;
  return {
    folder,
    isNormalized: typeof normalize === 'boolean' ? normalize : steps.some(({ type }) => type === 'Normalize'),
    mostTokens: readMostTokens(config['max_length']),
    prompts: readPrompts(place),
  };
}

function readMostTokens(given: unknown): number {
  if (given === undefined) return usualTokens;
  if (given === null) return largestTokens;
  if (typeof given === 'number' && Number.isInteger(given) && given > 0)
    return Math.min(given, largestTokens);
  throw new ModelProblem('config.json has "max_length", which must be a positive integer or null');
}
