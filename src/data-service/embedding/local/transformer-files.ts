// Reads the files of a transformer or reranker: its settings, its tokenizer and its graph with the weights.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { fingerprintOf } from './fingerprint.js';
import { type ModelPlace, openModelFile, readModelFile } from './model-files.js';
import type { ModelLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { largestTokenizerBytes } from './static-model-files.js';
import { readRerankerSettings, readTransformerSettings } from './transformer-settings.js';

/** What is known of a transformer or reranker without its numbers. */
export interface GraphFacts {
  readonly fingerprint: string;
  /** The bytes of its graph. */
  readonly sizeBytes: number;
  /** The SHA-256 of its graph, in hexadecimal digits. */
  readonly sha256: string;
}

/** The files of a model that a graph runs. */
export interface GraphFiles extends GraphFacts {
  /** The file in the format ONNX; empty if it was only hashed. */
  readonly graph: Uint8Array;
  readonly graphPath: string;
  readonly tokenizer: Buffer;
  readonly tokenizerPath: string;
}

/** The format has no larger files; larger models have their weights in others beside it. */
export const largestGraphBytes = 2 * 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** The paths that a graph can have, in the order in which they are looked for. */
export function graphPaths({ folder }: Pick<ModelLayout, 'folder'>): readonly string[] {
  return [...new Set([`${folder}onnx/model.onnx`, `${folder}model.onnx`, 'onnx/model.onnx'])];
}

/** Reads the settings and every byte of a transformer or reranker, but keeps none. @throws ModelProblem */
export function readGraphFacts(place: ModelPlace, layout: ModelLayout): GraphFacts {
  const { fingerprint, sizeBytes, sha256 } = readGraphFiles(place, layout, false);
  return { fingerprint, sizeBytes, sha256 };
}

/** Reads the files; `isKept`: whether the graph stays in memory. @throws ModelProblem */
export function readGraphFiles(place: ModelPlace, layout: ModelLayout, isKept: boolean): GraphFiles {
  const { path: graphPath, file } = openGraph(place, layout);
  let read: Pick<GraphFiles, 'graph' | 'sizeBytes' | 'sha256'>;
  try {
    read = readGraph(file, graphPath, isKept);
  } finally {
    closeSync(file);
  }
  const tokenizerPath = `${layout.folder}tokenizer.json`;
  const tokenizer = readModelFile(place, tokenizerPath, largestTokenizerBytes);
  if (tokenizer === undefined) throw new ModelProblem(`${tokenizerPath} is missing`);
  const fingerprint = fingerprintOf(read.sha256, tokenizer, settingsOf(place, layout));
  return { ...read, graphPath, tokenizer, tokenizerPath, fingerprint };
}

/** What changes the vectors or scores beside the files. */
function settingsOf(place: ModelPlace, layout: ModelLayout): readonly unknown[] {
  if (layout.kind === 'reranker') {
    const { mostTokens, isLowerCase, isSigmoid } = readRerankerSettings(place, layout);
    return ['reranker', mostTokens, isLowerCase, isSigmoid];
  }
  const { mostTokens, isLowerCase, pooling, isNormalized, prompts } = readTransformerSettings(place, layout);
  return ['transformer', mostTokens, isLowerCase, pooling, isNormalized, prompts.passage, prompts.query];
}

function openGraph(place: ModelPlace, layout: ModelLayout): { readonly path: string; readonly file: number } {
  for (const path of graphPaths(layout)) {
    const file = openModelFile(place, path);
    if (file === undefined) continue;
    const outside = openModelFile(place, `${path}_data`);
    if (outside === undefined) return { path, file };
    closeSync(outside);
    closeSync(file);
    throw new ModelProblem(`${path} has its weights in ${path}_data; only graphs in one file can be used`);
  }
  throw new ModelProblem(
    'onnx/model.onnx is missing: a transformer needs its graph in the format ONNX, as hubs have it or as ' +
      '`optimum-cli export onnx` makes it',
  );
}

function readGraph(file: number, path: string, isKept: boolean) {
  const { size: sizeBytes } = fstatSync(file);
  if (sizeBytes > largestGraphBytes)
    throw new ModelProblem(`${path} has ${sizeBytes} bytes, and the most are ${largestGraphBytes}`);
  const graph = Buffer.allocUnsafe(isKept ? sizeBytes : 0);
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes));
  const hash = createHash('sha256');
  for (let at = 0; at < sizeBytes; ) {
    const count = readSync(file, piece, 0, Math.min(pieceBytes, sizeBytes - at), at);
    if (count === 0) throw new ModelProblem(`${path} became shorter while it was read`);
    const read = piece.subarray(0, count);
    hash.update(read);
    if (isKept) graph.set(read, at);
    at += count;
  }
  return { graph, sizeBytes, sha256: hash.digest('hex') };
}
