// Writes small models of words for tests: in them, words of the same topic have the same vector.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A tensor to write. */
export interface WrittenTensor {
  readonly type: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** A file of the format safetensors. */
export function safetensorsFile(tensors: Readonly<Record<string, WrittenTensor>>): Buffer {
  let end = 0;
  const header = Object.entries(tensors).map(([name, { type, shape, bytes }]) => {
    const begin = end;
    end += bytes.length;
    return [name, { dtype: type, shape, data_offsets: [begin, end] }] as const;
  });
  const text = Buffer.from(JSON.stringify(Object.fromEntries(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

/** A tensor of 32-bit floats. */
export function floats(rows: readonly (readonly number[])[]): WrittenTensor {
  const bytes = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  return { type: 'F32', shape: [rows.length, rows[0]?.length ?? 0], bytes };
}

/** The words of the tokenizer; the number of a token is its place. */
export const tokens = [
  '[UNK]',
  '[CLS]',
  'boiler',
  'heating',
  'roof',
  'tiles',
  'invoice',
  '##s',
  'the',
  'query',
  ':',
];

/** A vector for each of `tokens`: repairs of a heating, of a roof, and bills have a dimension each. */
export const rows: readonly (readonly number[])[] = [
  [9, 9, 9, 9],
  [9, 9, 9, 9],
  [1, 0, 0, 0],
  [1, 0.25, 0, 0],
  [0, 1, 0, 0],
  [0, 1, 0.25, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 0.125],
  [0.125, 0.125, 0.125, 0.125],
  [0, 0, 0, 1],
  [0, 0, 0, 0.5],
];

/** A tokenizer for words in lower case. */
export const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [0, 1].map((id) => ({
    ...{ id, content: tokens[id], special: true, normalized: false },
    ...{ single_word: false, lstrip: false, rstrip: false },
  })),
  normalizer: {
    ...{ type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true },
    ...{ strip_accents: null, lowercase: true },
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: null,
  model: {
    ...{
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
  },
};

/** Further or other files of a model, by their paths; undefined leaves a file out. */
export type ModelFileChanges = Readonly<Record<string, string | Uint8Array | object | undefined>>;

/** Writes a model of words into `directory/name`. */
export function writeStaticModel(directory: string, name: string, changes: ModelFileChanges = {}): void {
  const files: ModelFileChanges = {
    'config.json': { model_type: 'model2vec', normalize: true },
    'tokenizer.json': tokenizer,
    'model.safetensors': safetensorsFile({ embeddings: floats(rows) }),
    ...changes,
  };
  writeModelFiles(join(directory, name), files);
}

/** Writes the files of a model into a folder. */
export function writeModelFiles(folder: string, files: ModelFileChanges): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) continue;
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, isRaw ? content : JSON.stringify(content));
  }
}
