// The suite on every embedding provider over HTTP, and that none is left out.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddingProviders } from '../../src/data-service/embedding/providers/registry.js';
import { describeEmbeddingProvider } from './describe-embedding-provider.js';
import { embeddingDialects } from './embedding-dialects.js';

for (const dialect of embeddingDialects) {
  const provider = embeddingProviders.find(({ name }) => name === dialect.provider);
  assert.ok(provider, dialect.provider);
  describeEmbeddingProvider(provider, dialect);
}

it('every provider that is asked over HTTP has a dialect', () => {
  assert.deepEqual(
    embeddingProviders
      .filter(({ entry }) => entry.secrets.length > 0)
      .map(({ name }) => name)
      .sort(),
    embeddingDialects.map(({ provider }) => provider).sort(),
  );
});
