// Actions over HTTP: asking, following, stopping, and what a restart leaves of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeAction, NodeActionOutcome } from '../../src/ops-service/clusters/cluster.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

type Asked = Omit<NodeAction, 'node'>;
type Shown = { id: string; state: string; details: { node: string; state: string; detail: string }[] };

/** An engine whose actions end when the test says so. */
class Engine {
  readonly asked: Asked[] = [];
  #waiting: { end(outcome: NodeActionOutcome): void; readonly signal: AbortSignal }[] = [];

  readonly act = (action: Asked, signal: AbortSignal): Promise<NodeActionOutcome> => {
    this.asked.push(action);
    return new Promise((resolve) => {
      const cancel = () => resolve({ state: 'cancelled', detail: 'stopped between two steps' });
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();
      this.#waiting.push({ end: resolve, signal });
    });
  };

  end(state: 'success' | 'error' = 'success', detail = 'it is done'): void {
    this.#waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    this.#waiting.shift()?.end({ state, detail });
  }
}

function start(engine = new Engine()): { ops: OpsUnderTest; engine: Engine } {
  const ops = openOps({ answers: { act: engine.act } });
  ops.parts.schemaChanged({
    message: 'made tables',
    keyspaces: ['shop', 'empty'],
    tables: ['shop.orders', 'shop.goods'],
  });
  return { ops, engine };
}

const flush = '/local/ops/flush/127.0.0.1/shop';

async function status(ops: OpsUnderTest, id: unknown): Promise<Shown> {
  return (await ops.ask({ path: `/request/${id}/status` })).body as Shown;
}

/** Promises that were settled run their course. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function newestEvents(ops: OpsUnderTest, count: number) {
  const { body } = await ops.ask({ path: `/local/events?count=${count}` });
  return (body as { action: number; level_str: string; message: string; success: boolean | null }[]).map(
    ({ action, level_str, message, success }) => `${action} ${level_str} ${message} ${success}`,
  );
}

describe('an action', () => {
  const { ops, engine } = start();

  it('is requested, reports its progress, and is one event when it ends', async () => {
    const before = Math.floor(ops.clock.nowMs() / 1000);
    const { status: code, body: id } = await ops.ask({ path: flush, body: ['orders'] });
    assert.equal(code, 200);
    assert.equal(typeof id, 'string');
    assert.deepEqual(engine.asked, [{ action: 'flush', keyspace: 'shop', tables: ['orders'] }]);
    assert.deepEqual(await status(ops, id), {
      id,
      action: 'flush',
      keyspace: 'shop',
      tables: ['orders'],
      state: 'running',
      created: before,
      started: before,
      finished: null,
      details: [{ node: '127.0.0.1', state: 'running', started: before, finished: null, detail: '' }],
    });
    ops.clock.advance(5000);
    engine.end();
    await turn();
    const ended = await status(ops, id);
    assert.equal(ended.state, 'success');
    assert.deepEqual(ended.details[0], {
      node: '127.0.0.1',
      state: 'success',
      started: before,
      finished: before + 5,
      detail: 'it is done',
    });
    assert.deepEqual(await newestEvents(ops, 1), ['3 INFO flush of shop.orders on 127.0.0.1 done true']);
    assert.deepEqual((await ops.ask({ path: '/local/requests' })).body, [ended]);
  });

  it('that fails is an error, and so is its event', async () => {
    const { body: id } = await ops.ask({ path: '/local/ops/repair/127.0.0.1/shop', body: [] });
    engine.end('error', '2 problems remain\nshop.orders: row 7');
    await turn();
    assert.equal((await status(ops, id)).state, 'error');
    assert.deepEqual(await newestEvents(ops, 1), [
      '2 ERROR repair of shop on 127.0.0.1 failed: 2 problems remain false',
    ]);
  });

  it('waits while another runs on its node; the same one is refused with the id of the other', async () => {
    const first = await ops.ask({ path: flush, body: ['orders', 'goods'] });
    const second = await ops.ask({ path: '/local/ops/compact/127.0.0.1/shop', body: [] });
    const same = await ops.ask({ path: flush, body: ['goods', 'orders'] });
    assert.equal(same.status, 409);
    assert.deepEqual((same.body as { details: unknown }).details, [
      { path: 'request_id', message: first.body },
    ]);
    assert.equal((await ops.ask({ path: flush, body: ['orders'] })).status, 200, 'other tables are another');
    const asked = engine.asked.length;
    assert.equal((await status(ops, second.body)).state, 'queued');
    for (let left = 3; left > 0; left -= 1) {
      engine.end();
      await turn();
    }
    assert.deepEqual(
      engine.asked.slice(asked).map(({ action }) => action),
      ['compact', 'flush'],
    );
    assert.equal((await status(ops, second.body)).state, 'success');
  });

  it('is cancelled before it runs, or at its next step', async () => {
    const running = await ops.ask({ path: flush, body: ['orders'] });
    const waiting = await ops.ask({ path: '/local/ops/cleanup/127.0.0.1/shop', body: [] });
    const cancel = (id: unknown) => ops.ask({ method: 'POST', path: `/request/${id}/cancel` });
    assert.equal((await cancel(waiting.body)).text, 'null');
    assert.equal((await status(ops, waiting.body)).state, 'cancelled');
    assert.equal((await cancel(running.body)).text, 'null');
    await turn();
    assert.equal((await status(ops, running.body)).state, 'cancelled');
    assert.equal((await cancel(running.body)).status, 409);
    assert.deepEqual(await newestEvents(ops, 1), [
      '3 INFO flush of shop.orders on 127.0.0.1 cancelled: stopped between two steps false',
    ]);
  });

  it('is refused for what does not exist', async () => {
    for (const [path, body, code] of [
      ['/local/ops/flush/127.0.0.1/nowhere', [], 404],
      ['/local/ops/flush/10.0.0.1/shop', [], 404],
      ['/local/ops/drain/127.0.0.1/shop', [], 404],
      ['/elsewhere/ops/flush/127.0.0.1/shop', [], 404],
      [flush, ['gone'], 400],
      [flush, [''], 400],
      [flush, [7], 400],
      [flush, {}, 400],
      ['/local/ops', { action: 'flush', ips: ['10.0.0.1'] }, 400],
      ['/local/ops', { action: 'drain' }, 400],
      ['/local/ops', { action: 'flush', sleep: -1 }, 400],
      ['/local/ops', { action: 'flush', more: 1 }, 400],
      ['/local/ops', { action: 'flush', keyspace: '' }, 400],
      ['/local/ops', { action: 'flush', tables: ['orders'] }, 400],
      ['/request/none/cancel', {}, 404],
    ] as const) {
      const method = 'POST';
      assert.equal((await ops.ask({ method, path, body })).status, code, `${path} ${JSON.stringify(body)}`);
    }
    assert.equal((await ops.ask({ path: '/request/none/status' })).status, 404);
  });

  for (const [path, message] of [
    ['/local/ops/drain/127.0.0.1/shop', '"drain"; the actions are compact, cleanup, flush, repair'],
    ['/local/ops/flush/10.0.0.1/shop', '"10.0.0.1"; the nodes are 127.0.0.1'],
    ['/local/ops/flush/127.0.0.1/nowhere', '"nowhere"; the keyspaces are shop, empty'],
    ['/elsewhere/ops/flush/127.0.0.1/shop', '"elsewhere"; the clusters are local'],
  ] as const) {
    it(`is refused with the names that exist: ${message}`, async () => {
      const { text } = await ops.ask({ method: 'POST', path, body: [] });
      const [what = ''] = /[a-z]+(?=s are)/.exec(message) ?? [];
      assert.equal(JSON.parse(text).message, `there is no ${what} ${message}`);
    });
  }

  it('is refused with the place of what is wrong in a list', async () => {
    const { body } = await ops.ask({ method: 'POST', path: flush, body: ['t', 7] });
    assert.equal(Object(body).message, 'element 2 of the list must be a text, not a number');
    assert.deepEqual(Object(body).details, [{ path: '1', message: 'must be a text, not a number' }]);
  });

  it('for all nodes is one for all keyspaces', async () => {
    const { body: id } = await ops.ask({ path: '/local/ops', body: { action: 'flush', is_rolling: true } });
    assert.deepEqual(engine.asked.at(-1), { action: 'flush', keyspace: '', tables: [] });
    engine.end();
    await turn();
    assert.equal((await status(ops, id)).state, 'success');
    assert.deepEqual(await newestEvents(ops, 1), ['3 INFO flush of all keyspaces on 127.0.0.1 done true']);
  });

  it('for all nodes is one for a keyspace or tables of it', async () => {
    const scope = { keyspace: 'shop', tables: ['orders', 'orders'] };
    const { body: id } = await ops.ask({ path: '/local/ops', body: { action: 'flush', ...scope } });
    assert.deepEqual(engine.asked.at(-1), { action: 'flush', keyspace: 'shop', tables: ['orders'] });
    engine.end();
    await turn();
    assert.equal((await status(ops, id)).state, 'success');
    const refusals = [
      [{ keyspace: 'nowhere' }, 'keyspace', '"nowhere" is not a keyspace of the cluster'],
      [{ keyspace: 'shop', tables: ['orders', 'gone'] }, 'tables.1', '"gone" is not a table of the keyspace'],
    ] as const;
    for (const [wrong, path, message] of refusals) {
      const { status: code, body } = await ops.ask({
        path: '/local/ops',
        body: { action: 'flush', ...wrong },
      });
      assert.equal(code, 400);
      assert.deepEqual(Object(body).details, [{ path, message }]);
    }
  });

  it('waits in a queue of a hundred', async () => {
    for (let waiting = 0; waiting < 100; waiting += 1) {
      ops.parts.schemaChanged({ message: 'x', keyspaces: [`k${waiting}`], tables: [`k${waiting}.t`] });
      const asked = await ops.ask({ path: `/local/ops/flush/127.0.0.1/k${waiting}`, body: [] });
      assert.equal(asked.status, 200, asked.text);
    }
    ops.parts.schemaChanged({ message: 'x', keyspaces: ['full'], tables: ['full.t'] });
    const refused = await ops.ask({ path: '/local/ops/flush/127.0.0.1/full', body: [] });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '10');
  });
});

describe('when the service begins to stop', () => {
  it('what runs is ended at once', async () => {
    const { ops } = start();
    const { body: id } = await ops.ask({ path: flush, body: [] });
    ops.parts.setHealth('stopping');
    await turn();
    const { state, details } = await status(ops, id);
    assert.deepEqual([state, details[0]?.detail], ['error', 'interrupted by a restart']);
  });
});

describe('after a restart', () => {
  it('what ran or waited is an error with its event', async () => {
    const { ops, engine } = start();
    const { body: done } = await ops.ask({ path: flush, body: [] });
    engine.end();
    await turn();
    const { body: running } = await ops.ask({ path: flush, body: [] });
    const { body: waiting } = await ops.ask({ path: '/local/ops/compact/127.0.0.1/shop', body: [] });
    await ops.reopen();
    assert.equal((await status(ops, done)).state, 'success');
    for (const id of [running, waiting]) {
      const { state, details } = await status(ops, id);
      assert.deepEqual([state, details[0]?.detail], ['error', 'interrupted by a restart']);
    }
    const events = (await newestEvents(ops, 10)).filter((event) => event.includes('interrupted'));
    assert.deepEqual(events, [
      '0 ERROR compaction of shop on 127.0.0.1 failed: interrupted by a restart false',
      '3 ERROR flush of shop on 127.0.0.1 failed: interrupted by a restart false',
    ]);
    assert.equal((await ops.ask({ path: flush, body: [] })).status, 404, 'the tables are not known yet');
  });
});
