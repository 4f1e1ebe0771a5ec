// Tests of the tools that change data: what a cancelled call does, and what is sent again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SendFailure } from '../../foundation/http/send-request.js';
import { JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import { type DataPort, openDataPort } from '../data-port.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { writeTools } from './write-tools.js';

const unused = () => assert.fail('a change is sent as one');

function toolNamed(name: string) {
  const tool = writeTools.find((known) => known.name === name);
  assert.ok(tool !== undefined);
  return tool;
}

describe('a tool that changes all that match', () => {
  it('sends no further command when its call is cancelled, and says what it changed', async () => {
    const cancel = new AbortController();
    let commands = 0;
    const change: DataPort['change'] = async () => {
      commands += 1;
      if (commands === 2) cancel.abort();
      const status = new Map<string, JsonValue>([
        ['deletedCount', new JsonNumber('20')],
        ['moreData', commands < 5],
      ]);
      return { data: new Map(), status, errors: [] };
    };
    const context = {
      port: { url: '', ask: unused, run: unused, change },
      keyspace: 'k',
      cancelled: cancel.signal,
    };
    const remove = toolNamed('delete');
    const values = { name: 'c', filter: { a: 1 }, many: true };
    await assert.rejects(remove.run(values, context), (error) => {
      assert.ok(error instanceof Interrupted);
      assert.match(error.message, /until then: \{"deletedCount":40\}/);
      return true;
    });
    assert.equal(commands, 2);
  });
});

/** The answer of a server: a body, a status, or a loss of the connection. */
interface Answer {
  readonly body?: string;
  readonly status?: number;
  readonly retryAfter?: string;
  /** Whether the request had left when the connection was lost. */
  readonly lost?: { readonly hasLeft: boolean };
}

/** A call whose server has answered before, and then gives these answers. */
async function callWith(answers: readonly Answer[]) {
  const sent: string[] = [];
  const left: Answer[] = [{ body: '{}' }, ...answers];
  const address = { url: 'http://h', token: undefined, retries: 2 };
  const port = openDataPort(
    { ...address, advice: { url: '--url', token: '--token', keyspace: '--keyspace' } },
    {
      sendRequest: async ({ body }) => {
        sent.push(String(body));
        const {
          body: text = '',
          status = 200,
          retryAfter,
          lost,
        } = left.shift() ?? assert.fail('no answer left');
        if (lost !== undefined)
          throw new SendFailure('unreachable', 'read ECONNRESET', undefined, lost.hasLeft);
        return { status, header: () => retryAfter, body: Buffer.from(text) };
      },
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      wait: async () => {},
      interrupted: new AbortController().signal,
      notify: () => {},
    },
  );
  await port.run('', '{}');
  sent.length = 0;
  return { sent, context: { port, keyspace: 'k', cancelled: new AbortController().signal } };
}

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['update', { name: 'c', filter: { _id: 1 }, update: { $inc: { stock: -1 } } }],
  ['update', { name: 'c', filter: { a: 1 }, update: { $inc: { stock: -1 } }, many: true }],
  ['delete', { name: 'c', filter: { status: 'open' } }],
  ['insert', { name: 'c', documents: [{ a: 1 }] }],
  ['create_collection', { name: 'c' }],
  ['create_table', { name: 't', definition: {} }],
];

describe('a change whose outcome is not known', () => {
  it('is not sent again when the connection is lost behind it, or when a proxy answers', async () => {
    for (const answer of [{ lost: { hasLeft: true } }, { status: 504 }, { status: 503 }])
      for (const [name, values] of calls) {
        const { sent, context } = await callWith([answer]);
        await assert.rejects(
          toolNamed(name).run(values, context),
          /not known whether the change took effect/,
        );
        assert.equal(sent.length, 1, name);
      }
  });

  it('is not sent again when the server says that it took too long', async () => {
    const body = '{"errors":[{"errorCode":"TIMEOUT_WRITING_DATA","message":"Read what it writes."}]}';
    for (const [name, values] of calls) {
      const { sent, context } = await callWith([{ body }]);
      await assert.rejects(
        toolNamed(name).run(values, context),
        /TIMEOUT_WRITING_DATA: Read what it writes\./,
      );
      assert.equal(sent.length, 1, name);
    }
  });

  it('says what the commands before it changed', async () => {
    const first = '{"status":{"deletedCount":20,"moreData":true}}';
    const { context } = await callWith([{ body: first }, { lost: { hasLeft: true } }]);
    const removal = toolNamed('delete').run({ name: 'c', filter: { a: 1 }, many: true }, context);
    await assert.rejects(removal, (error) => {
      assert.ok(error instanceof DataPortProblem);
      assert.match(error.message, /not known whether.+\nuntil then: \{"deletedCount":20\}$/);
      return true;
    });
  });
});

describe('a change that the server did not begin', () => {
  it('is sent again when it was refused for a time, or never left', async () => {
    for (const answer of [{ status: 503, retryAfter: '1' }, { lost: { hasLeft: false } }])
      for (const [name, values] of calls) {
        const { sent, context } = await callWith([answer, { body: '{"status":{"ok":1}}' }]);
        await toolNamed(name).run(values, context);
        assert.equal(sent.length, 2, name);
      }
  });
});
