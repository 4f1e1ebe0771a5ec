// Small bodies arrive whole, in however many chunks they are sent; which bodies are small.
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { IncomingRequest, isUncounted, uncountedBytes } from './incoming-request.js';

function messageWith(headers: Readonly<Record<string, string>>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  Object.assign(message.headers, headers);
  return message;
}

function received(chunks: readonly string[]): Promise<Buffer> {
  const message = messageWith({ 'content-length': String(chunks.join('').length) });
  const request = new IncomingRequest(message, new ServerResponse(message));
  return new Promise((resolve) => {
    request.receiveUncounted(() => resolve(request.body));
    for (const chunk of [...chunks.map((text) => Buffer.from(text)), null]) message.push(chunk);
  });
}

describe('a body that is not counted', () => {
  it('is declared, not coded, and at most 16 KiB long', () => {
    const is = (headers: Readonly<Record<string, string>>) => isUncounted(messageWith(headers));
    assert.equal(is({ 'content-length': '1' }), true);
    assert.equal(is({ 'content-length': String(uncountedBytes) }), true);
    assert.equal(is({ 'content-length': String(uncountedBytes + 1) }), false);
    assert.equal(is({ 'transfer-encoding': 'chunked' }), false);
    assert.equal(is({ 'transfer-encoding': 'chunked', 'content-length': '1' }), false);
    assert.equal(is({ 'content-length': '1', 'content-encoding': 'gzip' }), false);
  });

  for (const chunks of [['{"find":{}}'], ['{"find"', ':{}}'], [...'{"find":{}}']]) {
    it(`arrives whole in ${chunks.length} chunks`, async () => {
      assert.equal((await received(chunks)).toString(), '{"find":{}}');
    });
  }
});
