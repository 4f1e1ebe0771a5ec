// The service of a vector column in the form of definitions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import {
  describeEmbeddingService,
  isSameEmbeddingService,
  parseEmbeddingService,
} from './embedding-service.js';

function service(members: string) {
  const text = `{"provider":"p","modelName":"m"${members}}`;
  const {
    provider = '',
    modelName = '',
    ...others
  } = parseEmbeddingService(parseJson(text, { maxDepth: 5, maxNumberLength: 100 }), 'service');
  return { text, service: { provider, modelName, ...others } };
}

describe('the service of a vector column', () => {
  for (const members of [
    '',
    ',"authentication":{}',
    ',"parameters":{}',
    ',"authentication":{},"parameters":{}',
    ',"authentication":{"providerKey":"k"},"parameters":{}',
    ',"authentication":{},"parameters":{"a":1}',
  ])
    it(`is shown as it was sent: {…${members}}`, () => {
      const { text, service: parsed } = service(members);
      assert.equal(describeEmbeddingService(parsed), text);
      assert.equal(describeEmbeddingService(JSON.parse(JSON.stringify(parsed))), text);
    });

  it('is the same with empty members and without them', () => {
    const [without, empty] = [service(''), service(',"authentication":{},"parameters":{}')];
    assert.ok(isSameEmbeddingService(without.service, empty.service));
    assert.equal(
      describeEmbeddingService(service(',"authentication":null,"parameters":null').service),
      without.text,
    );
  });
});
