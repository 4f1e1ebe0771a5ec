// Reads the replies of providers: the order of embeddings, and messages without secrets.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemTextOf, readEmbeddingList } from './provider-reply.js';

describe('readEmbeddingList', () => {
  it('puts embeddings in the order of their indexes, or as they came', () => {
    const data = [
      { index: 1, embedding: [1] },
      { index: 0, embedding: [0] },
    ];
    assert.deepEqual(readEmbeddingList({ data }), [[0], [1]]);
    assert.deepEqual(readEmbeddingList({ data: [{ embedding: [5] }, { index: null, embedding: [6] }] }), [
      [5],
      [6],
    ]);
  });

  it('takes no list in which a place is missing', () => {
    for (const indexes of [
      [0, 0],
      [1, 2],
      [0, 0.5],
      ['a', 0],
    ]) {
      const data = indexes.map((index) => ({ index, embedding: [1] }));
      assert.equal(readEmbeddingList({ data }), undefined, indexes.join());
    }
    assert.equal(readEmbeddingList({ data: 'none' }), undefined);
  });
});

describe('problemTextOf', () => {
  const credential = { key: 'sk-0123456789' };

  it('shows nothing of a secret, also where the text is cut inside it', () => {
    for (const before of [0, 490, 495, 499]) {
      const text = problemTextOf(`${'x'.repeat(before)}sk-0123456789${'y'.repeat(600)}`, credential);
      assert.doesNotMatch(text, /sk-|0123/);
      assert.ok(text.length <= 501);
    }
  });

  it('finds the message in the forms that providers use', () => {
    for (const reply of [{ error: { message: 'no' } }, { message: 'no' }, { detail: 'no' }, { error: 'no' }])
      assert.equal(problemTextOf(JSON.stringify(reply), undefined), 'no');
  });
});
