// A graph in the format ONNX with its tokenizer: texts run through it in batches of bounded size.
import type { ModelPlace } from './model-files.js';
import { type ModelLayout, readLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import type { LoadedRuntime, OnnxSession, OnnxTensor } from './onnx-runtime.js';
import { readGraphFiles } from './transformer-files.js';
import { largestTokens } from './transformer-settings.js';
import type { GraphInput } from './transformer-tokens.js';

/** The result of a batch. */
export interface GraphOutput {
  /** The places of its texts among all inputs. */
  readonly places: readonly number[];
  readonly dims: readonly number[];
  readonly numbers: Float32Array;
}

/** Reads the files of a model with its graph. @throws ModelProblem, also for a model of another kind */
export function openGraphFiles(place: ModelPlace, kind: ModelLayout['kind']) {
  const layout = readLayout(place);
  if (layout.kind !== kind)
    throw new ModelProblem(`its files are those of a model of the kind "${layout.kind}", not "${kind}"`);
  return { layout, files: readGraphFiles(place, layout, true) };
}

/** The inputs that graphs of transformers can have. */
const knownInputs = ['input_ids', 'attention_mask', 'token_type_ids'];
/** Texts of one run. */
const mostTexts = 32;

/** A graph that runs. */
export class GraphModel {
  readonly #session: OnnxSession;
  readonly #runtime: LoadedRuntime;
  readonly #output: string;

  /** `outputs`: the names that its result can have. @throws ModelProblem for a graph of another form */
  private constructor(
    session: OnnxSession,
    runtime: LoadedRuntime,
    path: string,
    outputs: readonly string[],
  ) {
    const { inputNames, outputNames } = session;
    const unknown = inputNames.find((name) => !knownInputs.includes(name));
    if (unknown !== undefined || !inputNames.includes('input_ids'))
      throw new ModelProblem(
        `${path} has the inputs ${inputNames.join(', ')}; only ${knownInputs.join(', ')} are known`,
      );
    const output = outputs.find((name) => outputNames.includes(name));
    if (output === undefined)
      throw new ModelProblem(
        `${path} has the outputs ${outputNames.join(', ')}, none of which is ${outputs.join(' or ')}`,
      );
    this.#session = session;
    this.#runtime = runtime;
    this.#output = output;
  }

  /** Loads a graph. @throws ModelProblem */
  static async open(
    { graph, graphPath }: { readonly graph: Uint8Array; readonly graphPath: string },
    runtime: LoadedRuntime,
    outputs: readonly string[],
  ): Promise<GraphModel> {
    let session: OnnxSession;
    try {
      session = await runtime.open(graph);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ModelProblem(`${graphPath} cannot be loaded: ${reason}`);
    }
    return new GraphModel(session, runtime, graphPath, outputs);
  }

  /**
   * Runs all inputs, those of similar lengths together; the results come in that order. `refuseLate` is called before
   * each run and may throw. @throws ModelProblem for a result that is not made of 32-bit floats
   */
  async *run(inputs: readonly GraphInput[], refuseLate: (done: number) => void): AsyncGenerator<GraphOutput> {
    let done = 0;
    for (const places of batchesOf(inputs)) {
      refuseLate(done);
      const output = (await this.#session.run(this.#tensorsOf(inputs, places)))[this.#output];
      if (!(output?.data instanceof Float32Array) || output.dims[0] !== places.length)
        throw new ModelProblem(`its graph makes ${output?.type ?? 'nothing'} instead of rows of float32`);
      yield { places, dims: output.dims, numbers: output.data };
      done += places.length;
    }
  }

  /** Texts that are shorter than the longest of their batch have zeros behind them, which the mask leaves out. */
  #tensorsOf(inputs: readonly GraphInput[], places: readonly number[]): Readonly<Record<string, OnnxTensor>> {
    const rows = places.flatMap((place) => inputs[place] ?? []);
    const length = Math.max(...rows.map(({ ids }) => ids.length));
    const tensor = (of: (row: GraphInput) => readonly number[]) => {
      const numbers = new BigInt64Array(rows.length * length);
      for (const [at, row] of rows.entries())
        for (const [column, number] of of(row).entries()) numbers[at * length + column] = BigInt(number);
      return this.#runtime.integers(numbers, [rows.length, length]);
    };
    const made: Readonly<Record<string, OnnxTensor>> = {
      input_ids: tensor(({ ids }) => ids),
      attention_mask: tensor(({ ids }) => ids.map(() => 1)),
      token_type_ids: tensor(({ types }) => types),
    };
    const wanted = Object.entries(made).filter(([name]) => this.#session.inputNames.includes(name));
    return Object.fromEntries(wanted);
  }
}

/** The places of inputs in batches: similar lengths together, and no batch needs more memory than one long text. */
function batchesOf(inputs: readonly GraphInput[]): readonly (readonly number[])[] {
  const places = inputs
    .map((_, place) => place)
    .sort((left, right) => lengthOf(inputs, left) - lengthOf(inputs, right));
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const place of places) {
    const tokens = lengthOf(inputs, place) * (batch.length + 1);
    if (batch.length > 0 && (batch.length === mostTexts || tokens > largestTokens)) {
      batches.push(batch);
      batch = [];
    }
    batch.push(place);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

function lengthOf(inputs: readonly GraphInput[], place: number): number {
  return inputs[place]?.ids.length ?? 0;
}
