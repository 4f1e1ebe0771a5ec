// Checks the forms of Retry-After.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterMs } from './retry-after.js';

describe('retryAfterMs', () => {
  it('reads seconds and dates, and nothing else', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);
    const cases: readonly (readonly [header: string | undefined, ms: number | undefined])[] = [
      [undefined, undefined],
      ['0', 0],
      ['120', 120_000],
      ['0.5', 500],
      ['Sat, 21 Nov 2026 12:00:07 GMT', 7_000],
      ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
      ['soon', undefined],
      ['', undefined],
    ];
    for (const [header, ms] of cases) assert.equal(retryAfterMs(header, nowMs), ms, header);
  });
});
