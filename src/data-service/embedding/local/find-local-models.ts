// Lists the models of the directory that --models names, and what is wrong with those that cannot be used.
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelPlace } from './model-files.js';
import { readLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { readStaticModelFacts } from './static-model-files.js';
import { type GraphFacts, readGraphFacts } from './transformer-files.js';
import { readTransformerSettings } from './transformer-settings.js';

/** What every model of the directory has. */
interface ModelFacts extends GraphFacts {
  /** The name of its directory, and its `modelName` in services. */
  readonly name: string;
}

/** A model of the directory that makes vectors. */
export interface LocalEmbedder extends ModelFacts {
  readonly kind: 'words' | 'transformer';
  readonly dimension: number;
}

/** A model of the directory that ranks passages. */
export interface LocalReranker extends ModelFacts {
  readonly kind: 'reranker';
}

/** A model of the directory. */
export type LocalModel = LocalEmbedder | LocalReranker;

/** What a directory holds. Models with problems are not among `models`. */
export interface LocalModels {
  readonly models: readonly LocalModel[];
  /** Sentences, each with the path of the model. */
  readonly problems: readonly string[];
}

const mostModels = 64;
/** The names that models can have. What begins with a dot is not a model. */
const modelName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$/;
/** The names in words. */
const modelNameRule = '1 to 96 letters, digits, ".", "_" and "-", the first a letter or digit';

/** Reads every file of every model. Files beside the models, and names that begin with a dot, are left out. */
export function findLocalModels(directory: string): LocalModels {
  const models: LocalModel[] = [];
  const problems: string[] = [];
  let root: string;
  let names: readonly string[];
  try {
    root = realpathSync(directory);
    names = readdirSync(root).filter((name) => !name.startsWith('.') && isDirectory(join(root, name)));
  } catch (error) {
    return { models, problems: [`${directory} cannot be read: ${textOf(error)}`] };
  }
  if (names.length > mostModels)
    return { models, problems: [`${directory} has ${names.length} models, and the most are ${mostModels}`] };
  for (const name of names.toSorted()) {
    try {
      refuseModelName(name);
      models.push(readLocalModel({ root, name }));
    } catch (error) {
      if (!(error instanceof ModelProblem)) throw error;
      problems.push(`${join(directory, name)}: ${error.message}`);
    }
  }
  return { models, problems };
}

/** Reads every file of one model. @throws ModelProblem */
export function readLocalModel(place: ModelPlace): LocalModel {
  const { name } = place;
  const layout = readLayout(place);
  const { kind } = layout;
  switch (kind) {
    case 'words':
      return { name, kind, ...readStaticModelFacts(place, layout) };
    case 'transformer': {
      const { dimension } = readTransformerSettings(place, layout);
      return { name, kind, dimension, ...readGraphFacts(place, layout) };
    }
    case 'reranker':
      return { name, kind, ...readGraphFacts(place, layout) };
  }
}

/** @throws ModelProblem for a name that a model cannot have */
export function refuseModelName(name: string): void {
  if (!modelName.test(name)) throw new ModelProblem(`the name of a model must be ${modelNameRule}`);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
