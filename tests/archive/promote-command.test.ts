// What `colonnade promote` prints while it waits for the server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { promoteCommand } from '../../src/cli/promote.js';
import { type OutgoingReply, SendFailure, type SendRequest } from '../../src/foundation/http/send-request.js';

const reply = (status: number, body: object): OutgoingReply => {
  return { status, header: () => undefined, body: Buffer.from(JSON.stringify(body)) };
};
const args = ['--ops-url', 'http://127.0.0.1:1'];

/** Runs the command; `wait` ends at once when `isSlow`, as before an answer that comes late. */
async function run(sendRequest: SendRequest, isSlow = false, more: readonly string[] = []) {
  const printed: string[] = [];
  const wait = (_: number, signal: AbortSignal) =>
    isSlow
      ? Promise.resolve()
      : new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
  const output = { out: (text: string) => printed.push(text), problem: (text: string) => printed.push(text) };
  const code = await promoteCommand({ sendRequest, wait }).run([...args, ...more], output);
  return { code, printed };
}

describe('colonnade promote', () => {
  it('does not say that it waits if no server answers', async () => {
    const { code, printed } = await run(async () => {
      throw new SendFailure('unreachable', 'connect ECONNREFUSED');
    }, true);
    assert.equal(code, 1);
    assert.equal(printed.length, 1);
    assert.doesNotMatch(printed.join(), /waiting/);
  });

  it('does not say that it waits if the server refuses at once', async () => {
    const { code, printed } = await run(async ({ method }) =>
      method === 'GET' ? reply(200, { role: 'follower' }) : reply(409, { message: 'use --force' }),
    );
    assert.deepEqual([code, printed], [1, ['colonnade: use --force\n']]);
  });

  it('says what to do if the server ends while it opens as the first one', async () => {
    let isAsked = false;
    let looks = 0;
    const { code, printed } = await run(async ({ method }) => {
      if (isAsked) {
        looks += 1;
        throw new SendFailure('unreachable', 'connect ECONNREFUSED');
      }
      isAsked = method === 'POST';
      return reply(200, { role: isAsked ? 'promoted' : 'follower' });
    }, true);
    assert.equal(code, 1);
    assert.match(
      printed.join(),
      /has the lease of the archive, and does not answer .* start it again with the same options/s,
    );
    assert.equal(looks, 60);
  });

  it('takes the refusal of its session for that of the first server, which has other sessions', async () => {
    let isPromoted = false;
    const server: SendRequest = async ({ method }) => {
      if (isPromoted) return reply(401, { message: 'the session is unknown or has ended' });
      isPromoted = method === 'POST';
      return reply(200, { role: isPromoted ? 'promoted' : 'follower' });
    };
    assert.equal((await run(server, true, ['--session', 'S'])).code, 0);
    isPromoted = false;
    const { code, printed } = await run(server, true, ['--token', 'T']);
    assert.equal(code, 1);
    assert.match(printed.join(), /does not answer as the first one/);
  });

  it('says that it waits while the server does not answer, and then what it answers', async () => {
    let isAsked = false;
    const { code, printed } = await run(async ({ method }) => {
      if (method === 'GET') return reply(200, { role: isAsked ? 'first' : 'follower' });
      isAsked = true;
      await new Promise((resolve) => setImmediate(resolve));
      return reply(200, { role: 'promoted' });
    }, true);
    assert.equal(code, 0);
    assert.deepEqual(printed, [
      'colonnade: waiting until the server before has surely stopped writing\n',
      'http://127.0.0.1:1 is the first server now\n',
    ]);
  });
});
