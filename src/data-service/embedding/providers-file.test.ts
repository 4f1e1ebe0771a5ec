// Checks the changes that a providers file makes, and that all its problems are reported at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asKnown, makeCatalogue, modelNamed } from './catalogue.js';
import { embeddingProviders } from './providers/registry.js';
import { readProvidersFile } from './providers-file.js';
import { rerankingProviders } from './rerankers/registry.js';

const known = asKnown(embeddingProviders);
const all = { embedding: known, reranking: asKnown(rerankingProviders) };

function read(providers: unknown) {
  const { known: changed, problems } = readProvidersFile(JSON.stringify({ providers }), 'p.json', all);
  return { known: changed.embedding, problems };
}

function entryOf(name: string, facts: unknown) {
  const { known: changed, problems } = read({ [name]: facts });
  assert.deepEqual(problems, []);
  const entry = changed.get(name)?.entry;
  assert.ok(entry);
  return entry;
}

describe('the catalogue', () => {
  it('offers what is enabled and for this region', () => {
    const local = [...makeCatalogue(known, 'local').offered.keys()];
    assert.ok(local.includes('colonnade') && local.includes('openai'));
    for (const name of ['cohere', 'vertexai', 'openaiCompatible']) assert.ok(!local.includes(name), name);
    assert.deepEqual(
      [...makeCatalogue(known, 'eu-west-1').offered.keys()],
      local.filter((name) => name !== 'colonnade'),
    );
  });
});

describe('readProvidersFile', () => {
  it('ignores a byte order mark', () => {
    const text = '\ufeff{"providers":{"openai":{"enabled":false}}}';
    const { known: changed, problems } = readProvidersFile(text, 'p.json', all);
    assert.deepEqual(problems, []);
    assert.equal(changed.embedding.get('openai')?.entry.isEnabled, false);
  });

  it('changes only what it names', () => {
    const own = known.get('openai')?.entry;
    assert.deepEqual(entryOf('openai', {}), own);
    assert.deepEqual(entryOf('openai', { url: 'http://localhost:1/v1', regions: ['a'], timeoutMs: 7 }), {
      ...own,
      url: 'http://localhost:1/v1',
      regions: ['a'],
      limits: { ...own?.limits, timeoutMs: 7 },
    });
    assert.equal(read({ openai: {} }).known.size, known.size);
  });

  it('takes a provider with a format in place of a built-in one of its name', () => {
    const models = [{ name: 'm', dimension: 4 }];
    const own = { format: 'openaiCompatible', url: 'http://localhost:1/v1', models };
    const entry = entryOf('local', own);
    assert.deepEqual(entry, { ...entryOf('mine', own), displayName: 'local' });
  });

  it('turns providers on and off', () => {
    const { known: changed } = read({ openai: { enabled: false }, cohere: { enabled: true } });
    const { offered } = makeCatalogue(changed, 'local');
    assert.deepEqual([offered.has('openai'), offered.has('cohere')], [false, true]);
  });

  it('takes the built-in provider to other regions', () => {
    const { known: changed } = read({ colonnade: { regions: ['local', 'eu-west-1'] } });
    assert.equal(makeCatalogue(changed, 'eu-west-1').offered.has('colonnade'), true);
  });

  it('replaces the models: names of known ones, definitions of others', () => {
    const entry = entryOf('openai', {
      models: [
        'text-embedding-ada-002',
        { name: 'text-embedding-3-large', status: 'DEPRECATED', message: 'Too large.' },
        { name: 'a', dimension: 12 },
        { name: 'b', dimension: { least: 2, most: 9 } },
        { name: 'c', dimension: { options: [2, 4], default: 4 }, status: 'END_OF_LIFE' },
      ],
    });
    assert.deepEqual(
      entry.models.map(({ name, status }) => `${name} ${status}`),
      [
        'text-embedding-ada-002 SUPPORTED',
        'text-embedding-3-large DEPRECATED',
        'a SUPPORTED',
        'b SUPPORTED',
        'c END_OF_LIFE',
      ],
    );
    assert.deepEqual(
      ['text-embedding-3-large', 'a', 'b', 'c'].map((name) => modelNamed(entry, name)?.dimension),
      [
        { kind: 'range', least: 256, most: 3072, default: 3072 },
        { kind: 'fixed', dimension: 12 },
        { kind: 'range', least: 2, most: 9, default: null },
        { kind: 'options', options: [2, 4], default: 4 },
      ],
    );
  });

  it('adds servers of your own, enabled and without a secret unless the file says otherwise', () => {
    const own = {
      format: 'openaiCompatible',
      url: 'http://10.0.0.7:8080/v1',
      models: [{ name: 'm', dimension: 3 }],
    };
    const entry = entryOf('our-gpu', own);
    assert.deepEqual(
      [entry.isEnabled, entry.displayName, entry.authentication.none],
      [true, 'our-gpu', true],
    );
    const strict = entryOf('our-gpu', { ...own, authentication: ['header'], enabled: false });
    assert.deepEqual(strict.authentication, { none: false, header: true, sharedSecret: false });
    assert.equal(strict.isEnabled, false);
  });

  it('reports every problem of a file with its place', () => {
    const { problems } = read({
      openai: {
        url: 'ftp://x',
        enabled: 'yes',
        colour: 1,
        models: ['gpt', { name: 'x' }, 7, { dimension: 0 }],
      },
      azureOpenAI: { url: 'https://{deploymentId}.example/{resourceName}' },
      cohere: { enabled: true, url: 'https://{where}/', maxBatchSize: 0, regions: [] },
      colonnade: { url: 'http://localhost/' },
      openaiCompatible: { enabled: true },
      mine: { url: 'http://a/' },
      'bad name': { format: 'openaiCompatible' },
      nvidia: 7,
      mistral: {
        models: [
          { name: 'm', dimension: { least: 5, most: 4 } },
          { name: 'n', dimension: { options: [] } },
        ],
      },
      voyageAI: { url: 'https://user@host/', authentication: ['magic'] },
    });
    const wanted: readonly RegExp[] = [
      /^"providers"\."openai" in p\.json has "url", which must be an http or https URL/,
      /"openai" in p\.json has "enabled", which must be true or false/,
      /"openai" in p\.json has the unknown member "colour"/,
      /"openai" in p\.json has "models" with the unknown model "gpt", which needs a definition/,
      /"models"\[1\] of "providers"\."openai" in p\.json needs "dimension"/,
      /"openai" in p\.json has "models" whose element 2 is neither/,
      /"models"\[3\] of .* needs "name"/,
      /"models"\[3\] of .* has "dimension", which must be a whole number from 1 to 8192/,
      /"azureOpenAI" in p\.json has "url" with a placeholder that could change the host/,
      /"cohere" in p\.json has "url" with \{where\}, but the placeholders are \{model\}/,
      /"cohere" in p\.json has "maxBatchSize", which must be a whole number from 1 to 10000/,
      /"cohere" in p\.json has "regions", which must be an array of strings/,
      /"colonnade" in p\.json has "url", but this provider runs in the server/,
      /"openaiCompatible" in p\.json needs "url"/,
      /"openaiCompatible" in p\.json needs "models"/,
      /"mine" in p\.json is not one of .*; your own provider needs "format"/,
      /"bad name" in p\.json is not one of/,
      /"nvidia" in p\.json must be an object/,
      /"dimension" of "models"\[0\] of .*"mistral" in p\.json needs "options", or "least" and "most"/,
      /"dimension" of "models"\[1\] of .*"mistral" in p\.json has "options"/,
      /"voyageAI" in p\.json has "url" with a user name/,
      /"voyageAI" in p\.json has "authentication" with "magic"/,
    ];
    for (const problem of wanted)
      assert.ok(
        problems.some((found) => problem.test(found)),
        `${problem}\n${problems.join('\n')}`,
      );
  });

  it('changes reranking providers, and adds servers with the API of a known one', () => {
    const read = (rerankers: unknown) => readProvidersFile(JSON.stringify({ rerankers }), 'p.json', all);
    const models = [{ name: 'own' }, 'nvidia/llama-3.2-nv-rerankqa-1b-v2'];
    const { known: changed, problems } = read({
      nvidia: { timeoutMs: 7 },
      nim: { format: 'nvidia', url: 'http://10.0.0.7/v1/ranking', models, authentication: ['none'] },
    });
    assert.deepEqual(problems, []);
    assert.equal(changed.reranking.get('nvidia')?.entry.limits.timeoutMs, 7);
    const nim = changed.reranking.get('nim')?.entry;
    assert.deepEqual(
      [nim?.url, nim?.models.map(({ name }) => name), nim?.authentication.none],
      ['http://10.0.0.7/v1/ranking', ['own', 'nvidia/llama-3.2-nv-rerankqa-1b-v2'], true],
    );
    assert.match(
      read({ colonnade: { url: 'http://a/' } }).problems.join(),
      /"rerankers"."colonnade" in p.json has "url"/,
    );
    assert.match(read({ other: {} }).problems.join(), /your own provider needs "format": "nvidia"/);
  });

  it('refuses a file of another form', () => {
    for (const text of ['', '{', '[]', '{}', '{"providers":[]}', '{"providers":{},"more":1}']) {
      assert.equal(readProvidersFile(text, 'p.json', all).problems.length, 1, text);
    }
  });
});
