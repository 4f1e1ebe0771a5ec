// Real weights: the vectors are those of the reference implementation, and searches find other words for the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findLocalModels } from '../../src/data-service/embedding/local/find-local-models.js';
import { DirectoryRunner } from '../../src/data-service/embedding/local/local-model-runner.js';
import { hasOnnxRuntime } from '../../src/data-service/embedding/local/onnx-runtime.js';
import { StaticModel } from '../../src/data-service/embedding/local/static-model.js';
import { send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';

const python = process.env['MODELS_PYTHON'];
const skip = python === undefined && 'MODELS_PYTHON names no Python that has model2vec; .ci/run sets one up';
const withoutRuntime = !hasOnnxRuntime() && 'onnxruntime-node is not installed; .ci/run installs it';
const sources = fileURLToPath(new URL('../../../tests/local-models/', import.meta.url));

/** A text that is stored and a question about it, which share no word but those of grammar. */
const pairs = readFileSync(join(sources, 'questions.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [passage = '', question = ''] = line.split(' | ');
    return { passage, question };
  });

const texts = [
  ...pairs.flatMap(({ passage, question }) => [passage, question]),
  ...["don't stop; it's 5.00€ (half-price)!", 'naïve café', 'e\u0301 combining', '1234567890 3.14159 -42'],
  ...['東京の天気はどうですか', '这是一个测试', 'Привет, как дела?', 'مرحبا بالعالم', '한국어 텍스트'],
  ...[
    '😀 emoji and words 🎉',
    '<unk> literal',
    'a <pad> b',
    'ﬁne ligature ① ２',
    '▁under▁score',
    '~tilde ～full',
  ],
  ...['x'.repeat(3000), 'word '.repeat(2000), 'tab\tnew\nline  double   space', '\u00a0nbsp\u200bzw'],
  ...['https://example.com/a/b?c=d#e', "SELECT * FROM t WHERE a = 'b';", '…quote ‘single’ “double”'],
];

/** Texts for transformers, whose reference takes longer; the last ones are too long for them. */
const graphTexts = [...texts.slice(0, 20), ...texts.slice(400)];
/** Queries and passages: of usual lengths, and with a query or a passage that is too long, or both. */
const ranked = [
  ...pairs
    .slice(0, 30)
    .map(({ passage, question }, at) => [question, pairs[(at * 7) % 30]?.passage ?? passage]),
  ...pairs.slice(0, 4).map(({ passage, question }) => [question, `${passage} `.repeat(12)]),
  ...pairs.slice(0, 4).map(({ passage, question }) => [`${question} `.repeat(12), passage]),
  ...pairs.slice(0, 4).map(({ passage, question }) => [`${question} `.repeat(12), `${passage} `.repeat(9)]),
  ['', 'an empty query'],
  ['an empty passage', ''],
].map(([query = '', passage = '']) => ({ query, passage }));

interface Reference {
  /** The vectors of `texts` or `graphTexts`, by the name of the model. */
  readonly vectors: Readonly<Record<string, readonly (readonly number[])[]>>;
  /** The scores of `ranked`, by the name of the model. */
  readonly scores: Readonly<Record<string, readonly number[]>>;
}

/** Writes the models, and returns what the reference implementations make of texts. */
function makeReference(directory: string): Reference {
  const [given, result] = [join(directory, '.texts.json'), join(directory, '.vectors.json')];
  const asPairs = ranked.map(({ query, passage }) => [query, passage]);
  writeFileSync(given, JSON.stringify({ texts, graphTexts, pairs: asPairs }));
  execFileSync(python ?? '', [join(sources, 'reference.py'), directory, given, result], { stdio: 'inherit' });
  return JSON.parse(readFileSync(result, 'utf8')) as Reference; // what reference.py writes
}

/** Fails for a vector that differs from the wanted one. */
function assertNear(found: Iterable<number>, wanted: readonly number[] | undefined, what: string): void {
  const difference = Math.max(
    ...Array.from(found, (part, at) => Math.abs(part - (wanted?.[at] ?? Number.NaN))),
  );
  assert.ok(difference < 0.001, `${difference} for ${JSON.stringify(what.slice(0, 60))}`);
}

describe('models with real weights', { skip }, () => {
  const directory = makeTemporaryDirectory();
  const reference = python === undefined ? { vectors: {}, scores: {} } : makeReference(directory);
  const { models, problems } = findLocalModels(directory);
  const runner = new DirectoryRunner(directory, models);
  after(() => runner.close());
  const limits = { timeoutMs: 60_000, signal: new AbortController().signal };

  it('can all be used', () => assert.deepEqual(problems, []));

  for (const name of ['tokenlearn', 'half', 'single']) {
    it(`makes the vectors of the reference implementation: ${name}`, () => {
      const model = new StaticModel({ root: realpathSync(directory), name });
      const wanted = reference.vectors[name] ?? [];
      assert.equal(wanted.length, texts.length);
      for (const [at, text] of texts.entries())
        assertNear(model.vectorOf(text, 'passage').vector, wanted[at], text);
    });
  }

  for (const name of ['minilm', 'minilm-cls']) {
    it(`makes the vectors of the arithmetic of BERT: ${name}`, { skip: withoutRuntime }, async () => {
      const fingerprint = models.find((model) => model.name === name)?.fingerprint ?? '';
      const wanted = { model: name, fingerprint, purpose: 'passage', texts: graphTexts, ...limits } as const;
      const { vectors, cut } = await runner.embed(wanted);
      assert.equal(vectors.length, graphTexts.length);
      for (const [at, vector] of vectors.entries())
        assertNear(vector, reference.vectors[name]?.[at], graphTexts[at] ?? '');
      assert.deepEqual(cut?.mostTokens, name === 'minilm' ? 256 : 16);
    });
  }

  for (const name of ['reranker', 'reranker-sigmoid']) {
    it(`makes the scores of the arithmetic of BERT: ${name}`, { skip: withoutRuntime }, async () => {
      const scores: number[] = [];
      for (const { query, passage } of ranked) {
        const found = await runner.rank({ model: name, query, passages: [passage], ...limits });
        scores.push(...found.scores);
      }
      assertNear(scores, reference.scores[name], name);
      assert.ok(new Set(scores.map((score) => score.toFixed(2))).size > 10);
      const [first] = ranked;
      const passages = ranked.map(({ passage }) => passage);
      const together = await runner.rank({ model: name, query: first?.query ?? '', passages, ...limits });
      assertNear(together.scores.slice(0, 1), reference.scores[name]?.slice(0, 1), 'in a batch');
      assert.deepEqual(together.cut, { count: 8, mostTokens: 48 });
    });
  }

  it('finds of 200 questions in other words what the lexical provider misses', async (test) => {
    assert.equal(pairs.length, 200);
    if (withoutRuntime !== false)
      for (const { name, kind } of models)
        if (kind !== 'words') rmSync(join(directory, name), { recursive: true });
    await withServer({ args: ['--models', directory] }, async ({ url }) => {
      const lexical = await countFound(url, { provider: 'colonnade', modelName: 'hashed-ngrams' }, test);
      const words = await countFound(url, { provider: 'local', modelName: 'tokenlearn' }, test);
      assert.ok(lexical.ofTen <= 20, `${lexical.ofTen} of 200 are among ten by letters and words`);
      assert.ok(words.ofTen >= 80, `${words.ofTen} of 200 are among ten by a model of words`);
      if (withoutRuntime !== false) return;
      const transformer = await countFound(url, { provider: 'local', modelName: 'minilm' }, test);
      assert.ok(transformer.ofTen >= 150, `${transformer.ofTen} of 200 are among ten by a transformer`);
    });
  });
});

/** How many questions find their text first, and among the first ten. */
async function countFound(
  url: string,
  service: { readonly provider: string; readonly modelName: string },
  test: TestContext,
): Promise<{ readonly first: number; readonly ofTen: number }> {
  const name = service.modelName.replaceAll('-', '_');
  const path = `/default_keyspace/${name}`;
  const create = { createCollection: { name, options: { vector: { service } } } };
  await send(url, '/default_keyspace', JSON.stringify(create));
  const documents = pairs.map(({ passage }, at) => ({ _id: at, $vectorize: passage }));
  for (let at = 0; at < documents.length; at += 20)
    await sendWhenLoaded(url, path, { insertMany: { documents: documents.slice(at, at + 20) } });
  let [first, ofTen] = [0, 0];
  for (const [at, { question }] of pairs.entries()) {
    const find = { sort: { $vectorize: question }, projection: { _id: 1 }, options: { limit: 10 } };
    const { data } = JSON.parse(await sendWhenLoaded(url, path, { find })) as Reply; // of a find
    const place = data.documents.findIndex(({ _id }) => _id === at);
    if (place === 0) first += 1;
    if (place >= 0) ofTen += 1;
  }
  test.diagnostic(`${name}: ${first} of 200 first, ${ofTen} among ten`);
  return { first, ofTen };
}

/** Sends a command again while it lasts too long: on a busy machine, a model may load longer than a command waits. */
async function sendWhenLoaded(url: string, path: string, command: object): Promise<string> {
  for (;;) {
    try {
      return await send(url, path, JSON.stringify(command));
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('EMBEDDING_PROVIDER_TIMEOUT')) throw error;
    }
  }
}

interface Reply {
  readonly data: { readonly documents: readonly { readonly _id: number }[] };
}
