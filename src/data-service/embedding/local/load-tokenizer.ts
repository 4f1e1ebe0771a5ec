// Loads the tokenizer.json of a model. Only this file imports `@huggingface/tokenizers`.
import { Tokenizer } from '@huggingface/tokenizers';
import { membersOfJson, parseModelJson } from './model-files.js';
import { ModelProblem } from './model-problem.js';

/** A tokenizer with its model of words. */
export interface LoadedTokenizer {
  readonly tokenizer: Tokenizer;
  readonly model: NonNullable<Tokenizer['model']>;
}

/** The tokenizer of a file. @throws ModelProblem for one that cannot be used */
export function loadTokenizer(bytes: Buffer, path: string): LoadedTokenizer {
  const json = parseModelJson(bytes, path);
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer(withoutGaps(json), {});
  } catch (error) {
    throw new ModelProblem(
      `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const { model } = tokenizer;
  if (model === null || model.tokens_to_ids.size === 0) throw new ModelProblem(`${path} has no tokens`);
  return { tokenizer, model };
}

/** The library wants members that may be left out in the file. */
function withoutGaps(json: unknown): object {
  const absent = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    added_tokens: [],
  };
  return { ...absent, ...membersOfJson(json) };
}
