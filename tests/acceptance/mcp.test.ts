// `colonnade mcp` driven by a client of the official SDK.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { insertAll, send } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { colonnadePath, type RunningServer, runColonnade, startServer } from './start-server.js';

async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [colonnadePath, 'mcp', ...args],
      stderr: 'pipe',
    }),
  );
  return client;
}

describe('colonnade mcp', () => {
  let server: RunningServer;
  let client: Client;

  before(async () => {
    server = await startServer();
    await createNotes(server.url, 'default_keyspace');
    const options = { vector: { service: { provider: 'colonnade', modelName: 'hashed-ngrams' } } };
    await send(
      server.url,
      '/default_keyspace',
      JSON.stringify({ createCollection: { name: 'facts', options } }),
    );
    await insertAll(server.url, '/default_keyspace/facts', [
      '{"_id":1,"n":12345678901234567890,"$hybrid":"the boiler was repaired"}',
      '{"_id":2,"n":1,"$hybrid":"an invoice for the roof"}',
    ]);
    client = await connect(['--url', server.url]);
  });
  after(async () => {
    await client.close();
    await server.stop();
  });

  async function call(name: string, values: Record<string, unknown> = {}, by = client) {
    const { content, isError } = await by.callTool({ name, arguments: values });
    const [first] = content;
    assert.equal(first?.type, 'text');
    return { text: first.text, isError: isError === true };
  }

  it('lists and describes tables and collections, as tools and as resources', async () => {
    assert.match((await call('list_keyspaces')).text, /"default_keyspace"/);
    const { tables } = JSON.parse((await call('list_tables')).text);
    assert.deepEqual(tables, [
      { name: 'notes', kind: 'table' },
      { name: 'facts', kind: 'collection' },
    ]);
    const listed = JSON.parse((await call('list_embedding_models')).text) as {
      models: { provider: string }[];
    };
    const builtIn = { provider: 'colonnade', modelName: 'hashed-ngrams', dimension: null, needsKey: false };
    assert.deepEqual(
      listed.models.filter(({ provider }) => provider === 'colonnade'),
      [builtIn],
    );
    const notes = JSON.parse((await call('describe_table', { name: 'notes' })).text);
    assert.deepEqual(notes.definition.primaryKey, { partitionBy: ['id'], partitionSort: {} });
    assert.equal(notes.indexes.length, 2);
    assert.equal(JSON.parse((await call('describe_table', { name: 'facts' })).text).about, 2);
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['colonnade://default_keyspace/notes', 'colonnade://default_keyspace/facts'],
    );
    const read = await client.readResource({ uri: 'colonnade://default_keyspace/facts' });
    assert.match(JSON.stringify(read.contents), /hashed-ngrams/);
  });

  it('finds, searches in all modes, and keeps digits', async () => {
    assert.match(
      (await call('find', { name: 'facts', filter: { _id: 1 } })).text,
      /"n":12345678901234567890/,
    );
    for (const values of [
      { mode: 'meaning', text: 'repairing a boiler' },
      { mode: 'words', text: 'boiler' },
      { mode: 'hybrid', text: 'boiler' },
    ])
      assert.match(
        (await call('search', { name: 'facts', limit: 1, ...values })).text,
        /"documents":\[\{"_id":1,/,
      );
    const rows = await call('search', { name: 'notes', column: 'meaning', text: 'text 7', limit: 1 });
    assert.match(rows.text, /"id":7,.*"meaning":"\(384 numbers\)".*"\$similarity":/);
    assert.match(
      (await call('count_documents', { name: 'facts', filter: { n: 1 } })).text,
      /^\{"count":1\}$/,
    );
  });

  it('bounds replies, and pages', async () => {
    await insertAll(
      server.url,
      '/default_keyspace/facts',
      Array.from({ length: 60 }, (_, at) => `{"_id":${at + 10},"long":"${'é'.repeat(3900)}"}`),
    );
    const reply = await call('find', { name: 'facts', filter: { _id: { $gte: 10 } }, limit: 50 });
    assert.ok(reply.text.length <= 61_000);
    assert.match(reply.text, /"note":"35 more are left out, because the reply is too large/);
    // The next page would not have those that are left out.
    const large = await call('find', { name: 'facts', filter: { _id: { $gte: 10 } }, limit: 60 });
    assert.match(large.text, /more are left out/);
    assert.doesNotMatch(large.text, /nextPageState/);
    const first = JSON.parse(
      (await call('find', { name: 'notes', limit: 100, projection: { id: true } })).text,
    );
    assert.equal(first.documents.length, 50);
    const page = { name: 'notes', limit: 100, projection: { id: true }, pageState: first.nextPageState };
    assert.equal(JSON.parse((await call('find', page)).text).documents.length, 50);
  });

  it('reports errors of the service and wrong arguments in words', async () => {
    const unknown = await call('find', { name: 'nothing' });
    assert.ok(unknown.isError);
    assert.match(unknown.text, /^COLLECTION_NOT_EXIST|^UNKNOWN_TABLE|nothing/);
    assert.match((await call('describe_table', { name: 'nothing' })).text, /it has: notes, facts/);
    assert.match((await call('search', { name: 'facts' })).text, /give either text or vector/);
    for (const [values, problem] of [
      [{ text: 'boiler', limit: 1000 }, /"limit" must be <= 100$/],
      [
        { txt: 'boiler' },
        /there is no argument "txt"\. Did you mean "text"\? The arguments of search: name \(required\),/,
      ],
    ] as const) {
      const wrong = await call('search', { name: 'facts', ...values });
      assert.ok(wrong.isError);
      assert.match(wrong.text, problem);
    }
    const lost = await connect(['--url', 'http://127.0.0.1:1']);
    assert.match((await call('list_keyspaces', {}, lost)).text, /http:\/\/127\.0\.0\.1:1 does not answer/);
    await lost.close();
  });

  it('writes, and offers no writing with --read-only', async () => {
    await call('create_collection', { name: 'made' });
    await call('create_table', {
      name: 'made_table',
      definition: { columns: { id: 'int', t: 'text' }, primaryKey: 'id' },
    });
    assert.match(
      (await call('insert', { name: 'made', documents: [{ _id: 1 }, { _id: 2 }] })).text,
      /"insertedIds":\[1,2\]/,
    );
    const partly = await call('insert', { name: 'made', documents: [{ _id: 3 }, { _id: 1 }] });
    assert.ok(partly.isError);
    assert.match(partly.text, /^DOCUMENT_ALREADY_EXISTS: .+\n1 were inserted, with these ids: \[3\]$/);
    await call('delete', { name: 'made', filter: { _id: 3 } });
    await call('update', { name: 'made', filter: {}, update: { $set: { x: 1 } }, many: true });
    assert.match((await call('count_documents', { name: 'made', filter: { x: 1 } })).text, /"count":2/);
    await call('delete', { name: 'made', filter: { _id: 1 } });
    assert.ok((await call('delete', { name: 'made', filter: {} })).isError);
    assert.match((await call('find', { name: 'made' })).text, /^\{"count":1,/);
    const documents = Array.from({ length: 70 }, (_, at) => ({ _id: at + 10 }));
    assert.match((await call('insert', { name: 'made', documents })).text, /"insertedIds":\[10,11,.+,79\]/);
    const others = { name: 'made', filter: { _id: { $gte: 10 } }, many: true };
    assert.equal(
      (await call('update', { ...others, update: { $inc: { x: 1 } } })).text,
      '{"matchedCount":70,"modifiedCount":70}',
    );
    assert.match((await call('count_documents', { name: 'made', filter: { x: 1 } })).text, /"count":71/);
    assert.equal((await call('delete', others)).text, '{"deletedCount":70}');
    const { tools } = await client.listTools();
    assert.equal(tools.find(({ name }) => name === 'delete')?.annotations?.destructiveHint, true);

    const reader = await connect(['--url', server.url, '--read-only']);
    const offered = (await reader.listTools()).tools;
    assert.deepEqual(
      offered.filter(({ annotations }) => annotations?.readOnlyHint !== true),
      [],
    );
    assert.equal(offered.length, 7);
    await assert.rejects(call('insert', { name: 'made', documents: [{}] }, reader), /insert/);
    await reader.close();
  });

  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };

  it('writes and finds numbers with all their digits', async () => {
    const calls: readonly (readonly [call: string, text: RegExp])[] = [
      [
        '"insert","arguments":{"name":"facts","documents":[{"_id":9007199254740993,"n":1.234567890123456789}]}',
        /"insertedIds":\[9007199254740993\]/,
      ],
      ['"find","arguments":{"name":"facts","filter":{"_id":9007199254740993}}', /"n":1\.234567890123456789/],
    ];
    const first = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
    for (const [call, text] of calls) {
      const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${call}}}`;
      const input = `${first}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n${line}\n`;
      const { stdout } = await runColonnade(['mcp', '--url', server.url], {}, input);
      const reply = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
      assert.match(reply.result.content[0].text, text);
    }
  });

  it('answers what it read before its input ended', async () => {
    const tool = (id: number, name: string, values = {}) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: values },
    });
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      tool(2, 'list_tables'),
      tool(3, 'find', { name: 'facts', filter: { _id: 1 } }),
      { jsonrpc: '2.0', id: 4, method: 'tools/list' },
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    const { code, stdout } = await runColonnade(['mcp', '--url', server.url], {}, `{"jsonrpc"\n${input}`);
    assert.equal(code, 0);
    const parseError = { code: -32700, message: 'Parse error: the line is not JSON' };
    assert.equal(stdout.split('\n', 1)[0], JSON.stringify({ jsonrpc: '2.0', id: null, error: parseError }));
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    assert.deepEqual(ids.sort(), [1, 2, 3, 4, null]);
  });

  it('has an error for each message that its reader would ignore', async () => {
    const input = [
      '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}',
      '{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":5}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_tables","_meta":{"progressToken":{}}}}',
    ].join('\n');
    const { code, stdout, stderr } = await runColonnade(['mcp', '--url', server.url], {}, input);
    const replies = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      replies.map(({ id, error }) => [id, error.code]),
      [1, 2, 3].map((id) => [id, -32600]),
    );
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('answers many calls at the same time, and has no problem to report', async () => {
    const call = (_: unknown, id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"list_keyspaces"}}\n`;
    const input = Array.from({ length: 30 }, call).join('');
    const { stdout, stderr } = await runColonnade(['mcp', '--url', server.url], {}, input);
    assert.equal(stdout.trimEnd().split('\n').length, 30);
    assert.equal(stderr, '');
  });

  it('replies to messages of every size and depth, and serves the next one', async () => {
    const insert = (id: number, value: string) =>
      `{"method":"tools/call","params":{"name":"insert","arguments":{"name":"facts","documents":` +
      `[{"_id":"big","d":${value}}]}},"jsonrpc":"2.0","id":${id}}`;
    const text = (length: number) => `"${'x'.repeat(length)}"`;
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const input = [
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      insert(2, text(11 * 1024 * 1024)),
      insert(3, text(22 * 1024 * 1024)),
      insert(4, text(30_000_000)),
      insert(5, nested(995)),
      insert(6, nested(100_000)),
      '{"jsonrpc":"2.0","id":7,"method":"tools/list"}',
    ].join('\n');
    const { code, stdout } = await runColonnade(['mcp', '--url', server.url], {}, input);
    assert.equal(code, 0);
    const replies = new Map(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((reply) => [reply.id, reply]),
    );
    assert.deepEqual([...replies.keys()].sort(), [1, 2, 3, 4, 5, 6, 7]);
    for (const [id, message] of [
      [2, /SHRED_DOC_LIMIT_VIOLATION/],
      [3, /HTTP_413|20971520|20 MiB/],
      [5, /SHRED_DOC_LIMIT_VIOLATION/],
    ] as const) {
      assert.equal(replies.get(id).result?.isError, true);
      assert.match(replies.get(id).result.content[0].text, message);
    }
    assert.match(replies.get(4).error.message, /25165824 are the most/);
    assert.match(replies.get(6).error.message, /1000 are the most/);
  });

  it('ends with its input, and refuses a wrong command line', async () => {
    assert.equal((await runColonnade(['mcp', '--url', server.url], {}, '')).code, 0);
    const { code, stderr } = await runColonnade(['mcp', '--keyspace', 'a b']);
    assert.equal(code, 2);
    assert.match(stderr, /--keyspace is "a b"/);
  });
});
