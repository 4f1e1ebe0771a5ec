// What the operations port bounds: values in a body, problems in a reply. Rules and channels: the long file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpsReply, openOps } from './open-ops.js';

const rulesPath = '/local/alert-rules';
const channelsPath = '/local/notification-channels';

function errorOf({ body }: OpsReply) {
  return body as { type: string; message: string; details: { path: string; message: string }[] };
}

function members(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, null]));
}

describe('a body with many problems', () => {
  const ops = openOps();

  for (const [path, body, total] of [
    ['/login', members(900), 902],
    [rulesPath, { type: 'node-down', ...members(900) }, 900],
    ['/cluster-configs', members(900), 901],
    [channelsPath, { type: 'webhook', ...members(900) }, 901],
    ['/local/ops', { action: 'flush', ips: Array.from({ length: 9000 }, () => 1) }, 9000],
  ] as const) {
    it(`gets the first twenty of them and the number of the others from ${path}`, async () => {
      const { type, message, details } = errorOf(await ops.ask({ path, body }));
      assert.equal(type, 'BadRequest');
      assert.equal(details.length, 20);
      assert.match(
        message,
        new RegExp(`${total} problems.*; details lists the first 20, there are ${total - 20} more$`),
      );
    });
  }

  it('gets all of them where they are few', async () => {
    const { message, details } = errorOf(await ops.ask({ path: '/login', body: members(18) }));
    assert.equal(details.length, 20);
    assert.equal(message, 'the request has 20 problems');
  });

  it('gets its own long names and texts back shortened', async () => {
    const long = 'n'.repeat(100_000);
    for (const body of [{ [long]: 1 }, { type: 'rolling-avg', metric: long, threshold: 1 }]) {
      const reply = await ops.ask({ path: rulesPath, body });
      assert.equal(reply.status, 400);
      assert.ok(reply.text.length < 5000, reply.text.slice(0, 100));
      assert.match(reply.text, /nnn…/);
    }
  });

  for (const [path, body, problem] of [
    [
      channelsPath,
      { type: 'slack', url: 'http://a/b', levels: Array(101).fill(1) },
      'levels must have at most 100 elements',
    ],
    [
      channelsPath,
      { type: 'slack', url: 'http://a/b', rules: Array(201).fill(1) },
      'rules must have at most 200 elements',
    ],
    [
      channelsPath,
      { type: 'webhook', url: 'http://a/b', headers: members(51) },
      'headers must have at most 50 members',
    ],
    [rulesPath, { type: 'node-down', annotations: members(65) }, 'annotations must have at most 64 members'],
  ] as const) {
    it(`does not get a problem for each element: ${problem}`, async () => {
      const { details } = errorOf(await ops.ask({ path, body }));
      assert.deepEqual(
        details.map(({ path: at, message }) => `${at} ${message}`),
        [problem],
      );
    });
  }
});

describe('a body with many values', () => {
  const ops = openOps();

  for (const [kind, text] of [
    ['numbers', `[${Array(10_000).fill('1').join(',')}]`],
    ['objects', `[${Array(10_000).fill('{}').join(',')}]`],
    ['members', JSON.stringify(members(10_000))],
  ] as const) {
    it(`is refused while it is parsed: ${kind}`, async () => {
      const reply = await ops.ask({ path: '/local/ops', body: text });
      assert.equal(reply.status, 413);
      assert.deepEqual(reply.body, {
        type: 'PayloadTooLarge',
        message: 'the body has more than 10000 values',
        details: [],
      });
    });
  }
});

describe('a body with many members of one object', () => {
  const ops = openOps();

  it('is refused before the members are checked', async () => {
    for (const body of [members(1001), { annotations: members(1001) }]) {
      const reply = await ops.ask({ path: rulesPath, body });
      assert.equal(reply.status, 413);
      assert.equal(errorOf(reply).message, 'the body has an object with more than 1000 members');
    }
  });

  it('gets its problems where it has as many as allowed', async () => {
    const reply = await ops.ask({ path: rulesPath, body: members(1000) });
    assert.equal(reply.status, 400);
    assert.match(errorOf(reply).message, /the first 20, there are \d+ more/);
  });
});

describe('a query with many parameters', () => {
  const ops = openOps();
  const query = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`).join('&');

  it('is refused with one problem, before each parameter becomes one', async () => {
    for (const path of ['/openapi.json', rulesPath]) {
      const reply = await ops.ask({ path: `${path}?${query(101)}` });
      assert.equal(reply.status, 400);
      assert.equal(errorOf(reply).message, 'the query has more than 100 parameters');
      const inFull = await ops.ask({ path: `${path}?${query(100)}` });
      assert.match(errorOf(inFull).message, /the first 20, there are 80 more|100 problems/);
    }
  });
});

describe('texts of a rule or channel', () => {
  const ops = openOps();
  const mail = { type: 'email', host: 'mail.example', from: 'a@b.example', to: ['c@d.example'] };
  const long = 'x'.repeat(1001);
  const notes = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, 'x'.repeat(1000)]));
  for (const [path, body, problem] of [
    [
      rulesPath,
      { type: 'node-down', annotations: notes },
      'annotations must have at most 8192 characters together',
    ],
    [
      channelsPath,
      { type: 'webhook', url: 'http://a/', password: long },
      'password must have at most 1000 characters',
    ],
    [channelsPath, { ...mail, username: 'a', password: long }, 'password must have at most 1000 characters'],
    [
      channelsPath,
      { ...mail, ca: `-----BEGIN CERTIFICATE-----${'x'.repeat(65_536)}` },
      'ca must have at most 65536 characters',
    ],
    [
      channelsPath,
      { type: 'snmp', host: 'a', version: '1', community: long },
      'community must have at most 200 characters',
    ],
  ] as const) {
    it(`have limits: ${problem}`, async () => {
      const { details } = errorOf(await ops.ask({ path, body }));
      assert.deepEqual(
        details.map(({ path: at, message }) => `${at} ${message}`),
        [problem],
      );
    });
  }
});

describe('a long list', () => {
  /** Just so long that it is written in slices. */
  const longEnough = '/local/events?count=1100';
  const openWithEvents = () => {
    const ops = openOps();
    const append = (at: number) =>
      ops.parts.events.append('local', { action: 'schemaChanged', level: 'INFO', message: `${at}` });
    for (let at = 0; at < 3000; at += 1) append(at);
    return ops;
  };

  it('is written in slices, and is the same', async () => {
    const ops = openWithEvents();
    const { body } = await ops.ask({ path: '/local/events?count=3000' });
    const messages = (body as { message: string }[]).map(({ message }) => message);
    assert.deepEqual(
      messages,
      Array.from({ length: 3000 }, (_, at) => String(2999 - at)),
    );
    const refused = await Promise.all(Array.from({ length: 40 }, () => ops.ask({ path: longEnough })));
    assert.equal(refused.filter(({ status }) => status === 503).length, 7);
  });

  it('is not written for clients that have left, which do not count', async () => {
    const ops = openWithEvents();
    const path = longEnough;
    const leaving = new Set<() => void>();
    const onGone = (listener: () => void) => void leaving.add(listener);
    const left = Array.from({ length: 33 }, () => ops.ask({ path, onGone }));
    for (let microtasks = 0; microtasks < 10; microtasks += 1) await null;
    assert.ok(leaving.size >= 33);
    for (const leave of leaving) leave();
    const replies = await Promise.all(Array.from({ length: 32 }, () => ops.ask({ path })));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.deepEqual(new Set((await Promise.all(left)).map(({ status }) => status)), new Set([503]));
  });
});
