// Checks which texts are moments.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { momentText, parseMoment } from './archive-arguments.js';

describe('parseMoment', () => {
  it('takes moments with a zone, to the millisecond', () => {
    for (const [text, moment] of [
      ['2026-11-27T10:00:00Z', '2026-11-27T10:00:00.000Z'],
      ['2024-02-29T23:59:59.5+01:30', '2024-02-29T22:29:59.500Z'],
    ] as const)
      assert.equal(momentText(parseMoment(text) ?? 0), moment);
  });

  it('refuses days and times that no calendar has, and other texts', () => {
    for (const text of [
      '2026-11-31T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-11-27T24:00:00Z',
      '2026-11-27T10:00:60Z',
      '2026-11-27T10:00:00',
      '2026-11-27T10:00:00.0001Z',
      '2026-11-27',
      'monday',
    ])
      assert.equal(parseMoment(text), undefined, text);
  });
});
