// Models of words: their vectors in every form of numbers, and files that cannot be used.
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findLocalModels } from '../../src/data-service/embedding/local/find-local-models.js';
import { ModelProblem } from '../../src/data-service/embedding/local/model-problem.js';
import { type MadeVector, StaticModel } from '../../src/data-service/embedding/local/static-model.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import {
  floats,
  type ModelFileChanges,
  rows,
  safetensorsFile,
  tokenizer,
  tokens,
  writeStaticModel,
} from './model-files.js';

function open(changes: ModelFileChanges = {}): StaticModel {
  const root = realpathSync(makeTemporaryDirectory());
  writeStaticModel(root, 'm', changes);
  return new StaticModel({ root, name: 'm' });
}

function shown({ vector }: MadeVector): readonly number[] {
  return Array.from(vector, (part) => Number(part.toFixed(4)));
}

const notNormalized = { 'config.json': { normalize: false } };

describe('a model of words', () => {
  it('makes the mean of the vectors of the tokens that it knows', () => {
    const model = open(notNormalized);
    assert.equal(model.dimension, 4);
    assert.deepEqual(shown(model.vectorOf('Boiler, ROOF!', 'passage')), [0.5, 0.5, 0, 0]);
    assert.deepEqual(shown(model.vectorOf('roofs', 'passage')), [0, 0.5, 0, 0.0625]);
    assert.deepEqual(shown(model.vectorOf('boiler', 'passage')), [1, 0, 0, 0]);
  });

  it('divides by the length where the settings say so, in both layouts', () => {
    const length = Math.hypot(1, 1.25);
    const wanted = [1 / length, 1.25 / length, 0, 0].map((part) => Number(part.toFixed(4)));
    assert.deepEqual(shown(open().vectorOf('heating roof', 'passage')), wanted);
    const weights = safetensorsFile({ 'embedding.weight': floats(rows) });
    const byModules = open({
      ...{ 'config.json': undefined, 'tokenizer.json': undefined, 'model.safetensors': undefined },
      '0_StaticEmbedding/tokenizer.json': tokenizer,
      '0_StaticEmbedding/model.safetensors': weights,
      'modules.json': [
        { idx: 0, path: '0_StaticEmbedding', type: 'sentence_transformers.models.StaticEmbedding' },
        { idx: 1, path: '1_Normalize', type: 'sentence_transformers.models.Normalize' },
      ],
    });
    assert.deepEqual(shown(byModules.vectorOf('heating roof', 'passage')), wanted);
  });

  it('has the same vectors in every form of numbers that can hold them', () => {
    const flat = rows.flat().map((part) => (part === 9 ? 1 : part));
    const shape = [tokens.length, 4];
    const bits = new Uint32Array(Float32Array.from(flat).buffer);
    const half = flat.map((part) => (part === 0 ? 0 : ((15 + Math.log2(part)) << 10) >>> 0));
    const forms = {
      F64: new Uint8Array(Float64Array.from(flat).buffer),
      BF16: new Uint8Array(Uint16Array.from(bits, (pattern) => pattern >>> 16).buffer),
      F16: new Uint8Array(Uint16Array.from(half).buffer),
      I8: new Uint8Array(Int8Array.from(flat, (part) => part * 8)),
    };
    const wanted = shown(open().vectorOf('the heating invoices', 'passage'));
    for (const [type, bytes] of Object.entries(forms)) {
      const model = open({ 'model.safetensors': safetensorsFile({ embeddings: { type, shape, bytes } }) });
      assert.deepEqual(shown(model.vectorOf('the heating invoices', 'passage')), wanted, type);
    }
  });

  it('follows the rows and weights of a smaller matrix', () => {
    const mapping = BigInt64Array.from(tokens, (_, id) => BigInt(id % 2));
    const weights = Float32Array.from(tokens, (_, id) => id);
    const length = [tokens.length];
    const model = open({
      ...notNormalized,
      'model.safetensors': safetensorsFile({
        mapping: { type: 'I64', shape: length, bytes: new Uint8Array(mapping.buffer) },
        weights: { type: 'F32', shape: length, bytes: new Uint8Array(weights.buffer) },
        embeddings: floats([
          [1, 0],
          [0, 1],
        ]),
      }),
    });
    assert.deepEqual(shown(model.vectorOf('boiler heating', 'passage')), [1, 1.5]);
  });

  it('puts the prompts before texts, and leaves out what is beyond the longest text', () => {
    const prompts = { 'config_sentence_transformers.json': { prompts: { query: 'query: ' } } };
    const model = open({ ...notNormalized, ...prompts });
    assert.deepEqual(shown(model.vectorOf('boiler', 'passage')), [1, 0, 0, 0]);
    assert.deepEqual(shown(model.vectorOf('boiler', 'query')), [0.3333, 0, 0, 0.5]);
    const short = open({ 'config.json': { normalize: false, max_length: 2 } });
    assert.deepEqual(shown(short.vectorOf('roof roof boiler', 'passage')), [0, 1, 0, 0]);
  });

  it('makes equal parts of a text without a token that it knows', () => {
    for (const text of ['', ' ', 'xyz', '[UNK]', '🎉'])
      assert.deepEqual(shown(open().vectorOf(text, 'passage')), [0.5, 0.5, 0.5, 0.5], text);
  });

  it('has another fingerprint with other weights, another tokenizer or other settings, and no other time', () => {
    const first = open().fingerprint;
    assert.match(first, /^[0-9a-f]{32}$/);
    assert.equal(open({ 'README.md': 'other words' }).fingerprint, first);
    const others: readonly ModelFileChanges[] = [
      { 'model.safetensors': safetensorsFile({ embeddings: floats(rows.map((row) => [...row].reverse())) }) },
      { 'tokenizer.json': `${JSON.stringify(tokenizer)} ` },
      notNormalized,
      { 'config_sentence_transformers.json': { prompts: { query: 'query: ' } } },
    ];
    const all = others.map((changes) => open(changes).fingerprint);
    assert.equal(new Set([first, ...all]).size, 5);
  });
});

describe('a model that cannot be used', () => {
  const good = safetensorsFile({ embeddings: floats(rows) });
  const headed = (header: string, data = 0) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    return Buffer.concat([length, Buffer.from(header), Buffer.alloc(data)]);
  };
  const tensor = (dtype: string, shape: readonly number[], offsets: readonly number[], data: number) =>
    headed(JSON.stringify({ embeddings: { dtype, shape, data_offsets: offsets } }), data);
  const weights = (file: Uint8Array) => ({ 'model.safetensors': file });
  const numbers = (changed: readonly (readonly number[])[]) =>
    weights(safetensorsFile({ embeddings: floats(changed) }));
  const hugeHeader = Buffer.alloc(16);
  hugeHeader.writeBigUInt64LE(2n ** 62n);
  const cases: readonly (readonly [name: string, changes: ModelFileChanges, problem: RegExp])[] = [
    ['is cut in its header', weights(good.subarray(0, 40)), /it is cut: its header has no end/],
    [
      'is cut in its numbers',
      weights(good.subarray(0, -1)),
      /is cut, or too long: it has 175 bytes .* not 176/,
    ],
    ['is longer than its tensors', weights(Buffer.concat([good, Buffer.alloc(1)])), /177 bytes .* not 176/],
    ['is empty', weights(Buffer.alloc(0)), /its header has no end/],
    ['has a huge header', weights(hugeHeader), /its header has no end/],
    ['has no JSON as its header', weights(headed('{"a":')), /the header of model\.safetensors is not JSON/],
    ['has no tensors', weights(headed('{}')), /has 0 tensors/],
    ['has a tensor of an unknown type', weights(tensor('X9', [1, 1], [0, 4], 4)), /without a known type/],
    ['has a negative size', weights(tensor('F32', [-1, -1], [0, 4], 4)), /without a known type, a shape/],
    ['has a shape that does not fit', weights(tensor('F32', [2, 2], [0, 4], 4)), /in 4 bytes instead of 16/],
    ['has a gap', weights(tensor('F32', [1, 1], [4, 8], 8)), /a gap or an overlap before "embeddings"/],
    ['has too many dimensions', weights(tensor('I8', [1, 9000], [0, 9000], 9000)), /of shape \[1,9000\]/],
    ['has a list instead of a matrix', weights(tensor('F32', [4], [0, 16], 16)), /of shape \[4\]/],
    ['has integers as numbers', weights(tensor('I64', [1, 1], [0, 8], 8)), /of the type I64/],
    [
      'has other tensors',
      weights(safetensorsFile({ 'encoder.weight': floats(rows) })),
      /it is not a model of words/,
    ],
    ['lacks its weights', { 'model.safetensors': undefined }, /model\.safetensors is missing/],
    ['lacks its tokenizer', { 'tokenizer.json': undefined }, /tokenizer\.json is missing/],
    ['has no JSON as its settings', { 'config.json': '{' }, /config\.json is not JSON/],
    ['has settings that are too large', { 'config.json': ' '.repeat(1_048_577) }, /has 1048577 bytes/],
    ['has a text as its length', { 'config.json': { max_length: 'long' } }, /"max_length", which must/],
    ['has a step that is not known', { 'modules.json': [{ path: '', type: 'a.Dense' }] }, /the step "Dense"/],
    [
      'has a folder that leads out',
      { 'modules.json': [{ path: '../other', type: 'a.StaticEmbedding' }] },
      /the path "\.\.\/other", which leads out of the model/,
    ],
    [
      'has a number as a prompt',
      { 'config_sentence_transformers.json': { prompts: { query: 1 } } },
      /a prompt that is not a text/,
    ],
  ];
  for (const [name, changes, problem] of cases) {
    it(`${name}: the start names it`, () => {
      const root = realpathSync(makeTemporaryDirectory());
      writeStaticModel(root, 'bad', changes);
      writeStaticModel(root, 'good');
      const { models, problems } = findLocalModels(root);
      assert.deepEqual(
        models.map((model) => model.name),
        ['good'],
      );
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
      assert.ok(problems[0]?.startsWith(join(root, 'bad: ')), problems[0]);
    });
  }

  const atUse: readonly (readonly [name: string, changes: ModelFileChanges, problem: RegExp])[] = [
    [
      'has a number that is not finite',
      numbers([[Number.NaN, 1, 1, 1], ...rows.slice(1)]),
      /is not finite, at 0/,
    ],
    ['has an infinite number', numbers([...rows.slice(1), [0, 0, 0, -1 / 0]]), /is not finite, at 43/],
    ['has fewer rows than tokens', numbers(rows.slice(1)), /has 10 rows for the 11 tokens/],
    ['has a tokenizer without a model', { 'tokenizer.json': {} }, /tokenizer\.json cannot be used/],
    ['has a tokenizer that is an array', { 'tokenizer.json': [] }, /tokenizer\.json cannot be used/],
    ['has a tokenizer that is cut', { 'tokenizer.json': '{"model":' }, /tokenizer\.json is not JSON/],
    [
      'has a tokenizer without tokens',
      { 'tokenizer.json': { ...tokenizer, added_tokens: [], model: { ...tokenizer.model, vocab: {} } } },
      /has no tokens/,
    ],
  ];
  for (const [name, changes, problem] of atUse) {
    it(`${name}: its first use fails`, () => {
      assert.throws(
        () => open(changes),
        (error) => error instanceof ModelProblem && problem.test(error.message),
      );
    });
  }

  it('has files behind symbolic links that lead out, or to a folder', () => {
    const root = realpathSync(makeTemporaryDirectory());
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'model.safetensors'), good);
    writeStaticModel(root, 'out', { 'model.safetensors': undefined });
    symlinkSync(join(outside, 'model.safetensors'), join(root, 'out', 'model.safetensors'));
    writeStaticModel(root, 'folder', { 'model.safetensors': undefined });
    mkdirSync(join(root, 'folder', 'model.safetensors'));
    writeStaticModel(root, 'good');
    writeStaticModel(root, 'linked', { 'model.safetensors': undefined });
    symlinkSync(join('..', 'good', 'model.safetensors'), join(root, 'linked', 'model.safetensors'));
    writeStaticModel(root, 'not a name');
    mkdirSync(join(root, '.unfinished'));
    writeFileSync(join(root, 'README.md'), 'not a model');
    const { models, problems } = findLocalModels(root);
    assert.deepEqual(
      models.map(({ name }) => name),
      ['good', 'linked'],
    );
    assert.equal(models[0]?.fingerprint, models[1]?.fingerprint);
    assert.match(problems[0] ?? '', /folder: model\.safetensors cannot be read: .* is a directory/);
    assert.match(problems[1] ?? '', /the name of a model must be/);
    assert.match(problems[2] ?? '', /out: model\.safetensors is a symbolic link that leads out/);
    assert.equal(problems.length, 3);
  });

  it('is in a directory that does not exist', () => {
    assert.match(
      findLocalModels('/nowhere/models').problems[0] ?? '',
      /\/nowhere\/models cannot be read: ENOENT/,
    );
  });
});
