// Transformers: the vector of a text is made of the vectors that its tokens have among the others.
import type { CutTexts, Purpose } from '../provider.js';
import { GraphModel, type GraphOutput, openGraphFiles } from './graph-model.js';
import type { ModelPlace } from './model-files.js';
import { ModelProblem } from './model-problem.js';
import type { LoadedRuntime } from './onnx-runtime.js';
import { readTransformerSettings, type TransformerSettings } from './transformer-settings.js';
import { type GraphInput, TransformerTokens } from './transformer-tokens.js';

/** The vectors of a batch. */
export interface PackedVectors {
  /** The numbers of all vectors, one vector behind the other. */
  readonly numbers: Float32Array<ArrayBuffer>;
  readonly cut: CutTexts | undefined;
}

/** A model that is ready to make vectors. */
export class TransformerModel {
  readonly #settings: TransformerSettings;
  readonly #tokens: TransformerTokens;
  readonly #graph: GraphModel;
  readonly fingerprint: string;

  private constructor(
    settings: TransformerSettings,
    tokens: TransformerTokens,
    graph: GraphModel,
    fingerprint: string,
  ) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#graph = graph;
    this.fingerprint = fingerprint;
  }

  /** Reads the model. @throws ModelProblem */
  static async open(
    place: ModelPlace,
    runtime: LoadedRuntime,
    expectFiles: (fingerprint: string) => void = () => {},
  ): Promise<TransformerModel> {
    const { layout, files } = openGraphFiles(place, 'transformer');
    expectFiles(files.fingerprint);
    const settings = readTransformerSettings(place, layout);
    const tokens = new TransformerTokens(files.tokenizer, files.tokenizerPath, settings, 1);
    const graph = await GraphModel.open(files, runtime, ['last_hidden_state', 'token_embeddings']);
    return new TransformerModel(settings, tokens, graph, files.fingerprint);
  }

  /**
   * One vector per text. `refuseLate` is called with the number of finished texts before each part, and may throw.
   * @throws ModelProblem for a graph that makes something else than vectors of the model's dimension
   */
  async embed(
    texts: readonly string[],
    purpose: Purpose,
    refuseLate: (done: number) => void,
  ): Promise<PackedVectors> {
    const { dimension, mostTokens, prompts } = this.#settings;
    const prompt = prompts[purpose];
    const inputs = texts.map((text) => {
      refuseLate(0);
      return this.#tokens.one(this.#tokens.tokensOf(prompt + text));
    });
    const numbers = new Float32Array(texts.length * dimension);
    for await (const output of this.#graph.run(inputs, refuseLate)) {
      const [, , width] = output.dims;
      if (output.dims.length !== 3 || width !== dimension)
        throw new ModelProblem(
          `its graph makes rows of the shape [${output.dims}], and its settings say ${dimension} dimensions`,
        );
      for (const [row, place] of output.places.entries())
        numbers.set(this.#vectorOf(output, row, inputs[place]), place * dimension);
    }
    return { numbers, cut: cutOf(inputs, mostTokens) };
  }

  /** A row of the result as a vector. */
  #vectorOf({ dims, numbers }: GraphOutput, row: number, input: GraphInput | undefined): Float64Array {
    const { pooling, isNormalized, dimension } = this.#settings;
    const [, length = 0] = dims;
    const count = pooling === 'cls' ? 1 : (input?.ids.length ?? 0);
    const vector = new Float64Array(dimension);
    for (let token = 0; token < count; token += 1) {
      const start = (row * length + token) * dimension;
      for (let at = 0; at < dimension; at += 1) vector[at] = (vector[at] ?? 0) + (numbers[start + at] ?? 0);
    }
    const size = isNormalized ? Math.sqrt(vector.reduce((sum, part) => sum + part * part, 0)) : count;
    for (const [at, part] of vector.entries()) vector[at] = part / size;
    if (!vector.every(Number.isFinite))
      throw new ModelProblem('its graph made a vector without a direction, or numbers that are not finite');
    return vector;
  }
}

/** The inputs that are longer than the model reads; undefined if none is. */
export function cutOf(inputs: readonly GraphInput[], mostTokens: number): CutTexts | undefined {
  const count = inputs.filter(({ isCut }) => isCut).length;
  return count === 0 ? undefined : { count, mostTokens };
}
