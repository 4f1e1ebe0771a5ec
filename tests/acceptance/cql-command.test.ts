// `colonnade cql` against a real server: what an administrator types, and what applications then see.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { colonnadePath, type RunningServer, startServer } from './start-server.js';

const token = 'secret';
let server: RunningServer;

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end. Our environment variables are those given, no others. */
function cql(
  args: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('COLONNADE_'));
  const child = spawn(process.execPath, [colonnadePath, 'cql', ...args], {
    env: { ...Object.fromEntries(outer), ...environment },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}

const there = () => ['--ops-url', server.opsUrl, '--token', token];

describe('colonnade cql', () => {
  before(async () => {
    server = await startServer({ args: ['--token', token] });
  });
  after(() => server.stop());

  it('makes a table from a file, counts in it and shows the rows', async () => {
    const input = `-- visits by page; one row each
      CREATE TABLE default_keyspace.visits (page text PRIMARY KEY, views counter);
      UPDATE default_keyspace.visits SET views = views + 3 WHERE page = '/a;b';
      UPDATE default_keyspace.visits SET views = views - 1 WHERE page = '/a;b';
    `;
    assert.deepEqual(await cql(there(), { input }), { code: 0, stdout: '', stderr: '' });
    const shown = await cql([...there(), '-e', `SELECT * FROM default_keyspace.visits WHERE page = '/a;b'`]);
    assert.deepEqual(shown, {
      code: 0,
      stdout: ' page | views\n------+-------\n /a;b | 2\n\n(1 row)\n',
      stderr: '',
    });
    const reply = await fetch(`${server.url}/v1/default_keyspace/visits`, {
      method: 'POST',
      headers: { token, 'content-type': 'application/json' },
      body: '{"findOne":{"filter":{"page":"/a;b"},"projection":{"views":1}}}',
    });
    assert.equal(
      await reply.text(),
      '{"data":{"document":{"views":2}},"status":{"projectionSchema":{"views":{"type":"counter"}}}}',
    );
  });

  it('finds server and token in the environment of the server', async () => {
    const environment = { COLONNADE_TOKEN: token, COLONNADE_OPS_PORT: new URL(server.opsUrl).port };
    const select = `SELECT views FROM default_keyspace.visits WHERE page = '/a;b'`;
    const { code, stdout } = await cql(['--json', '-e', select], { environment });
    assert.deepEqual([code, stdout], [0, '{"columns":[{"name":"views","type":"counter"}],"rows":[[2]]}\n']);
  });

  it('ends with 1 at the first statement that is refused, and says why', async () => {
    const input =
      'DROP TABLE IF EXISTS default_keyspace.x; DROP TABLE default_keyspace.x; DROP TABLE default_keyspace.visits';
    const { code, stderr } = await cql(there(), { input });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'colonnade: there is no table default_keyspace.x; the tables of default_keyspace are: visits\n',
    );
  });

  it('ends with 1 without the token, and where nothing answers', async () => {
    const refused = await cql(['--ops-url', server.opsUrl, '-e', 'DROP TABLE default_keyspace.visits']);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^colonnade: this needs the token that .+\n.+--token TOKEN, or the variable COLONNADE_TOKEN\.\n$/,
    );
    const silent = await cql(['--ops-url', 'http://127.0.0.1:1', '-e', 'DROP TABLE a.b']);
    assert.equal(silent.code, 1);
    assert.match(
      silent.stderr,
      /^colonnade: http:\/\/127\.0\.0\.1:1 does not answer: .+\. Start a server .+ with --ops-url\n$/,
    );
  });

  it('ends with 2 when it is used wrongly', async () => {
    for (const args of [['--nope'], []]) {
      const { code, stderr } = await cql(args);
      assert.equal(code, 2);
      assert.match(stderr, /^colonnade: .+\nFor the options: colonnade cql --help\n$/);
    }
  });
});
