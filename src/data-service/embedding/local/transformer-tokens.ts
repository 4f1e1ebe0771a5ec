// Texts and pairs of texts become the input of a transformer: tokens up to its limit, with those around them.
import { type LoadedTokenizer, loadTokenizer } from './load-tokenizer.js';
import { ModelProblem } from './model-problem.js';
import type { InputSettings } from './transformer-settings.js';

/** The input of a graph for one text or pair. */
export interface GraphInput {
  readonly ids: readonly number[];
  /** For each token, to which text of a pair it belongs. */
  readonly types: readonly number[];
  /** Whether there were more tokens than the model reads. */
  readonly isCut: boolean;
}

/** The tokenizer of a transformer. */
export class TransformerTokens {
  readonly #loaded: LoadedTokenizer;
  readonly #isLowerCase: boolean;
  /** The tokens of a text, or of both texts of a pair, without those that are added. */
  readonly #most: number;

  /** `textCount`: whether it reads texts or pairs of texts. @throws ModelProblem for a tokenizer that cannot be used */
  constructor(bytes: Buffer, path: string, { mostTokens, isLowerCase }: InputSettings, textCount: 1 | 2) {
    this.#loaded = loadTokenizer(bytes, path);
    this.#isLowerCase = isLowerCase;
    this.#most = mostTokens - this.#around([], textCount === 1 ? null : []).tokens.length;
    if (this.#most < textCount)
      throw new ModelProblem(`${path} adds as many tokens to a text as the model reads`);
  }

  /** The tokens of a text, without those around it. */
  tokensOf(text: string): readonly string[] {
    return this.#loaded.tokenizer.tokenize(this.#isLowerCase ? text.toLowerCase() : text);
  }

  /** The input for one text; of a longer one, for its beginning. */
  one(tokens: readonly string[]): GraphInput {
    return this.#input(tokens.slice(0, this.#most), null, tokens.length > this.#most);
  }

  /** The input for a pair. Of the longer text more is left out, as the reference implementation does. */
  pair(left: readonly string[], right: readonly string[]): GraphInput {
    const most = this.#most;
    if (left.length + right.length <= most) return this.#input(left, right, false);
    const half = most >> 1;
    const shorter = Math.min(left.length, right.length, half);
    const isLeftShorter = left.length <= right.length;
    const [ofLeft, ofRight] = isLeftShorter ? [shorter, most - shorter] : [most - shorter, shorter];
    return this.#input(left.slice(0, ofLeft), right.slice(0, ofRight), true);
  }

  #input(left: readonly string[], right: readonly string[] | null, isCut: boolean): GraphInput {
    const { tokens, token_type_ids: types = [] } = this.#around(left, right);
    const { model } = this.#loaded;
    const found = tokens.flatMap((token, at) => {
      const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
      return id === undefined ? [] : [{ id, type: types[at] ?? 0 }];
    });
    return { ids: found.map(({ id }) => id), types: found.map(({ type }) => type), isCut };
  }

  #around(left: readonly string[], right: readonly string[] | null) {
    const { post_processor: around } = this.#loaded.tokenizer;
    return around === null ? { tokens: [...left, ...(right ?? [])] } : around(left, right, true);
  }
}
