// Transformers and rerankers with a runtime of tests: pooling, limits, failures of their process, and their files.
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  findLocalModels,
  type LocalModel,
} from '../../src/data-service/embedding/local/find-local-models.js';
import { DirectoryRunner } from '../../src/data-service/embedding/local/local-model-runner.js';
import { ProviderFailure } from '../../src/data-service/embedding/provider-failure.js';
import { makeTemporaryDirectory, runColonnade } from '../acceptance/start-server.js';
import { hiddenStates, steps, writeFakeRuntime, writeReranker, writeTransformer } from './graph-files.js';
import { type ModelFileChanges, tokenizer, writeStaticModel } from './model-files.js';

const directory = realpathSync(makeTemporaryDirectory());
const path = writeFakeRuntime(makeTemporaryDirectory());
process.env['NODE_PATH'] = path; // the process of transformers gets it

const normalized = [
  ...steps,
  { idx: 2, path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
];
const cls = { word_embedding_dimension: 4, pooling_mode_cls_token: true, pooling_mode_mean_tokens: false };
const prompts = { prompts: { query: 'query: ', document: '' } };
const graph = (changes: Parameters<typeof hiddenStates>[0]) => ({ 'onnx/model.onnx': hiddenStates(changes) });
const transformers: Readonly<Record<string, ModelFileChanges>> = {
  mean: {},
  cls: { '1_Pooling/config.json': cls },
  later: { '1_Pooling/config.json': { embedding_dimension: 4, pooling_mode: 'mean' } },
  normalized: { 'modules.json': normalized },
  bare: { 'modules.json': undefined },
  prompts: { 'config_sentence_transformers.json': prompts },
  short: { 'sentence_bert_config.json': { max_seq_length: 4, do_lower_case: true } },
  // One input, another name of the result, and the graph beside the settings.
  plain: { 'onnx/model.onnx': undefined, 'model.onnx': hiddenStates({ outputs: ['x', 'token_embeddings'] }) },
  exit: graph({ fault: 'exit' }),
  error: graph({ fault: 'error' }),
  integers: graph({ fault: 'integers' }),
  infinite: graph({ fault: 'infinite' }),
  wide: graph({ table: [[1, 2]] }),
  inputs: graph({ inputs: ['input_ids', 'position_ids'] }),
  outputs: graph({ outputs: ['sentence_embedding'] }),
  broken: { 'onnx/model.onnx': 'not a graph' },
};
for (const [name, changes] of Object.entries(transformers)) writeTransformer(directory, name, changes);
writeReranker(directory, 'ranks');
writeReranker(directory, 'sigmoid', {
  'config.json': { architectures: ['XForSequenceClassification'], num_labels: 1, max_position_embeddings: 9 },
});
writeStaticModel(directory, 'words');
const { models, problems } = findLocalModels(directory);
const runner = new DirectoryRunner(directory, models);
after(() => runner.close());

const limits = { timeoutMs: 30_000, signal: new AbortController().signal };

function embed(
  name: string,
  texts: readonly string[],
  purpose: 'passage' | 'query' = 'passage',
  fingerprint = models.find((model) => model.name === name)?.fingerprint ?? '',
) {
  return runner.embed({ model: name, fingerprint, purpose, texts, ...limits });
}

async function vectorOf(name: string, text: string, purpose: 'passage' | 'query' = 'passage') {
  const { vectors } = await embed(name, [text], purpose);
  return Array.from(vectors[0] ?? [], (part) => Number(part.toFixed(4)));
}

function failed(problem: string, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ProviderFailure);
    assert.match(error.message, message);
    assert.equal(error.problem, problem);
    return true;
  };
}

describe('a transformer', () => {
  it('is found with its kind and dimension', () => {
    assert.deepEqual(problems, []);
    const kinds = (kind: LocalModel['kind']) => models.filter((model) => model.kind === kind).length;
    assert.deepEqual([kinds('transformer'), kinds('reranker'), kinds('words')], [16, 2, 1]);
    for (const model of models) if (model.kind !== 'reranker') assert.equal(model.dimension, 4);
    assert.equal(new Set(models.map(({ fingerprint }) => fingerprint)).size, 17); // `later` and `bare` are as `mean`
  });

  it('makes the mean of the vectors of all tokens, with those around a text', async () => {
    for (const name of ['mean', 'later', 'bare', 'plain'])
      assert.deepEqual(await vectorOf(name, 'boiler roof'), [0.25, 0.25, 0, 1], name);
    assert.deepEqual(await vectorOf('mean', ''), [0, 0, 0, 2]);
  });

  it('takes the first token, or divides by the length, where the settings say so', async () => {
    assert.deepEqual(await vectorOf('cls', 'boiler roof'), [0, 0, 0, 2]);
    const length = Math.hypot(0.25, 0.25, 1);
    const wanted = [0.25, 0.25, 0, 1].map((part) => Number((part / length).toFixed(4)));
    assert.deepEqual(await vectorOf('normalized', 'boiler roof'), wanted);
  });

  it('puts the prompts before texts', async () => {
    assert.deepEqual(await vectorOf('prompts', 'boiler'), await vectorOf('mean', 'boiler'));
    assert.deepEqual(await vectorOf('prompts', 'boiler', 'query'), await vectorOf('mean', 'query: boiler'));
  });

  it('cuts texts at its limit, and counts them', async () => {
    const { cut } = await embed('mean', ['roof', 'roof '.repeat(6), 'roof '.repeat(7), 'roof '.repeat(70)]);
    assert.deepEqual(cut, { count: 2, mostTokens: 8 });
    assert.deepEqual(await vectorOf('short', 'BOILER roof tiles'), await vectorOf('mean', 'boiler roof'));
    assert.equal((await embed('mean', ['roof'])).cut, undefined);
  });

  it('makes the same vector of a text whatever its batch has', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => 'roof boiler '.repeat(at % 5).trim());
    const { vectors } = await embed('mean', texts);
    const alone = await Promise.all(
      ['', 'roof boiler', 'roof boiler roof boiler'].map((text) => vectorOf('mean', text)),
    );
    for (const [at, vector] of vectors.entries()) {
      const wanted = alone[at % 5];
      if (wanted !== undefined)
        assert.deepEqual(
          Array.from(vector, (part) => Number(part.toFixed(4))),
          wanted,
        );
    }
  });

  it('is refused with other files; models of words work beside it', async () => {
    await assert.rejects(
      embed('mean', ['x'], 'passage', 'other'),
      failed('unreachable', /files have changed/),
    );
    const { vectors } = await embed('words', ['boiler']);
    assert.deepEqual(Array.from(vectors[0] ?? []), [1, 0, 0, 0]);
  });

  const failures: readonly (readonly [name: string, problem: string, message: RegExp])[] = [
    ['error', 'serverError', /a node of the graph failed/],
    ['integers', 'unreachable', /its graph makes int64 instead of rows of float32/],
    ['infinite', 'unreachable', /numbers that are not finite/],
    ['wide', 'unreachable', /rows of the shape \[1,\d,2\], and its settings say 4 dimensions/],
    ['inputs', 'unreachable', /the inputs input_ids, position_ids; only input_ids, .* are known/],
    ['outputs', 'unreachable', /the outputs sentence_embedding, none of which is last_hidden_state or/],
    ['broken', 'unreachable', /onnx\/model\.onnx cannot be loaded: /],
    ['exit', 'serverError', /the process of local models ended/],
  ];
  for (const [name, problem, message] of failures)
    it(`fails alone: ${name}`, async () => {
      const text = name === 'wide' ? '[UNK]' : 'roof';
      await assert.rejects(embed(name, [text]), failed(problem, message));
      assert.equal((await embed('mean', ['roof'])).vectors.length, 1);
    });
});

describe('a reranker', () => {
  const rank = (model: string, query: string, passages: readonly string[]) =>
    runner.rank({ model, query, passages, ...limits });

  it('scores passages in their order', async () => {
    const passages = ['roof', 'the boiler', 'boiler heating', ''];
    assert.deepEqual((await rank('ranks', 'boiler heating', passages)).scores, [0, 1, 2, 0]);
    const { scores } = await rank('sigmoid', 'boiler heating', passages);
    assert.deepEqual(
      scores.map((score) => Number(score.toFixed(3))),
      [0.5, 0.731, 0.881, 0.5],
    );
  });

  it('cuts the longer text of a pair, and counts pairs', async () => {
    const { scores, cut } = await rank('ranks', 'boiler roof', [
      'tiles tiles tiles roof',
      'tiles tiles tiles tiles roof',
    ]);
    assert.deepEqual(scores, [1, 0]);
    assert.deepEqual(cut, { count: 1, mostTokens: 9 });
    assert.deepEqual((await rank('ranks', 'tiles tiles tiles tiles roof', ['the roof'])).scores, [0]);
  });

  it('is not a transformer, nor the other way round', async () => {
    await assert.rejects(rank('mean', 'x', ['y']), failed('unreachable', /of the kind "transformer"/));
    await assert.rejects(rank('none', 'x', ['y']), failed('unreachable', /of the kind "words"/));
  });
});

describe('a transformer or reranker that cannot be used', () => {
  const pooling = (json: object) => ({ '1_Pooling/config.json': json });
  const config = (json: object) => ({ 'config.json': json });
  const cases: readonly (readonly [name: string, changes: ModelFileChanges, problem: RegExp])[] = [
    [
      'lacks its graph',
      { 'onnx/model.onnx': undefined },
      /onnx\/model\.onnx is missing: .*optimum-cli export/,
    ],
    ['has weights in another file', { 'onnx/model.onnx_data': 'x' }, /only graphs in one file can be used/],
    ['lacks its tokenizer', { 'tokenizer.json': undefined }, /tokenizer\.json is missing/],
    [
      'has a step that is not known',
      { 'modules.json': [...steps, { path: '', type: 'a.Dense' }] },
      /step "Dense"/,
    ],
    ['has no pooling', { 'modules.json': steps.slice(0, 1) }, /modules\.json has no step "Pooling"/],
    [
      'has another pooling',
      pooling({ pooling_mode: 'lasttoken' }),
      /the pooling "lasttoken", which is neither/,
    ],
    [
      'has two poolings',
      pooling({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: true }),
      /the pooling "cls_token, mean_tokens", which is neither/,
    ],
    [
      'leaves prompts out',
      {
        'config_sentence_transformers.json': prompts,
        ...pooling({ pooling_mode_mean_tokens: true, include_prompt: false }),
      },
      /leaves the prompts out of the mean/,
    ],
    [
      'has no dimension',
      { ...pooling({ pooling_mode_mean_tokens: true }), ...config({ architectures: ['BertModel'] }) },
      /must have "hidden_size", from 1 to 8192/,
    ],
    [
      'has a text as its length',
      { 'sentence_bert_config.json': { max_seq_length: 'long' } },
      /"max_seq_length", which must be a positive integer/,
    ],
    [
      'has three labels',
      config({ architectures: ['BertForSequenceClassification'], id2label: { 0: 'a', 1: 'b', 2: 'c' } }),
      /has 3 labels; a model that ranks passages has one/,
    ],
    [
      'has another activation',
      config({
        architectures: ['BertForSequenceClassification'],
        sbert_ce_default_activation_function: 'a.Tanh',
      }),
      /the activation "Tanh", which is none of/,
    ],
  ];
  for (const [name, changes, problem] of cases)
    it(`${name}: the start names it`, () => {
      const root = realpathSync(makeTemporaryDirectory());
      writeTransformer(root, 'bad', changes);
      const found = findLocalModels(root);
      assert.equal(found.models.length, 0);
      assert.match(found.problems[0] ?? '', problem);
      assert.ok(found.problems[0]?.startsWith(join(root, 'bad: ')), found.problems[0]);
    });

  it('has a tokenizer that adds as many tokens as it reads: its first use fails', async () => {
    const root = realpathSync(makeTemporaryDirectory());
    writeTransformer(root, 'm', { 'sentence_bert_config.json': { max_seq_length: 2 } });
    const found = findLocalModels(root).models;
    const other = new DirectoryRunner(root, found);
    const wanted = { model: 'm', fingerprint: found[0]?.fingerprint ?? '', purpose: 'passage' } as const;
    await assert.rejects(
      other.embed({ ...wanted, texts: ['x'], ...limits }),
      failed('unreachable', /adds as many tokens to a text as the model reads/),
    );
    await other.close();
  });

  it('needs the runtime: the start and the check say what to do', async () => {
    const root = makeTemporaryDirectory();
    writeTransformer(root, 'm');
    const args = ['serve', '--data-dir', join(root, '.data'), '--port=0', '--ops-port=0', '--models', root];
    const started = await runColonnade(args, { NODE_PATH: '' });
    assert.equal(started.code, 2);
    const command = /npm install --ignore-scripts onnxruntime-node/;
    assert.match(started.stderr, /m is a transformer, which needs the package onnxruntime-node/);
    assert.match(started.stderr, command);
    const checked = await runColonnade(['models', 'check', '--models', root], { NODE_PATH: '' });
    assert.equal(checked.code, 1);
    assert.match(checked.stderr, command);
  });

  it('is none where the runtime is: both are listed and can be used', async () => {
    const root = makeTemporaryDirectory();
    writeTransformer(root, 'm');
    writeReranker(root, 'r', { 'tokenizer.json': { ...tokenizer } });
    const { code, stdout, stderr } = await runColonnade(['models', 'check', '--models', root]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^m {2}transformer {2}4 dimensions .* can be used$/m);
    assert.match(stdout, /^r {2}reranker {2}ranks passages .* can be used$/m);
  });
});
