// Checks the requests, output and exit codes of `colonnade keys`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OutgoingRequest, SendFailure } from '../foundation/http/send-request.js';
import { keysCommand } from './keys.js';

interface Given {
  readonly status?: number;
  readonly body?: string;
  readonly lines?: readonly string[];
  readonly failure?: SendFailure;
}

async function run(args: readonly string[], given: Given = {}) {
  const sent: OutgoingRequest[] = [];
  const prompts: string[] = [];
  let out = '';
  let problem = '';
  const command = keysCommand({
    readSecrets: async (asked) => {
      prompts.push(...asked);
      return asked.map((_, at) => given.lines?.[at] ?? '');
    },
    sendRequest: async (request) => {
      sent.push(request);
      if (given.failure !== undefined) throw given.failure;
      return {
        status: given.status ?? 200,
        header: () => undefined,
        body: Buffer.from(given.body ?? 'null'),
      };
    },
  });
  const code = await command.run(args, {
    out: (text) => {
      out += text;
    },
    problem: (text) => {
      problem += text;
    },
  });
  return {
    code,
    out,
    problem,
    prompts,
    sent: sent.map(({ method, url, headers, body }) => ({ method, url, headers, body })),
  };
}

describe('colonnade keys', () => {
  const root = 'http://127.0.0.1:8888/local/embedding-keys';

  it('sets a key that it reads from standard input', async () => {
    const { code, out, prompts, sent } = await run(['set', 'mine'], { lines: ['sk-1'] });
    assert.deepEqual([code, out, prompts], [0, 'stored mine\n', ['Key']]);
    const headers = { 'content-type': 'application/json' };
    assert.deepEqual(sent, [{ method: 'PUT', url: `${root}/mine`, headers, body: '{"providerKey":"sk-1"}' }]);
  });

  it('sets the two keys of an AWS account', async () => {
    const { prompts, sent } = await run(['set', 'aws', '--aws'], { lines: ['AKID', 's3cret'] });
    assert.deepEqual(prompts, ['Access key id', 'Secret access key']);
    assert.equal(sent[0]?.body, '{"accessId":"AKID","secretKey":"s3cret"}');
  });

  it('takes the id of a session from the environment, which other users of the machine cannot see', async () => {
    process.env['COLONNADE_SESSION'] = 'id';
    try {
      const { sent } = await run(['list'], { body: '[]' });
      assert.deepEqual(sent[0]?.headers, { 'opscenter-session': 'id' });
      const given = await run(['list', '--session', 'other'], { body: '[]' });
      assert.deepEqual(given.sent[0]?.headers, { 'opscenter-session': 'other' });
    } finally {
      delete process.env['COLONNADE_SESSION'];
    }
  });

  it('binds a key to providers', async () => {
    const { sent } = await run(['set', 'mine', '--provider', 'a', '--provider', 'b'], { lines: ['sk-1'] });
    assert.equal(sent[0]?.body, '{"providerKey":"sk-1","providers":["a","b"]}');
    assert.match((await run(['list', '--provider', 'a'])).problem, /list does not accept --provider/);
  });

  it('lists names, one a line, and deletes', async () => {
    const listed = await run(['list'], { body: '["a","b"]' });
    assert.deepEqual([listed.code, listed.out], [0, 'a\nb\n']);
    assert.deepEqual(listed.sent, [{ method: 'GET', url: root, headers: {}, body: undefined }]);
    const deleted = await run(['delete', 'a b']);
    assert.deepEqual([deleted.code, deleted.out], [0, 'deleted a b\n']);
    assert.deepEqual(deleted.sent, [
      { method: 'DELETE', url: `${root}/a%20b`, headers: {}, body: undefined },
    ]);
  });

  it('says so if there are no keys, where scripts do not read it', async () => {
    const { code, out, problem } = await run(['list'], { body: '[]' });
    assert.deepEqual([code, out], [0, '']);
    assert.equal(problem, 'colonnade: the server has no keys; to add one: colonnade keys set NAME\n');
    const json = await run(['list', '--json'], { body: '[]' });
    assert.deepEqual([json.out, json.problem], ['{"ok":true,"names":[]}\n', '']);
  });

  it('prints one line of JSON for scripts', async () => {
    const json = async (args: readonly string[], answer: Parameters<typeof run>[1]) => {
      const { code, out } = await run([...args, '--json'], answer);
      return [code, JSON.parse(out)];
    };
    assert.deepEqual(await json(['list'], { body: '["a","b"]' }), [0, { ok: true, names: ['a', 'b'] }]);
    const stored = { ok: true, action: 'set', name: 'a' };
    assert.deepEqual(await json(['set', 'a'], { lines: ['k'] }), [0, stored]);
    const refused = { status: 400, body: '{"message":"no such key"}' };
    const failed = { ok: false, problems: ['no such key'] };
    assert.deepEqual(await json(['delete', 'a'], refused), [1, failed]);
  });

  it('sends token and session to the server of the options', async () => {
    const url = 'https://ops.example:9999/';
    const { sent } = await run(['list', '--ops-url', url, '--token=T', '--session', 'S'], { body: '[]' });
    assert.deepEqual(sent[0]?.headers, { token: 'T', 'opscenter-session': 'S' });
    assert.equal(sent[0]?.url, 'https://ops.example:9999/local/embedding-keys');
  });

  it('reports the refusal of the server', async () => {
    const details = [
      { path: 'name', message: 'is bad' },
      { path: 'providerKey', message: 'is bad, too' },
    ];
    const body = JSON.stringify({ type: 'BadRequest', message: 'the request has 2 problems', details });
    const { code, problem } = await run(['set', 'a'], { lines: ['k'], status: 400, body });
    assert.equal(code, 1);
    assert.equal(
      problem,
      'colonnade: the request has 2 problems\n  name is bad\n  providerKey is bad, too\n',
    );
    const other = await run(['list'], { status: 502, body: '<html>' });
    assert.match(other.problem, /the server answers with the HTTP status 502/);
  });

  it('reports that the server cannot be reached', async () => {
    const failure = new SendFailure('unreachable', 'connect ECONNREFUSED');
    const { code, problem } = await run(['list'], { failure });
    assert.equal(code, 1);
    assert.match(problem, /http:\/\/127\.0\.0\.1:8888 does not answer: connect ECONNREFUSED/);
  });

  it('refuses a command line that it does not understand, above all one with a secret', async () => {
    const cases: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
      [[], /the action must be set, list or delete/],
      [['show'], /the action must be set, list or delete/],
      [['set'], /set needs the name of a key/],
      [['delete'], /delete needs the name/],
      [['delete', 'a', 'b'], /delete needs exactly one name/],
      [['list', 'a'], /list does not accept a name/],
      [['set', 'a', 'sk-1'], /other users can see a secret on the command line/],
      [['list', '--ops-url', 'nowhere'], /must be http:\/\/HOST:PORT/],
      [['list', '--sesion', 'x'], /there is no option --sesion; did you mean --session\?/],
      [['list', '--session', 'a\nb'], /--session must be visible ASCII/],
      [['set', 'a'], /has no key/],
      [['set', 'a', '--aws'], /has no access key id/],
    ];
    for (const [args, expected] of cases) {
      const { code, problem, sent, out } = await run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(problem, expected);
      assert.ok(!problem.includes('sk-1'));
      assert.deepEqual([sent, out], [[], '']);
    }
  });
});
