// How a transformer makes vectors, and a reranker scores: their settings files in the layout of Sentence Transformers.
import { maxDimension } from '../../column-types/vector.js';
import { type ModelPlace, membersOfJson, readModelJson } from './model-files.js';
import { type ModelLayout, refuseOtherSteps } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { type Prompts, readPrompts } from './prompts.js';

/** How texts become the input of a graph. */
export interface InputSettings {
  /** The tokens of a text, or of both texts of a pair, with those that the tokenizer adds. */
  readonly mostTokens: number;
  /** Whether texts are in lower case before the tokenizer. */
  readonly isLowerCase: boolean;
}

/** The vectors of the tokens become one: their mean, or that of the first token. */
export type Pooling = 'mean' | 'cls';

/** The settings of a transformer. All of them change its vectors. */
export interface TransformerSettings extends InputSettings {
  readonly pooling: Pooling;
  /** Whether vectors are divided by their length. */
  readonly isNormalized: boolean;
  readonly dimension: number;
  readonly prompts: Prompts;
}

/** What changes the scores of a reranker beside its graph and its tokenizer. */
export interface RerankerSettings extends InputSettings {
  /** Whether the logits of the graph become numbers from 0 to 1. */
  readonly isSigmoid: boolean;
}

/** Attention needs memory by the square of the tokens, so models that read more get this many. */
export const largestTokens = 2_048;
/** What transformers read where their settings do not say it. */
const usualTokens = 512;
/** The files of settings beside the weights. */
export const inputSettingsFiles = ['sentence_bert_config.json', 'tokenizer_config.json'] as const;

/** The settings of a transformer. @throws ModelProblem for settings that cannot be followed */
export function readTransformerSettings(place: ModelPlace, layout: ModelLayout): TransformerSettings {
  refuseOtherSteps(layout, ['Transformer', 'Pooling', 'Normalize']);
  const { steps, config } = layout;
  const prompts = readPrompts(place);
  const step = steps.find(({ type }) => type === 'Pooling');
  if (step === undefined && steps.length > 0) throw new ModelProblem('modules.json has no step "Pooling"');
  const path = step === undefined ? undefined : `${step.folder}config.json`;
  const pooling = path === undefined ? {} : membersOfJson(readModelJson(place, path));
  const hasPrompts = prompts.passage !== '' || prompts.query !== '';
  if (pooling['include_prompt'] === false && hasPrompts)
    throw new ModelProblem(
      `${path} leaves the prompts out of the mean ("include_prompt"), which is not possible here`,
    );
  const sizes = [pooling['word_embedding_dimension'], pooling['embedding_dimension']];
  return {
    ...readInputSettings(place, layout),
    pooling: path === undefined ? 'mean' : readPooling(pooling, path),
    isNormalized: steps.some(({ type }) => type === 'Normalize'),
    dimension: readDimension([...sizes, config['hidden_size'], config['dim'], config['d_model']]),
    prompts,
  };
}

/** The settings of a reranker. @throws ModelProblem for settings that cannot be followed */
export function readRerankerSettings(place: ModelPlace, layout: ModelLayout): RerankerSettings {
  const { config } = layout;
  const { id2label, num_labels: count } = config;
  const labels = id2label === undefined ? count : Object.keys(membersOfJson(id2label)).length;
  if (labels !== undefined && labels !== 1)
    throw new ModelProblem(`config.json has ${String(labels)} labels; a model that ranks passages has one`);
  const { activation_fn: named } = membersOfJson(config['sentence_transformers']);
  const activation = named ?? config['sbert_ce_default_activation_function'] ?? 'Sigmoid';
  const name = String(activation).split('.').pop() ?? '';
  if (name !== 'Sigmoid' && name !== 'Identity')
    throw new ModelProblem(`config.json has the activation "${name}", which is none of Sigmoid, Identity`);
  return { ...readInputSettings(place, layout), isSigmoid: name === 'Sigmoid' };
}

function readInputSettings(place: ModelPlace, { folder, config }: ModelLayout): InputSettings {
  const [input, tokenizer] = inputSettingsFiles.map((name) =>
    membersOfJson(readModelJson(place, `${folder}${name}`)),
  );
  const { max_seq_length: given } = input ?? {};
  const limits = [config['max_position_embeddings'], tokenizer?.['model_max_length']].filter(isPositive);
  if (given !== undefined && given !== null && !(isPositive(given) && Number.isInteger(given)))
    throw new ModelProblem(
      'sentence_bert_config.json has "max_seq_length", which must be a positive integer',
    );
  const most = isPositive(given) ? given : limits.length === 0 ? usualTokens : Math.min(...limits);
  return { mostTokens: Math.min(most, largestTokens), isLowerCase: input?.['do_lower_case'] === true };
}

/** `{"pooling_mode_mean_tokens": true, …}`, or `{"pooling_mode": "mean"}` of later versions. */
function readPooling(pooling: Readonly<Record<string, unknown>>, path: string): Pooling {
  const { pooling_mode: mode } = pooling;
  const flags = Object.entries(pooling).filter(
    ([name, value]) => name.startsWith('pooling_mode_') && value === true,
  );
  const named =
    mode === undefined ? flags.map(([name]) => name.slice('pooling_mode_'.length)) : [mode].flat();
  const [only, ...more] = named.map((name) => String(name).replace(/_tokens?$/, ''));
  if (more.length === 0 && (only === 'mean' || only === 'cls')) return only;
  throw new ModelProblem(`${path} has the pooling "${named.join(', ')}", which is neither mean nor cls`);
}

function readDimension(sizes: readonly unknown[]): number {
  const dimension = sizes.find((size) => size !== undefined);
  if (isPositive(dimension) && Number.isInteger(dimension) && dimension <= maxDimension) return dimension;
  throw new ModelProblem(`config.json must have "hidden_size", from 1 to ${maxDimension}`);
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value >= 1;
}
