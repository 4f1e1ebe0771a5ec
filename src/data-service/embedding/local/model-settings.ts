// How a model makes vectors: the settings files of Model2Vec and Sentence Transformers in its directory.
import { isInnerPath, type ModelPlace, membersOfJson, readModelJson } from './model-files.js';
import { ModelProblem } from './model-problem.js';

/** The settings of a model. Those that change its vectors are part of its fingerprint. */
export interface ModelSettings {
  /** The folder of the weights and of the tokenizer in the model, with `/` at its end; '' for the model itself. */
  readonly folder: string;
  /** Whether vectors are divided by their length. */
  readonly isNormalized: boolean;
  /** The tokens of a text that are used; later ones are left out. */
  readonly mostTokens: number;
  /** What precedes stored texts and texts to search for. */
  readonly prompts: { readonly passage: string; readonly query: string };
}

/** Model2Vec takes so many without a setting. */
const usualTokens = 512;
/** The most tokens of a text, whatever the settings say. */
const largestTokens = 8_192;
const longestPrompt = 1_000;
/** The steps of Sentence Transformers that a model of words can have. */
const knownSteps = ['StaticEmbedding', 'Normalize'];

/** The settings of a model of words. @throws ModelProblem for settings that cannot be followed */
export function readSettings(place: ModelPlace): ModelSettings {
  const config = membersOfJson(readModelJson(place, 'config.json'));
  const steps = readSteps(place);
  const unknown = steps.find(({ type }) => !knownSteps.includes(type));
  if (unknown !== undefined)
    throw new ModelProblem(
      `modules.json has the step "${unknown.type}", which is none of ${knownSteps.join(', ')}`,
    );
  const { normalize } = config;
  return {
    folder: folderOf(steps.find(({ type }) => type === 'StaticEmbedding')?.path ?? ''),
    isNormalized: typeof normalize === 'boolean' ? normalize : steps.some(({ type }) => type === 'Normalize'),
    mostTokens: readMostTokens(config['max_length']),
    prompts: readPrompts(place),
  };
}

interface Step {
  /** The last part of the name of its class. */
  readonly type: string;
  readonly path: string;
}

function readSteps(place: ModelPlace): readonly Step[] {
  const json = readModelJson(place, 'modules.json');
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw new ModelProblem('modules.json is not an array');
  return json.map((step: unknown) => {
    const { type, path } = membersOfJson(step);
    if (typeof type !== 'string' || typeof path !== 'string')
      throw new ModelProblem('modules.json has a step without "type" and "path"');
    return { type: type.split('.').pop() ?? '', path };
  });
}

function folderOf(path: string): string {
  if (path === '' || path === '.') return '';
  if (!isInnerPath(path))
    throw new ModelProblem(`modules.json has the path "${path}", which leads out of the model`);
  return `${path}/`;
}

function readMostTokens(given: unknown): number {
  if (given === undefined) return usualTokens;
  if (given === null) return largestTokens;
  if (typeof given === 'number' && Number.isInteger(given) && given > 0)
    return Math.min(given, largestTokens);
  throw new ModelProblem('config.json has "max_length", which must be a positive integer or null');
}

/** `{"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": null}`. */
function readPrompts(place: ModelPlace): ModelSettings['prompts'] {
  const path = 'config_sentence_transformers.json';
  const { prompts, default_prompt_name: preset } = membersOfJson(readModelJson(place, path));
  const known = membersOfJson(prompts);
  const promptOf = (names: readonly unknown[]): string => {
    const name = names.find((one) => typeof one === 'string' && Object.hasOwn(known, one));
    const prompt = typeof name === 'string' ? known[name] : '';
    if (typeof prompt === 'string' && prompt.length <= longestPrompt) return prompt;
    throw new ModelProblem(`${path} has a prompt that is not a text of at most ${longestPrompt} characters`);
  };
  return { query: promptOf(['query', preset]), passage: promptOf(['document', 'passage', preset]) };
}
