// Kills servers with kill -9 while they change documents, 8 times from a new seed; more: run-document-kills.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runDocumentKills } from './document-kills.js';

describe('kill -9 in changes of documents', () => {
  it('loses no document, and finds each by its values, 8 times', async (test) => {
    const seed = newSeed();
    const acknowledged = await runDocumentKills(8, seed);
    test.diagnostic(`seed ${seed}: ${acknowledged} changes`);
    assert.ok(acknowledged >= 8);
  });
});
