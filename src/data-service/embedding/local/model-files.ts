// Opens the files of one local model: regular files inside the directory of all models, of bounded size.
import { closeSync, fstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openRegularFile } from '../../../foundation/machine/regular-file.js';
import { ModelProblem } from './model-problem.js';

/** Where a model is. */
export interface ModelPlace {
  /** The directory of all models, as `realpath` returns it. */
  readonly root: string;
  /** The name of the model's directory in it. */
  readonly name: string;
}

/** A settings file is small; a larger one is not read. */
export const largestSettingsBytes = 1024 * 1024;

/** A path inside a model, as its own files name it: relative, without `..`. */
const innerPath = /^(?!.*(?:^|\/)\.\.(?:\/|$))[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** Whether a text of a settings file can be the path of a file or folder of the model. */
export function isInnerPath(path: string): boolean {
  return innerPath.test(path);
}

/**
 * Opens a file of a model to read it; undefined if the model does not have it. A symbolic link must lead to a file in
 * the directory of all models.
 * @throws ModelProblem
 */
export function openModelFile({ root, name }: ModelPlace, path: string): number | undefined {
  if (!isInnerPath(path)) throw new ModelProblem(`the path "${path}" leads out of the model`);
  let real: string;
  try {
    real = realpathSync(join(root, name, path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unreadable(path, error);
  }
  if (!real.startsWith(`${root}${sep}`))
    throw new ModelProblem(`${path} is a symbolic link that leads out of the directory of models`);
  try {
    return openRegularFile(real);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The content of a file of at most `mostBytes`; undefined if the model does not have it. @throws ModelProblem */
export function readModelFile(place: ModelPlace, path: string, mostBytes: number): Buffer | undefined {
  const file = openModelFile(place, path);
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    if (size > mostBytes) throw new ModelProblem(`${path} has ${size} bytes, and the most are ${mostBytes}`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof ModelProblem ? error : unreadable(path, error);
  } finally {
    closeSync(file);
  }
}

/** A settings file as JSON; undefined if the model does not have it. @throws ModelProblem */
export function readModelJson(place: ModelPlace, path: string): unknown {
  const bytes = readModelFile(place, path, largestSettingsBytes);
  return bytes === undefined ? undefined : parseModelJson(bytes, path);
}

/** @throws ModelProblem for bytes that are not JSON */
export function parseModelJson(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new ModelProblem(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The members of a JSON object; none for every other value. */
export function membersOfJson(json: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject ? Object.fromEntries(Object.entries(json)) : {};
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function unreadable(path: string, error: unknown): ModelProblem {
  return new ModelProblem(
    `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  );
}
