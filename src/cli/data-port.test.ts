// Checks what is sent to the data port, what is sent again, and what ends a command.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type OutgoingRequest, SendFailure, type SendProblem } from '../foundation/http/send-request.js';
import { dataAddress, openDataPort } from './data-port.js';
import { DataPortProblem, Interrupted } from './port-problems.js';

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly retryAfter?: string;
  readonly failure?: SendProblem;
}

const good: Answer = { body: '{"status":{"ok":1}}' };

/** A port whose server gives these answers, one after the other; the last one is repeated. */
function portWith(answers: readonly Answer[], retries = 3) {
  const sent: OutgoingRequest[] = [];
  const waits: number[] = [];
  const lines: string[] = [];
  const interrupt = new AbortController();
  const port = openDataPort(
    {
      url: 'http://h:1/',
      token: 'T',
      retries,
      advice: { url: '--url', token: '--token T', keyspace: '--keyspace' },
    },
    {
      sendRequest: async (request) => {
        const {
          status = 200,
          body = '',
          retryAfter,
          failure,
        } = answers[sent.length] ?? answers.at(-1) ?? good;
        sent.push(request);
        if (failure !== undefined) throw new SendFailure(failure, 'no connection');
        const header = (name: string) => (name === 'retry-after' ? retryAfter : undefined);
        return { status, header, body: Buffer.from(body) };
      },
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      wait: async (ms) => {
        waits.push(ms);
      },
      interrupted: interrupt.signal,
      notify: (line) => lines.push(line),
    },
  );
  return { port, sent, waits, lines, interrupt };
}

const busy = { status: 503, retryAfter: '2' };

describe('the data port', () => {
  it('sends a command with the token below /v1', async () => {
    const { port, sent } = portWith([good]);
    const { status, errors } = await port.ask('/a/b', '{"find":{}}');
    assert.deepEqual([[...status.keys()], errors], [['ok'], []]);
    const [request] = sent;
    assert.deepEqual([request?.url, request?.body], ['http://h:1/v1/a/b', '{"find":{}}']);
    assert.equal(request?.headers['token'], 'T');
  });

  it('waits for the time of Retry-After, and at most a minute', async () => {
    const { port, waits, lines } = portWith([busy, { status: 503, retryAfter: '9999' }, good]);
    await port.run('', '{}');
    assert.deepEqual(waits, [2000, 60_000]);
    assert.equal(lines[0], 'http://h:1/: the HTTP status 503; again in 2000 ms (1 of 3)');
  });

  it('sends again after a lost connection and after failures that pass, with growing waits', async () => {
    const passing = { body: '{"errors":[{"errorCode":"TIMEOUT_READING_DATA","message":"too long"}]}' };
    const { port, waits } = portWith([
      good,
      { failure: 'unreachable' },
      passing,
      { failure: 'timeout' },
      good,
    ]);
    await port.run('', '{}');
    await port.run('', '{}');
    assert.deepEqual(waits, [250, 500, 1000]);
  });

  it('gives up after the retries', async () => {
    const { port, sent } = portWith([busy]);
    await assert.rejects(port.ask('', '{}'), (error) => {
      assert.ok(error instanceof DataPortProblem);
      assert.equal(error.message, 'http://h:1/ cannot be used, after 4 attempts: the HTTP status 503');
      return true;
    });
    assert.equal(sent.length, 4);
  });

  it('does not wait for a server that never answered', async () => {
    const { port, sent } = portWith([{ failure: 'unreachable' }]);
    await assert.rejects(port.ask('', '{}'), /http:\/\/h:1\/ does not answer: no connection/);
    assert.equal(sent.length, 1);
  });

  it('returns the errors of a reply, and those that are not of the API', async () => {
    const errors = '{"errors":[{"errorCode":"UNKNOWN_TABLE","message":"There is no\\n table."}]}';
    const { port } = portWith([{ body: errors }, { body: errors }, { status: 413, body: 'too large' }]);
    assert.deepEqual((await port.ask('', '{}')).errors, [
      { code: 'UNKNOWN_TABLE', message: 'There is no\n table.', isOfServer: false, hint: '' },
    ]);
    await assert.rejects(port.run('', '{}'), /^Error: UNKNOWN_TABLE: There is no table\.$/);
    assert.equal((await port.ask('', '{}')).errors[0]?.code, 'HTTP_413');
  });

  it('says for a missing or wrong token what to type', async () => {
    for (const code of ['MISSING_AUTHENTICATION_TOKEN', 'UNAUTHENTICATED_REQUEST']) {
      const body = `{"errors":[{"errorCode":"${code}","message":"No."}]}`;
      const { port } = portWith([{ status: 401, body }]);
      await assert.rejects(
        port.run('', '{}'),
        new RegExp(`${code}: No\\. On the command line: --token T\\.$`),
      );
    }
  });

  it('stops when the user interrupts it', async () => {
    const { port, interrupt } = portWith([{ failure: 'aborted' }]);
    interrupt.abort();
    await assert.rejects(port.ask('', '{}'), Interrupted);
  });
});

function withConfigFile(text: string, use: (path: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-test-'));
  const path = join(directory, 'conf.json');
  try {
    writeFileSync(path, text);
    use(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function addressOf(address: ReturnType<typeof dataAddress>) {
  return typeof address === 'string' ? address : [address.url, address.token];
}

describe('dataAddress', () => {
  it('takes what the options leave out from the configuration of the server', () => {
    const advice = { url: '--url', token: '--token TOKEN, or the variable COLONNADE_TOKEN' };
    assert.deepEqual(dataAddress({}), {
      ...{ url: 'http://127.0.0.1:8181', token: undefined, retries: 10 },
      advice: { ...advice, keyspace: '--keyspace NAME' },
    });
    assert.deepEqual(dataAddress({ url: 'https://h', token: 't', retries: '0' }, { keyspace: '--k' }), {
      ...{ url: 'https://h', token: 't', retries: 0 },
      advice: { ...advice, keyspace: '--k' },
    });
  });

  it('asks for the address of a server that picks a free port', () => {
    withConfigFile('{"port":0}', (config) => {
      assert.match(String(dataAddress({ config })), /picks a free port.*with --url URL$/);
      assert.deepEqual(addressOf(dataAddress({ config, url: 'http://h:1' })), ['http://h:1', undefined]);
    });
  });

  it('takes the token for a server that other machines can reach from its option', () => {
    withConfigFile('{"host":"10.0.0.1"}', (config) => {
      assert.match(String(dataAddress({ config })), /there is no --token/);
      assert.deepEqual(addressOf(dataAddress({ config, token: '-t' })), ['http://10.0.0.1:8181', '-t']);
    });
  });

  it('refuses an address that is none, and a number of retries out of range', () => {
    for (const url of [
      'h:1',
      'http://h:1/v1',
      'http://h/api/json/v1/k',
      'http://u:p@h',
      'http://h?x=1',
      'http://h#x',
      'http://h:0',
    ])
      assert.equal(dataAddress({ url }), `--url is "${url}"; it must be http://HOST:PORT`);
    assert.equal(typeof dataAddress({ url: 'http://h/api/json/' }), 'object');
    for (const token of ['a b', 'a\nb', 'é'])
      assert.equal(dataAddress({ token }), '--token must be visible ASCII characters without spaces');
    for (const retries of ['-1', '1001', 'x'])
      assert.match(String(dataAddress({ retries })), /--retries is ".+"; it must be a whole number/);
  });
});
