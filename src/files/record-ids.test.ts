// Makes ids of the contents of records.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { EqualTexts, RecordIds } from './record-ids.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function idsOf(contents: readonly string[]): readonly (string | undefined)[] {
  const ids = new RecordIds(sha256);
  return contents.map((content) => ids.next(content));
}

describe('RecordIds', () => {
  it('gives the same record the same id, whatever stands around it', () => {
    const before = idsOf(['a', 'wrong', 'b', 'c']);
    const after = idsOf(['new', 'a', 'right', 'b', 'c']);
    assert.deepEqual([after[1], after[3], after[4]], [before[0], before[2], before[3]]);
    assert.match(
      before[0] ?? '',
      /^\{"\$uuid":"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\}$/,
    );
  });

  it('gives equal records different ids, by how many there were before', () => {
    const [first, other, second, third] = idsOf(['a', 'b', 'a', 'a']);
    assert.equal(new Set([first, other, second, third]).size, 4);
    assert.deepEqual(idsOf(['a', 'a', 'a']), [first, second, third]);
  });

  it('numbers equal texts among very many', () => {
    const equal = new EqualTexts();
    for (let round = 0; round < 3; round += 1)
      for (let text = 0; text < 20_000; text += 1)
        assert.equal(equal.next(Math.imul(text, 40_503) >>> 0, text % 1000), round);
    assert.equal(equal.size, 20_000);
  });
});
