// Transformers and rerankers for tests, with a runtime in the place of `onnxruntime-node`: its graphs are JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelFileChanges, rows, tokenizer, writeModelFiles } from './model-files.js';

/** What a graph of the runtime does. */
export interface FakeGraph {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The vector of each token, for hidden states. Without it, a row has the number of tokens that both texts have. */
  readonly table?: readonly (readonly number[])[];
  /** Instead of a result: ends its process, fails, or has other numbers. */
  readonly fault?: 'exit' | 'error' | 'integers' | 'infinite';
}

const runtime = `
class Tensor {
  constructor(type, data, dims) { Object.assign(this, { type, data, dims }); }
}
async function create(bytes) {
  const { inputs, outputs, table, fault } = JSON.parse(Buffer.from(bytes).toString());
  const named = (tensor) => Object.fromEntries(outputs.map((name) => [name, tensor]));
  const run = async ({ input_ids: ids, attention_mask: mask, token_type_ids: types }) => {
    if (fault === 'exit') process.kill(process.pid, 'SIGKILL');
    if (fault === 'error') throw new Error('a node of the graph failed');
    const [count, length] = ids.dims;
    if (fault === 'integers') return named(new Tensor('int64', new BigInt64Array(count), [count]));
    if (table !== undefined) {
      const numbers = Float32Array.from([...ids.data].flatMap((id) => table[Number(id)]));
      if (fault === 'infinite') numbers[0] = Number.NaN;
      return named(new Tensor('float32', numbers, [count, length, table[0].length]));
    }
    const scores = Float32Array.from({ length: count }, (_, row) => {
      const all = Array.from({ length }, (_, column) => row * length + column);
      const at = all.filter((place) => mask.data[place] === 1n);
      const of = (type) => at.filter((place) => types.data[place] === type).map((place) => ids.data[place]);
      const [left, right] = [of(0n), of(1n)];
      return new Set(right.filter((id) => left.includes(id))).size - 1;
    });
    return named(new Tensor('float32', scores, [count, 1]));
  };
  return { inputNames: inputs, outputNames: outputs, run };
}
module.exports = { Tensor, InferenceSession: { create } };
`;

/** Writes the runtime into a directory, which is the value of NODE_PATH that finds it. */
export function writeFakeRuntime(directory: string): string {
  const folder = join(directory, 'onnxruntime-node');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), runtime);
  return directory;
}

const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
const special = (type: number) => ({ SpecialToken: { id: '[CLS]', type_id: type } });
const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } });

/** The tokenizer of the models of words, with a token before and behind each text. */
const surrounding = {
  ...tokenizer,
  post_processor: {
    type: 'TemplateProcessing',
    single: [special(0), sequence('A', 0), special(0)],
    pair: [special(0), sequence('A', 0), special(0), sequence('B', 1), special(1)],
    special_tokens: {},
  },
};

/** The steps of a transformer. */
export const steps = [
  { idx: 0, path: '', type: 'sentence_transformers.models.Transformer' },
  { idx: 1, path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
];

/** The graph of a transformer: the vectors of tokens are those of the models of words, and that of `[CLS]` is 0. */
export function hiddenStates(changes: Partial<FakeGraph> = {}): FakeGraph {
  const table = rows.map((row, id) => (id === 1 ? [0, 0, 0, 2] : row));
  return { inputs, outputs: ['last_hidden_state'], table, ...changes };
}

/** Writes a transformer into `directory/name`. */
export function writeTransformer(directory: string, name: string, changes: ModelFileChanges = {}): void {
  writeModelFiles(join(directory, name), {
    'config.json': { architectures: ['BertModel'], hidden_size: 4, max_position_embeddings: 8 },
    'tokenizer.json': surrounding,
    'tokenizer_config.json': { model_max_length: 16 },
    'modules.json': steps,
    '1_Pooling/config.json': { word_embedding_dimension: 4, pooling_mode_mean_tokens: true },
    'onnx/model.onnx': hiddenStates(),
    ...changes,
  });
}

/** Writes a reranker into `directory/name`: its logit is the number of words that a passage has of the query. */
export function writeReranker(directory: string, name: string, changes: ModelFileChanges = {}): void {
  writeModelFiles(join(directory, name), {
    'config.json': {
      ...{ architectures: ['BertForSequenceClassification'], id2label: { 0: 'LABEL_0' } },
      ...{ max_position_embeddings: 9, sentence_transformers: { activation_fn: 'torch.nn.Identity' } },
    },
    'tokenizer.json': surrounding,
    'onnx/model.onnx': { inputs, outputs: ['logits'] },
    ...changes,
  });
}
