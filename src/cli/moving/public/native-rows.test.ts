// What is sent again when native queries fail, and what ends an import.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OutgoingRequest, SendFailure } from '../../../foundation/http/send-request.js';
import { DataPortProblem, ServerUnusable } from '../../port-problems.js';
import { nativeReader, QueryFailed, QueryRefused } from './native-rows.js';

interface Answer {
  /** 0 if the connection is lost. */
  readonly status: number;
  readonly body?: string;
  readonly retryAfter?: string;
}

/** A reader whose server gives these answers, one after the other. */
function readerWith(answers: readonly Answer[], retries = 3) {
  const sent: OutgoingRequest[] = [];
  const waits: number[] = [];
  const read = nativeReader({ url: 'http://h:1', token: 'T', session: 'S' }, retries, {
    sendRequest: async (request) => {
      const { status, body = '', retryAfter } = answers[sent.length] ?? { status: 0 };
      sent.push(request);
      if (status === 0) throw new SendFailure('unreachable', 'no connection');
      return { status, header: () => retryAfter, body: Buffer.from(body) };
    },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    wait: async (ms) => {
      waits.push(ms);
    },
    interrupted: new AbortController().signal,
    notify: () => {},
  });
  return { read, sent, waits };
}

const rows: Answer = { status: 200, body: '{"columns":[],"rows":[["a"]]}' };

describe('nativeReader', () => {
  it('sends a statement again after a lost connection, and after the time of Retry-After', async () => {
    const { read, sent, waits } = readerWith([
      rows,
      { status: 0 },
      { status: 503, body: '{"message":"nodes do not answer"}', retryAfter: '2' },
      rows,
    ]);
    await read('SELECT 1');
    assert.deepEqual(await read('SELECT 2'), [['a']]);
    assert.deepEqual(waits, [250, 2000]);
    assert.deepEqual(
      sent.map(({ body }) => body),
      ['{"query":"SELECT 1"}', ...Array(3).fill('{"query":"SELECT 2"}')],
    );
    assert.equal(sent[0]?.headers['opscenter-session'], 'S');
  });

  it('gives up after the retries, and at once on a server that never answered', async () => {
    const lost = readerWith([{ status: 0 }]);
    await assert.rejects(lost.read('SELECT 1'), ServerUnusable);
    assert.equal(lost.sent.length, 1);
    const busy = readerWith([{ status: 503, body: '{"message":"down"}' }, { status: 429 }], 1);
    await assert.rejects(
      busy.read('SELECT 1'),
      /http:\/\/h:1 cannot be used, after 2 attempts: the HTTP status 429/,
    );
  });

  it('says of a read whose last attempt was answered with a failure that it failed, not the server', async () => {
    const failed: Answer = { status: 503, body: '{"message":"too many tombstones"}' };
    const failing = readerWith([failed, failed, failed, failed], 3);
    await assert.rejects(failing.read('SELECT 1'), (error) => {
      assert.ok(error instanceof QueryFailed && !(error instanceof ServerUnusable));
      assert.match(error.message, /HTTP status 503, too many tombstones/);
      return true;
    });
    assert.equal(failing.sent.length, 4);
    const limited = readerWith([failed, failed, failed], 3);
    await assert.rejects(limited.read('SELECT 1', 1), QueryFailed);
    assert.equal(limited.sent.length, 2);
    const restarted = readerWith([rows, { status: 0 }, { status: 0 }, rows], 3);
    await restarted.read('SELECT 1');
    assert.deepEqual(await restarted.read('SELECT 2', 1), [['a']]);
    const lost = readerWith([failed, { status: 0 }], 1);
    await assert.rejects(lost.read('SELECT 1'), ServerUnusable);
  });

  it('distinguishes statements that are refused from other problems of one collection', async () => {
    const refused = readerWith([{ status: 400, body: '{"message":"more than 16 MiB"}' }]);
    await assert.rejects(refused.read('SELECT 1'), (error) => {
      assert.ok(error instanceof QueryRefused);
      assert.equal(error.message, 'more than 16 MiB');
      return true;
    });
    for (const answer of [
      { status: 403, body: '{"message":"no"}' },
      { status: 200, body: '[]' },
    ]) {
      const { read } = readerWith([answer]);
      await assert.rejects(read('SELECT 1'), (error) => {
        assert.ok(error instanceof DataPortProblem && !(error instanceof QueryRefused));
        return !(error instanceof ServerUnusable);
      });
    }
  });
});
