// Real weights: the vectors are those of the reference implementation, and searches find other words for the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findLocalModels } from '../../src/data-service/embedding/local/find-local-models.js';
import { StaticModel } from '../../src/data-service/embedding/local/static-model.js';
import { send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';

const python = process.env['MODELS_PYTHON'];
const skip = python === undefined && 'MODELS_PYTHON names no Python that has model2vec; .ci/run sets one up';
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

/** Writes the models and returns the vectors of `texts` by the name of the model. */
function makeReference(directory: string): Readonly<Record<string, readonly (readonly number[])[]>> {
  const [given, result] = [join(directory, '.texts.json'), join(directory, '.vectors.json')];
  writeFileSync(given, JSON.stringify(texts));
  execFileSync(python ?? '', [join(sources, 'reference.py'), directory, given, result], { stdio: 'inherit' });
  return JSON.parse(readFileSync(result, 'utf8')) as Record<string, number[][]>; // what reference.py writes
}

describe('models with real weights', { skip }, () => {
  const directory = makeTemporaryDirectory();
  const reference = python === undefined ? {} : makeReference(directory);

  for (const name of ['tokenlearn', 'half', 'single']) {
    it(`makes the vectors of the reference implementation: ${name}`, () => {
      const model = new StaticModel({ root: realpathSync(directory), name });
      const wanted = reference[name] ?? [];
      assert.equal(wanted.length, texts.length);
      for (const [at, text] of texts.entries()) {
        const { vector: found } = model.vectorOf(text, 'passage');
        const difference = Math.max(
          ...found.map((part, place) => Math.abs(part - (wanted[at]?.[place] ?? 0))),
        );
        assert.ok(difference < 0.001, `${difference} for ${JSON.stringify(text.slice(0, 60))}`);
      }
    });
  }

  it('finds of 200 questions in other words what the lexical provider misses', async (test) => {
    assert.equal(pairs.length, 200);
    assert.deepEqual(findLocalModels(directory).problems, []);
    await withServer({ args: ['--models', directory] }, async ({ url }) => {
      const lexical = await countFound(url, { provider: 'colonnade', modelName: 'hashed-ngrams' }, test);
      const trained = await countFound(url, { provider: 'local', modelName: 'tokenlearn' }, test);
      assert.ok(lexical.ofTen <= 20, `${lexical.ofTen} of 200 are among ten by letters and words`);
      assert.ok(trained.ofTen >= 80, `${trained.ofTen} of 200 are among ten by meaning`);
    });
  });
});

/** How many questions find their text first, and among the first ten. */
async function countFound(
  url: string,
  service: { readonly provider: string; readonly modelName: string },
  test: TestContext,
): Promise<{ readonly first: number; readonly ofTen: number }> {
  const { provider } = service;
  const path = `/default_keyspace/${provider}`;
  const create = { createCollection: { name: provider, options: { vector: { service } } } };
  await send(url, '/default_keyspace', JSON.stringify(create));
  const documents = pairs.map(({ passage }, at) => ({ _id: at, $vectorize: passage }));
  for (const part of [documents.slice(0, 100), documents.slice(100)])
    await send(url, path, JSON.stringify({ insertMany: { documents: part } }));
  let [first, ofTen] = [0, 0];
  for (const [at, { question }] of pairs.entries()) {
    const find = { sort: { $vectorize: question }, projection: { _id: 1 }, options: { limit: 10 } };
    const { data } = JSON.parse(await send(url, path, JSON.stringify({ find }))) as Reply; // of a find
    const place = data.documents.findIndex(({ _id }) => _id === at);
    if (place === 0) first += 1;
    if (place >= 0) ofTen += 1;
  }
  test.diagnostic(`${provider}: ${first} of 200 first, ${ofTen} among ten`);
  return { first, ofTen };
}

interface Reply {
  readonly data: { readonly documents: readonly { readonly _id: number }[] };
}
