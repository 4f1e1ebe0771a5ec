// Rerankers (cross-encoders): a transformer reads a query and a passage together and says how well they fit.
import type { CutTexts } from '../provider.js';
import { GraphModel, openGraphFiles } from './graph-model.js';
import type { ModelPlace } from './model-files.js';
import { ModelProblem } from './model-problem.js';
import type { LoadedRuntime } from './onnx-runtime.js';
import { cutOf } from './transformer-model.js';
import { type RerankerSettings, readRerankerSettings } from './transformer-settings.js';
import { TransformerTokens } from './transformer-tokens.js';

/** The scores of a batch. */
export interface PackedScores {
  /** One per passage, in their order: the greater, the better it answers the query. */
  readonly scores: readonly number[];
  readonly cut: CutTexts | undefined;
}

/** A model that is ready to rank. */
export class RerankerModel {
  readonly #settings: RerankerSettings;
  readonly #tokens: TransformerTokens;
  readonly #graph: GraphModel;

  private constructor(settings: RerankerSettings, tokens: TransformerTokens, graph: GraphModel) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#graph = graph;
  }

  /** Reads the model. @throws ModelProblem */
  static async open(place: ModelPlace, runtime: LoadedRuntime): Promise<RerankerModel> {
    const { layout, files } = openGraphFiles(place, 'reranker');
    const settings = readRerankerSettings(place, layout);
    const tokens = new TransformerTokens(files.tokenizer, files.tokenizerPath, settings, 2);
    return new RerankerModel(settings, tokens, await GraphModel.open(files, runtime, ['logits']));
  }

  /**
   * Scores passages. `refuseLate` is called with the number of finished passages before each part, and may throw.
   * @throws ModelProblem for a graph that makes something else than one number for each pair
   */
  async rank(
    query: string,
    passages: readonly string[],
    refuseLate: (done: number) => void,
  ): Promise<PackedScores> {
    const { mostTokens, isSigmoid } = this.#settings;
    const ofQuery = this.#tokens.tokensOf(query);
    const inputs = passages.map((passage) => {
      refuseLate(0);
      return this.#tokens.pair(ofQuery, this.#tokens.tokensOf(passage));
    });
    const scores = new Array<number>(passages.length).fill(0);
    for await (const { places, dims, numbers } of this.#graph.run(inputs, refuseLate)) {
      if (numbers.length !== places.length || !numbers.every(Number.isFinite))
        throw new ModelProblem(
          `its graph makes numbers of the shape [${dims}], and not one finite number for each passage`,
        );
      for (const [row, place] of places.entries()) {
        const logit = numbers[row] ?? 0;
        scores[place] = isSigmoid ? 1 / (1 + Math.exp(-logit)) : logit;
      }
    }
    return { scores, cut: cutOf(inputs, mostTokens) };
  }
}
