// Checks the requests, output and exit codes of the command, with a fake instead of the network.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type SendRequest, sendRequest } from '../foundation/http/send-request.js';
import { cqlCommand } from './cql.js';

interface Sent {
  readonly url: string;
  readonly query: unknown;
  readonly token: string | null;
}

type Answer = (query: unknown) => { readonly status?: number; readonly body: string };

const rows =
  '{"columns":[{"name":"n","type":"bigint"}],"rows":[[9007199254740993],["a\\"b\\n"],[null],[{"k":[1]}]]}';

async function run(
  args: readonly string[],
  { answer = () => ({ body: rows }), input }: { answer?: Answer; input?: string | Uint8Array } = {},
) {
  const sent: Sent[] = [];
  let out = '';
  let problem = '';
  const sendRequest: SendRequest = async ({ url, body = '', headers }) => {
    const { query }: { query?: unknown } = JSON.parse(String(body));
    sent.push({ url, query, token: headers['token'] ?? null });
    const reply = answer(query);
    return { status: reply.status ?? 200, header: () => undefined, body: Buffer.from(reply.body) };
  };
  const command = cqlCommand({
    sendRequest,
    readInput: input === undefined ? undefined : async () => Buffer.from(input),
  });
  const code = await command.run(args, {
    out: (text) => {
      out += text;
    },
    problem: (text) => {
      problem += text;
    },
  });
  return { code, out, problem, sent };
}

describe('colonnade cql', () => {
  it('sends the statement of -e to the operations port and prints a table', async () => {
    const { code, out, sent } = await run(['-e', 'SELECT n;', '--ops-url', 'http://h:1/', '--token', 't']);
    assert.equal(code, 0);
    assert.deepEqual(sent, [{ url: 'http://h:1/local/cql', query: 'SELECT n', token: 't' }]);
    assert.equal(out, ' n\n------------------\n 9007199254740993\n a"b\\n\n null\n {"k":[1]}\n\n(4 rows)\n');
  });

  it('refuses statements that are not UTF-8, and reads those behind a byte order mark', async () => {
    const { code, problem, sent } = await run([], { input: Buffer.from("SELECT 'é'", 'latin1') });
    assert.deepEqual([code, sent], [2, []]);
    assert.match(problem, /standard input is not UTF-8/);
    assert.equal((await run([], { input: "\ufeffSELECT 'é'" })).sent[0]?.query, "SELECT 'é'");
  });

  it('prints replies as they came with --json', async () => {
    const { out } = await run(['--execute=SELECT n; SELECT m', '--json']);
    assert.equal(out, `${rows}\n${rows}\n`);
  });

  it('finds the server where it would listen itself', async () => {
    const { sent } = await run(['-e', 'A']);
    assert.deepEqual(sent, [{ url: 'http://127.0.0.1:8888/local/cql', query: 'A', token: null }]);
  });

  it('takes address and token out of the config file of the server', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'colonnade-cql-'));
    try {
      const config = { opsHost: '::1', opsPort: 5, tlsCert: 'c.pem', tlsKey: 'k.pem', token: 't' };
      writeFileSync(join(directory, 'colonnade.json'), JSON.stringify(config));
      const { sent } = await run(['-e', 'A', '--config', join(directory, 'colonnade.json')]);
      assert.deepEqual(sent, [{ url: 'https://[::1]:5/local/cql', query: 'A', token: 't' }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('reads standard input without -e, and stops at the first statement that is refused', async () => {
    const answer: Answer = (query) =>
      query === 'B'
        ? {
            status: 400,
            body: '{"type":"BadRequest","message":"no","details":[{"path":"query","message":"is B"}]}',
          }
        : { body: '{"columns":[],"rows":[]}' };
    const { code, out, problem, sent } = await run([], { input: 'A;\nB; C', answer });
    assert.equal(code, 1);
    assert.deepEqual(
      sent.map(({ query }) => query),
      ['A', 'B'],
    );
    assert.equal(out, '');
    assert.equal(problem, 'colonnade: no\n  query is B\n');
  });

  it('shows no stored text that a terminal would take for a command', async () => {
    const [csi, reversed] = ['\u009b2J', '\u202e'];
    const body = JSON.stringify({ columns: [{ name: `n${csi}`, type: 'text' }], rows: [[reversed]] });
    for (const args of [
      ['-e', 'A'],
      ['-e', 'A', '--json'],
    ]) {
      const { out } = await run(args, { answer: () => ({ body }) });
      assert.match(out, /n\\u009b2J/);
      assert.match(out, /\\u202e/);
      assert.doesNotMatch(out, /[\u0080-\u009f\u202e]/);
    }
    const refusal = JSON.stringify({ type: 'BadRequest', message: `no ${csi}`, details: [] });
    const { problem } = await run(['-e', 'A'], { answer: () => ({ status: 400, body: refusal }) });
    assert.equal(problem, 'colonnade: no \\u009b2J\n');
  });

  it('reports the status of a reply that is not from this server', async () => {
    const { code, problem } = await run(['-e', 'A'], { answer: () => ({ status: 502, body: '<html>' }) });
    assert.equal(code, 1);
    assert.equal(
      problem,
      'colonnade: the server answers with the HTTP status 502; is this the address of an operations port?\n',
    );
  });

  it('names its options where the server wants a login', async () => {
    const body = '{"type":"Unauthorized","message":"log in first: POST /login","details":[]}';
    const { problem } = await run(['-e', 'A'], { answer: () => ({ status: 401, body }) });
    assert.equal(
      problem,
      'colonnade: log in first: POST /login\n  On the command line: the variable COLONNADE_SESSION, or --session ID. ' +
        'This returns the ID, and reads {"username":"NAME","password":"PASSWORD"} from standard input: ' +
        'curl -s http://127.0.0.1:8888/login -d @-\n',
    );
  });

  it('cannot be used without a statement, with another option or with an address that is none', async () => {
    const cases: readonly (readonly [args: readonly string[], input: string | undefined, problem: RegExp])[] =
      [
        [[], undefined, /give a statement with -e, or pipe some in/],
        [[], ' ; -- nothing\n', /there is no statement/],
        [['--nope'], undefined, /--nope/],
        [['A'], undefined, /"A" is not expected/],
        [['-e', 'A', '--ops-url', 'h:1'], undefined, /--ops-url is "h:1"; it must be http:\/\/HOST:PORT/],
        [['-e', 'A', '--config', '/nowhere/at/all'], undefined, /a problem in the configuration/],
      ];
    for (const [args, input, problem] of cases) {
      const result = await run(args, input === undefined ? {} : { input });
      assert.equal(result.code, 2, args.join(' '));
      assert.match(result.problem, problem);
      assert.match(result.problem, /For the options: colonnade cql --help\n$/);
      assert.deepEqual(result.sent, []);
    }
  });

  it('lists its options in lines that fit a terminal', () => {
    const text = cqlCommand({ sendRequest, readInput: undefined }).help();
    for (const option of ['--execute', '--json', '--ops-url', '--token', '--config'])
      assert.ok(text.includes(option));
    for (const line of text.split('\n')) assert.ok(line.length <= 90, line);
  });
});
