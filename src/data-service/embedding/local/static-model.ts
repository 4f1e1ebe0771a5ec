// Models of words (Model2Vec): the vector of a text is the mean of the vectors of its tokens.
import type { Purpose } from '../provider.js';
import type { ModelPlace } from './model-files.js';
import { readLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import type { ModelSettings } from './model-settings.js';
import { ModelTokens } from './model-tokens.js';
import { asFloats, isHalf, type StoredNumbers, storedIntegers, storedNumbers } from './numbers-of-tensor.js';
import { readStaticModelFiles } from './static-model-files.js';

/** What a text became. */
export interface MadeVector {
  readonly vector: Float32Array;
  /** Whether the text is longer than what was read. */
  readonly isCut: boolean;
}

/** A model that is ready to make vectors. Its matrix is in memory once, in the form of the file. */
export class StaticModel {
  readonly #settings: ModelSettings;
  readonly #tokens: ModelTokens;
  readonly #matrix: StoredNumbers;
  /** The row of the matrix for each token; undefined if they are the same. */
  readonly #rowOfToken: Int32Array | undefined;
  readonly #weightOfToken: Float32Array | undefined;
  readonly dimension: number;
  readonly fingerprint: string;

  /** Reads the model. @throws ModelProblem */
  constructor(place: ModelPlace) {
    const files = readStaticModelFiles(place, readLayout(place), (matrix) => [matrix, 'weights', 'mapping']);
    const { settings, tokenizer, tokenizerPath, rows, matrixName } = files;
    const tensorOf = (name: string) => {
      const [found, bytes] = [files.weights.places.get(name), files.weights.bytes.get(name)];
      return found === undefined || bytes === undefined ? undefined : { type: found.type, bytes };
    };
    const matrix = tensorOf(matrixName);
    const mapping = tensorOf('mapping');
    const weights = tensorOf('weights');
    this.#settings = settings;
    this.dimension = files.dimension;
    this.fingerprint = files.fingerprint;
    this.#matrix = storedNumbers(matrix?.type ?? '', matrix?.bytes ?? new ArrayBuffer(0), matrixName);
    this.#rowOfToken = mapping && storedIntegers(mapping.type, mapping.bytes, 'mapping', rows);
    this.#weightOfToken = weights && asFloats(storedNumbers(weights.type, weights.bytes, 'weights'));
    this.#tokens = new ModelTokens(tokenizer, tokenizerPath);
    const { idCount } = this.#tokens;
    for (const [name, length] of [
      [mapping === undefined ? matrixName : 'mapping', this.#rowOfToken?.length ?? rows],
      ['weights', this.#weightOfToken?.length ?? idCount],
    ] as const) {
      if (length < idCount)
        throw new ModelProblem(
          `the tensor "${name}" has ${length} rows for the ${idCount} tokens of ${tokenizerPath}`,
        );
    }
  }

  /** The tokens of a text that are read. */
  get mostTokens(): number {
    return this.#settings.mostTokens;
  }

  /**
   * The vector of a text. Without a known token it has equal parts in every dimension, because a vector of zeros has no
   * direction.
   */
  vectorOf(text: string, purpose: Purpose): MadeVector {
    const { mostTokens, isNormalized, prompts } = this.#settings;
    const prompt = prompts[purpose];
    const most = firstCodePoints(
      prompt === '' ? text : prompt + text,
      mostTokens * this.#tokens.medianLength,
    );
    const sums = new Float64Array(this.dimension);
    const { ids, isCut } = this.#tokens.read(most, mostTokens);
    for (const id of ids) this.#addToken(sums, id);
    let divisor = ids.length;
    if (isNormalized) divisor = Math.sqrt(sums.reduce((sum, part) => sum + part * part, 0));
    const vector =
      ids.length === 0 || divisor === 0
        ? new Float32Array(this.dimension).fill(1 / Math.sqrt(this.dimension))
        : Float32Array.from(sums, (sum) => sum / divisor);
    return { vector, isCut: isCut || most.length < prompt.length + text.length };
  }

  #addToken(sums: Float64Array, id: number): void {
    const weight = this.#weightOfToken?.[id] ?? 1;
    const start = (this.#rowOfToken?.[id] ?? id) * sums.length;
    const matrix = this.#matrix;
    if (isHalf(matrix)) {
      const { bits, values } = matrix;
      for (let at = 0; at < sums.length; at += 1)
        sums[at] = (sums[at] ?? 0) + (values[bits[start + at] ?? 0] ?? 0) * weight;
      return;
    }
    for (let at = 0; at < sums.length; at += 1)
      sums[at] = (sums[at] ?? 0) + (matrix[start + at] ?? 0) * weight;
  }
}

/** The beginning of a text, of at most so many code points. */
function firstCodePoints(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
