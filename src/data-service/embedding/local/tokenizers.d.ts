// What is used of `@huggingface/tokenizers` 0.2.0: its own types name their modules without extensions, which this
// compiler does not follow.
declare module '@huggingface/tokenizers' {
  /** The tokenizer of a file `tokenizer.json`. */
  export class Tokenizer {
    /** @throws Error for members that are missing or unknown */
    constructor(json: object, config: object);
    readonly normalizer: ((text: string) => string) | null;
    readonly pre_tokenizer:
      | ((text: string, at: { readonly section_index: number }) => readonly string[])
      | null;
    readonly model:
      | (((words: readonly string[]) => readonly string[]) & {
          readonly tokens_to_ids: ReadonlyMap<string, number>;
          readonly unk_token_id?: number;
        })
      | null;
    /** Puts tokens around those of one text, or of two. */
    readonly post_processor:
      | ((
          tokens: readonly string[],
          others: readonly string[] | null,
          isSpecialAdded: boolean,
        ) => { readonly tokens: readonly string[]; readonly token_type_ids?: readonly number[] })
      | null;
    /** The tokens of a text, without those around it. */
    tokenize(text: string): readonly string[];
    /** Numbers are undefined for tokens that neither the vocabulary nor the added tokens have. */
    encode(
      text: string,
      options: { readonly add_special_tokens: boolean },
    ): { readonly ids: readonly (number | undefined)[] };
    /** The tokens beside the vocabulary, by their numbers. */
    get_added_tokens_decoder(): ReadonlyMap<number, { readonly content: string }>;
  }
}
