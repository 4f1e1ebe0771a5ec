// A reply that breaks off fails as a request without a reply does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendRequest, unreachable } from './send-request.js';

/** The reply of a server: its body fails after its first bytes. */
function replyThatFails(error: Error): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    pull: (controller) => controller.error(error),
  });
  return new Response(body);
}

describe('a reply that breaks off', () => {
  it('is a failure that says so, and not an error of the browser', async (test) => {
    test.mock.method(globalThis, 'fetch', async () => replyThatFails(new TypeError('network error')));
    await assert.rejects(sendRequest('data/v1'), { status: 0, kind: unreachable });
  });

  it('because of its signal is the reason of the signal', async (test) => {
    const controller = new AbortController();
    test.mock.method(globalThis, 'fetch', async () => {
      controller.abort();
      return replyThatFails(new DOMException('The stream was aborted', 'AbortError'));
    });
    await assert.rejects(
      sendRequest('data/v1', { signal: controller.signal }),
      (error) => error === controller.signal.reason,
    );
  });
});
