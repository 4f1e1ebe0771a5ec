// The event log over HTTP: what it shows, in which order, and that pages lose nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOps } from './open-ops.js';

describe('GET /{cluster_id}/events', () => {
  const ops = openOps();
  const times = async (query: string) => {
    const { status, body } = await ops.ask({ path: `/local/events${query}` });
    assert.equal(status, 200);
    assert.ok(Array.isArray(body));
    return body.map(({ time }: { time: string }) => time);
  };

  it('shows an event with exactly the fields of the specification', async () => {
    const { body } = await ops.ask({ path: '/local/events' });
    assert.deepEqual(body, [
      {
        action: 18,
        api_source_ip: '127.0.0.1',
        event_source: 'Colonnade',
        level: 1,
        level_str: 'INFO',
        message: 'Colonnade 1.2.3 started',
        source_node: '127.0.0.1',
        success: null,
        target_node: null,
        time: String(Date.UTC(2026, 0, 1) * 1000),
        user: 'system',
      },
    ]);
  });

  it('shows the caller, the nodes and whether it worked', async () => {
    ops.parts.events.append('local', {
      action: 'compaction',
      level: 'ERROR',
      message: 'compaction failed',
      caller: { user: 'ada', address: '10.1.1.1' },
      sourceNode: '10.0.0.1',
      targetNode: '10.0.0.2',
      success: false,
    });
    const { body } = await ops.ask({ path: '/local/events?count=1' });
    assert.deepEqual(body, [
      {
        action: 0,
        api_source_ip: '10.1.1.1',
        event_source: 'Colonnade',
        level: 3,
        level_str: 'ERROR',
        message: 'compaction failed',
        source_node: '10.0.0.1',
        success: false,
        target_node: '10.0.0.2',
        time: String(Date.UTC(2026, 0, 1) * 1000 + 1),
        user: 'ada',
      },
    ]);
  });

  it('gives each event a unique time that rises, also when the clock is set back', async () => {
    ops.clock.jump(-3_600_000);
    for (let round = 0; round < 30; round += 1) {
      ops.parts.events.append('local', { action: 'flush', level: 'INFO', message: `flush ${round}` });
    }
    const all = await times('?count=100');
    assert.equal(all.length, 32);
    assert.deepEqual(
      all,
      [...new Set(all)].sort((left, right) => Number(right) - Number(left)),
    );
  });

  it('gives ten by default, the newest first', async () => {
    const all = await times('?count=100');
    assert.deepEqual(await times(''), all.slice(0, 10));
    assert.deepEqual(await times('?reverse=1&count=3'), all.slice(0, 3));
    assert.deepEqual(await times('?reverse=0'), all.slice(0, 1)); // upward from the newest there is one
    assert.deepEqual(await times(`?reverse=0&timestamp=${all[3]}`), all.slice(0, 4).reverse());
    assert.deepEqual(await times(`?reverse=0&timestamp=${all[3]}&count=2`), all.slice(2, 4).reverse());
    assert.deepEqual(await times(`?timestamp=${all[5]}&count=2`), all.slice(5, 7)); // that one included
    assert.deepEqual(await times('?timestamp=9999999999999999999'), all.slice(0, 10));
    assert.deepEqual(await times('?timestamp=0'), []);
    assert.deepEqual(await times('?reverse=0&timestamp=0&count=10000'), [...all].reverse());
  });

  it('loses and repeats nothing from page to page', async () => {
    const all = await times('?count=100');
    const paged: string[] = [];
    for (let from = ''; ; ) {
      const page = await times(`?count=7${from}`);
      if (page.length === 0) break;
      paged.push(...page);
      from = `&timestamp=${Number(page.at(-1)) - 1}`;
    }
    assert.deepEqual(paged, all);
  });

  it('names every parameter that is wrong in one reply', async () => {
    const { status, body } = await ops.ask({
      path: '/local/events?count=0&timestamp=now&reverse=2&from=1&to=2',
    });
    assert.equal(status, 400);
    assert.deepEqual(body, {
      type: 'BadRequest',
      message: 'the request has 5 problems',
      details: [
        { path: 'count', message: 'must be an integer from 1 to 10000' },
        { path: 'timestamp', message: 'must be a unix timestamp in microseconds' },
        { path: 'reverse', message: 'must be 0 or 1' },
        { path: 'from', message: 'is not known' },
        { path: 'to', message: 'is not known' },
      ],
    });
    for (const query of [
      'count=10001',
      'count=1.5',
      'count=-1',
      'count=',
      'count=1&count=1',
      'timestamp=-1',
    ]) {
      assert.equal((await ops.ask({ path: `/local/events?${query}` })).status, 400, query);
    }
  });

  it('finds the events of a level and above, of codes and of a node, however old', async () => {
    const all = await times('?count=100');
    const old = all.at(-2) ?? ''; // the compaction of the node 10.0.0.1, with the level ERROR
    for (const filter of [
      'level=ERROR',
      'level=WARN',
      'action=0',
      'action=17,0',
      'node=10.0.0.1',
      'node=10.0.0.2',
    ])
      assert.deepEqual(await times(`?${filter}`), [old], filter);
    assert.deepEqual(await times('?level=CRITICAL'), []);
    assert.deepEqual(await times('?node=10.0.0'), []);
    assert.deepEqual(await times('?level=ERROR&action=3'), []);
    assert.deepEqual(await times('?action=3&count=2'), all.slice(0, 2));
    assert.deepEqual(await times(`?action=3&timestamp=${all[4]}&count=1`), [all[4]]);
    assert.deepEqual(await times('?action=0,18&reverse=0&timestamp=0'), all.slice(-2).reverse());
    const { status, body } = await ops.ask({
      path: `/local/events?level=warn&action=a&node=${'n'.repeat(256)}`,
    });
    assert.equal(status, 400);
    assert.deepEqual(
      (body as { details: readonly { path: string }[] }).details.map(({ path }) => path),
      [...['level', 'action', 'node']],
    );
  });

  it('has no events of a cluster that does not exist', async () => {
    const { status, body } = await ops.ask({ path: '/elsewhere/events' });
    assert.equal(status, 404);
    assert.deepEqual(body, {
      type: 'NotFound',
      message: 'there is no cluster "elsewhere"; the clusters are local',
      details: [],
    });
  });

  it('keeps everything over a restart', async () => {
    const before = await times('?count=100');
    await ops.reopen();
    assert.deepEqual((await times('?count=100')).slice(2), before); // an end and a start came on top
  });
});
