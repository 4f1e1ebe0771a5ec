// Reads the files of a model of words (Model2Vec): its settings, its tokenizer and its weights.
import { closeSync } from 'node:fs';
import { maxDimension } from '../../column-types/vector.js';
import { fingerprintOf } from './fingerprint.js';
import { type ModelPlace, openModelFile, readModelFile } from './model-files.js';
import type { ModelLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { type ModelSettings, readSettings } from './model-settings.js';
import { storedTypes } from './numbers-of-tensor.js';
import { readWeights, type TensorPlace, type WeightsReading } from './safetensors.js';

/** What is known of a model without its numbers. */
export interface StaticModelFacts {
  readonly dimension: number;
  readonly fingerprint: string;
  /** The bytes of its matrix. */
  readonly sizeBytes: number;
  /** The SHA-256 of `model.safetensors`, in hexadecimal digits. */
  readonly sha256: string;
}

/** The names that the matrix has: that of Model2Vec, and that of Sentence Transformers. */
const matrixNames = ['embeddings', 'embedding.weight'];
const mostRows = 2_000_000;
/** The tokenizers of models for a hundred languages have some 20 MB. */
export const largestTokenizerBytes = 64 * 1024 * 1024;

/** The files of a model, with the tensors that were asked for. */
export interface StaticModelFiles {
  readonly settings: ModelSettings;
  readonly tokenizer: Buffer;
  readonly tokenizerPath: string;
  readonly weights: WeightsReading;
  readonly matrixName: string;
  readonly rows: number;
  readonly dimension: number;
  readonly fingerprint: string;
}

/** Reads all files of a model, but keeps none. @throws ModelProblem */
export function readStaticModelFacts(place: ModelPlace, layout: ModelLayout): StaticModelFacts {
  const { dimension, fingerprint, weights, matrixName } = readStaticModelFiles(place, layout, () => []);
  const matrix = weights.places.get(matrixName);
  const sizeBytes = matrix === undefined ? 0 : matrix.end - matrix.begin;
  return { dimension, fingerprint, sizeBytes, sha256: weights.sha256 };
}

/**
 * Reads all files of a model. `wanted` names the tensors whose numbers are kept, by the name of the matrix.
 * @throws ModelProblem
 */
export function readStaticModelFiles(
  place: ModelPlace,
  layout: ModelLayout,
  wanted: (matrixName: string) => readonly string[],
): StaticModelFiles {
  const settings = readSettings(place, layout);
  const path = `${settings.folder}model.safetensors`;
  const tokenizerPath = `${settings.folder}tokenizer.json`;
  const file = openModelFile(place, path);
  if (file === undefined) throw new ModelProblem(`${path} is missing`);
  let weights: WeightsReading;
  try {
    weights = readWeights(file, path, (places) => wanted(findMatrix(places, path).name));
  } finally {
    closeSync(file);
  }
  const { name: matrixName, shape } = findMatrix(weights.places, path);
  const [rows = 0, dimension = 0] = shape;
  const tokenizer = readModelFile(place, tokenizerPath, largestTokenizerBytes);
  if (tokenizer === undefined) throw new ModelProblem(`${tokenizerPath} is missing`);
  const { isNormalized, mostTokens, prompts } = settings;
  const { passage, query } = prompts;
  const fingerprint = fingerprintOf(weights.sha256, tokenizer, [isNormalized, mostTokens, passage, query]);
  return { settings, tokenizer, tokenizerPath, weights, matrixName, rows, dimension, fingerprint };
}

function findMatrix(places: WeightsReading['places'], path: string): TensorPlace & { readonly name: string } {
  const name = matrixNames.find((one) => places.has(one));
  const place = name === undefined ? undefined : places.get(name);
  if (name === undefined || place === undefined)
    throw new ModelProblem(
      `${path} has no tensor "${matrixNames.join('" or "')}": it is not a model of words`,
    );
  const { shape, type } = place;
  const [rows = 0, dimension = 0] = shape;
  if (shape.length !== 2 || rows < 1 || rows > mostRows || dimension < 1 || dimension > maxDimension)
    throw new ModelProblem(
      `${path} has the tensor "${name}" of shape [${shape}] instead of 1 to ${mostRows} rows of 1 to ${maxDimension} numbers`,
    );
  if (!storedTypes.some((known) => known === type))
    throw new ModelProblem(
      `${path} has numbers of the type ${type}, which is none of ${storedTypes.join(', ')}`,
    );
  return { ...place, name };
}
