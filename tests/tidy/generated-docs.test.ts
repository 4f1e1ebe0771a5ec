// Generated documents say what the code says.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generatedDocuments, generatedNotice, staleDocuments } from '../../tools/generate-docs.js';

describe('generated documents', () => {
  it('are up to date (npm run docs brings them there)', () => {
    assert.deepEqual(staleDocuments(fileURLToPath(new URL('../../../', import.meta.url))), []);
  });

  it('say that they are generated', () => {
    for (const { file, render } of generatedDocuments) assert.ok(render().includes(generatedNotice), file);
  });
});
