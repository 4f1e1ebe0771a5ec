// Texts become the tokens of a model of words.
import type { Tokenizer } from '@huggingface/tokenizers';
import { GenerationCache } from '../../../foundation/generation-cache.js';
import { loadTokenizer } from './load-tokenizer.js';

/** Words whose tokens are kept: most texts consist of frequent words. */
const keptWords = 40_000;
/** Longer words are rare. */
const longestKeptWord = 40;

/** The tokens of a text. */
export interface ReadTokens {
  /** Their numbers, without those of tokens that are not known. */
  readonly ids: readonly number[];
  /** Whether the text has more tokens than were read. */
  readonly isCut: boolean;
}

/** The tokenizer of a model. */
export class ModelTokens {
  readonly #tokenizer: Tokenizer;
  readonly #words = new GenerationCache<readonly number[]>(keptWords);
  /** Texts that tokens beside the vocabulary have, as `[CLS]`. */
  readonly #marks: readonly string[];
  readonly #tokenIds: ReadonlyMap<string, number>;
  readonly #unknownId: number | undefined;
  /** One more than the largest number of a token. */
  readonly idCount: number;
  /** The median of the lengths of all tokens, in code points, rounded down. */
  readonly medianLength: number;

  /** @throws ModelProblem for a tokenizer that cannot be used */
  constructor(bytes: Buffer, path: string) {
    const { tokenizer, model } = loadTokenizer(bytes, path);
    this.#tokenizer = tokenizer;
    this.#tokenIds = model.tokens_to_ids;
    this.#unknownId = model.unk_token_id;
    this.#marks = [...this.#tokenizer.get_added_tokens_decoder().values()].map(({ content }) => content);
    let most = 0;
    for (const id of model.tokens_to_ids.values()) most = Math.max(most, id);
    this.idCount = most + 1;
    this.medianLength = medianLengthOf([...model.tokens_to_ids.keys()]);
  }

  /**
   * The first `most` tokens of a text. The tokens of a word do not depend on the words beside it, so those of frequent
   * words are kept.
   */
  read(text: string, most: number): ReadTokens {
    const { normalizer, pre_tokenizer: splitter, model } = this.#tokenizer;
    if (this.#marks.some((mark) => text.includes(mark))) return this.#whole(text, most);
    const normal = normalizer === null ? text : normalizer(text);
    if (model === null || this.#marks.some((mark) => normal.includes(mark))) return this.#whole(text, most);
    const words = splitter === null ? [normal] : splitter(normal, { section_index: 0 });
    const ids: number[] = [];
    let count = 0;
    for (const word of words) {
      let found = this.#words.get(word);
      if (found === undefined) {
        found = model([word]).map((token) => this.#tokenIds.get(token) ?? this.#unknownId ?? -1);
        if (word.length <= longestKeptWord) this.#words.set(word, found);
      }
      for (const id of found) {
        count += 1;
        if (count > most) return { ids, isCut: true };
        if (id !== this.#unknownId && id >= 0) ids.push(id);
      }
    }
    return { ids, isCut: false };
  }

  #whole(text: string, most: number): ReadTokens {
    const { ids: all } = this.#tokenizer.encode(text, { add_special_tokens: false });
    const ids = all.slice(0, most).flatMap((id) => (id === undefined || id === this.#unknownId ? [] : [id]));
    return { ids, isCut: all.length > most };
  }
}

/** Model2Vec takes the mean of the two in the middle where the number of tokens is even, and so does this. */
function medianLengthOf(tokens: readonly string[]): number {
  const lengths = Uint32Array.from(tokens, codePointsOf).sort();
  const middle = lengths.length >> 1;
  const [left = 1, right = 1] = [lengths[middle - (lengths.length % 2 === 0 ? 1 : 0)], lengths[middle]];
  return Math.max(1, Math.floor((left + right) / 2));
}

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
