// The runtime of transformers, which the user installs: the package `onnxruntime-node`. Only this file loads it.
import { createRequire } from 'node:module';
import { ModelProblem } from './model-problem.js';

/** Numbers with their shape. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** A graph that is ready to run. */
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Blocks the thread while it runs. */
  run(input: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** What is used of the package. */
interface OnnxRuntime {
  readonly InferenceSession: { create(graph: Uint8Array, options: object): Promise<OnnxSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
}

const packageName = 'onnxruntime-node';
/** It finds the package beside this one, and in the directories of NODE_PATH. */
const require = createRequire(import.meta.url);

/** What users do without the package. */
export const advice =
  `Run "npm install --ignore-scripts ${packageName}" in the folder in which this server is installed. ` +
  'A model of words (Model2Vec) needs no package';

/** Whether the package is installed; it is not loaded. */
export function hasOnnxRuntime(): boolean {
  try {
    require.resolve(packageName);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/** A runtime that was loaded. */
export interface LoadedRuntime {
  /** @throws Error for a graph that cannot be used */
  open(graph: Uint8Array): Promise<OnnxSession>;
  integers(numbers: BigInt64Array, dims: readonly number[]): OnnxTensor;
}

/** Loads the package; `threads`: how many a graph uses. @throws ModelProblem if it is missing or cannot run here */
export function loadOnnxRuntime(threads: number): LoadedRuntime {
  if (!hasOnnxRuntime())
    throw new ModelProblem(`it needs the package ${packageName}, which is not installed. ${advice}`);
  let runtime: OnnxRuntime;
  try {
    runtime = require(packageName) as OnnxRuntime; // the part of its interface that is used
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelProblem(`the package ${packageName} cannot run on this machine: ${reason}`);
  }
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Every batch has another shape: a pattern of one would be no use for the next.
    enableMemPattern: false,
    // Errors only: warnings about graphs are for those who make them.
    logSeverityLevel: 3,
    // Threads that wait leave the processor to others.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  return {
    open: (graph) => runtime.InferenceSession.create(graph, options),
    integers: (numbers, dims) => new runtime.Tensor('int64', numbers, dims),
  };
}
