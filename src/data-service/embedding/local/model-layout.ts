// What kind of model a directory holds: the settings files of Model2Vec and Sentence Transformers say so.
import { isInnerPath, type ModelPlace, membersOfJson, readModelJson } from './model-files.js';
import { ModelProblem } from './model-problem.js';

/** A model of words has a vector for each token; transformers make vectors, and rerankers scores, by a graph. */
export type ModelKind = 'words' | 'transformer' | 'reranker';

/** A step of Sentence Transformers. */
export interface ModelStep {
  /** The last part of the name of its class: `Pooling`. */
  readonly type: string;
  /** The folder of its files, with `/` at its end; '' for the model itself. */
  readonly folder: string;
}

/** What the settings files say about the kind of a model and the places of its files. */
export interface ModelLayout {
  readonly kind: ModelKind;
  /** None if there is no modules.json. */
  readonly steps: readonly ModelStep[];
  /** The folder of the weights and of the tokenizer, with `/` at its end; '' for the model itself. */
  readonly folder: string;
  /** The members of config.json: in that folder for what a graph makes, in the model itself for a model of words. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Reads config.json and modules.json. @throws ModelProblem */
export function readLayout(place: ModelPlace): ModelLayout {
  const steps = readSteps(place);
  const first = steps.find(({ type }) => type === 'Transformer' || type === 'StaticEmbedding');
  const folder = first?.folder ?? '';
  const configFolder = first?.type === 'Transformer' ? folder : '';
  const config = membersOfJson(readModelJson(place, `${configFolder}config.json`));
  return { kind: kindOf(first?.type, config), steps, folder, config };
}

function kindOf(first: string | undefined, { architectures }: ModelLayout['config']): ModelKind {
  const classes = Array.isArray(architectures) ? architectures.map(String) : [];
  if (classes.some((name) => name.endsWith('ForSequenceClassification'))) return 'reranker';
  if (first !== undefined) return first === 'Transformer' ? 'transformer' : 'words';
  return classes.length === 0 || classes.includes('StaticModel') ? 'words' : 'transformer';
}

/** @throws ModelProblem for a step that is none of `known` */
export function refuseOtherSteps({ steps }: ModelLayout, known: readonly string[]): void {
  const unknown = steps.find(({ type }) => !known.includes(type));
  if (unknown !== undefined)
    throw new ModelProblem(
      `modules.json has the step "${unknown.type}", which is none of ${known.join(', ')}`,
    );
}

function readSteps(place: ModelPlace): readonly ModelStep[] {
  const json = readModelJson(place, 'modules.json');
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw new ModelProblem('modules.json is not an array');
  return json.map((step: unknown) => {
    const { type, path } = membersOfJson(step);
    if (typeof type !== 'string' || typeof path !== 'string')
      throw new ModelProblem('modules.json has a step without "type" and "path"');
    return { type: type.split('.').pop() ?? '', folder: folderOf(path) };
  });
}

function folderOf(path: string): string {
  if (path === '' || path === '.') return '';
  if (!isInnerPath(path))
    throw new ModelProblem(`modules.json has the path "${path}", which leads out of the model`);
  return `${path}/`;
}
