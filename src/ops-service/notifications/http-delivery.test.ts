// Checks how long a delay an HTTP receiver can request.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliverOverHttp } from './http-delivery.js';

const nowMs = Date.UTC(2026, 10, 22, 12, 0, 0);

describe('a receiver that asks for time', () => {
  for (const [header, afterMs] of [
    ['120', 120_000],
    ['Sun, 22 Nov 2026 12:00:30 GMT', 30_000],
    ['Sunday, 22-Nov-26 12:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['7200', 3_600_000],
    ['Mon, 23 Nov 2026 12:00:00 GMT', 3_600_000],
    ['soon', undefined],
    [undefined, undefined],
  ] as const) {
    it(`is left alone for ${afterMs} ms when it answers Retry-After: ${header}`, async () => {
      const unused = () => Promise.reject(new Error('this goes over HTTP'));
      const surroundings = {
        sendRequest: async () => ({ status: 429, header: () => header, body: Buffer.from('') }),
        connect: unused,
        resolve: unused,
        timeoutMs: 1000,
        nowMs: () => nowMs,
      };
      const post = { url: 'http://127.0.0.1/', headers: {}, body: '' };
      const delivery = await deliverOverHttp(surroundings, post, new AbortController().signal);
      assert.equal(delivery.kind, 'retry');
      assert.equal(delivery.kind === 'retry' ? delivery.afterMs : undefined, afterMs);
    });
  }
});
