// Checks what types are guessed from values, and which texts are timestamps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GuessedType, TypeGuess } from './guess-type.js';
import { timestampText } from './timestamp-text.js';

describe('TypeGuess', () => {
  it('gives the narrowest type that keeps all values', () => {
    const cases: readonly (readonly [type: GuessedType, values: readonly (string | null)[]])[] = [
      ['text', [null, null]],
      ['boolean', ['true', null, 'FALSE']],
      ['text', ['true', '1']],
      ['int', ['0', '-2147483648', '2147483647']],
      ['bigint', ['1', '2147483648', '9223372036854775807']],
      ['varint', ['1', '9223372036854775808']],
      ['decimal', ['1', '2.50', '9223372036854775808']],
      ['double', ['1', '2.5', '1e-7']],
      ['decimal', ['1', '1e400']],
      ['decimal', ['1e-400']],
      ['double', ['0e-400']],
      ['decimal', ['1e-7', '0.1234567890123456']],
      ['decimal', ['0.1234567890123456', '1e-7']],
      ['text', ['007']],
      ['text', ['1', '+2']],
      ['text', ['1'.repeat(101)]],
      ['date', ['2026-01-31']],
      ['timestamp', ['2026-01-31', '2026-01-31T10:00:00Z']],
      ['text', ['2026-01-31T10:00:00.1234Z']],
      ['text', ['2026-02-30']],
      ['uuid', ['018F0000-0000-7000-8000-000000000001']],
      ['text', ['018f0000-0000-7000-8000-000000000001', 'x']],
      ['text', ['']],
      ['json', ['{}', null, '[1.50, {"a": null}]']],
      ['text', ['[1]', '[2']],
      ['text', ['{"a":1}', '1']],
    ];
    for (const [type, values] of cases) {
      const guess = new TypeGuess();
      for (const value of values) guess.add(value);
      assert.equal(guess.type, type, values.join());
    }
  });
});

describe('timestampText', () => {
  it('writes RFC 3339, in UTC if there is no zone', () => {
    const cases: readonly (readonly [value: string, text: string | undefined])[] = [
      ['2024-02-29', '2024-02-29T00:00:00Z'],
      ['2026-01-31 12:00', '2026-01-31T12:00:00Z'],
      ['2026-01-31t12:00:01.5z', '2026-01-31T12:00:01.5Z'],
      ['2026-01-31 12:00:01 +0130', '2026-01-31T12:00:01+01:30'],
      ['2023-02-29', undefined],
      ['1900-02-29', undefined],
      ['2026-13-01', undefined],
      ['2026-01-00', undefined],
      ['2026-01-31 24:00', undefined],
      ['2026-01-31 12:60', undefined],
      ['31.01.2026', undefined],
    ];
    for (const [value, text] of cases) assert.equal(timestampText(value), text, value);
  });
});
