// Fired alerts on a cluster whose readings and clock the test sets: scopes, disappearance, changes, restart.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryOf } from '../../src/ops-service/alerts/alert.js';
import type { Reading } from '../../src/ops-service/clusters/cluster.js';
import { OpsError } from '../../src/ops-service/errors/ops-error.js';
import { caller, type JudgedBench, makeBench, nodeAt } from './judged-cluster.js';

const node = '10.0.0.1';
const average = { type: 'rolling-avg', metric: 'write-ops', threshold: 10, duration: 0 };

function value(key: string, amount: number, place: Partial<Reading> = {}): Reading {
  return { node, key, value: amount, ...place } as Reading;
}

/** `fired 10.0.0.1`, with the table or device where there is one; `cleared …` with the reason. */
function changesOf({ changes }: JudgedBench): readonly string[] {
  return changes.map(({ kind, alert, reason }) => {
    const words = [kind, alert.node, alert.table ?? alert.device];
    if (kind === 'cleared' && !reason.startsWith('the condition')) words.push(`(${reason})`);
    return words.filter((word) => word !== null && word !== '').join(' ');
  });
}

function benchWith(rule: object): JudgedBench & { readonly ruleId: string } {
  const bench = makeBench();
  return Object.assign(bench, { ruleId: bench.rules.create(bench.cluster, rule, caller).id });
}

describe('fired alerts', () => {
  it('are listed with what the contract names, and clear by themselves', () => {
    const bench = benchWith({ ...average, level: 'ERROR' });
    bench.readings = [value('write-ops', 11.5)];
    bench.tick();
    const [alert] = bench.alerts.list('local');
    assert.deepEqual(alert, {
      id: alert?.id,
      alert_rule_id: bench.ruleId,
      node,
      dc: 'dc1',
      table: null,
      device: null,
      level: 'ERROR',
      state: 'firing',
      current_value: 11.5,
      first_fired: 1_700_000_010,
    });
    bench.readings = [value('write-ops', 12)];
    bench.tick();
    assert.equal(bench.alerts.list('local')[0]?.current_value, 12);
    bench.readings = [value('write-ops', 1)];
    bench.tick();
    assert.deepEqual(bench.alerts.list('local'), []);
    assert.deepEqual(changesOf(bench), [`fired ${node}`, `cleared ${node}`]);
    const events = bench.events.map(({ action, level }) => [action, level]);
    assert.deepEqual(events, [
      ['ruleCreated', 'INFO'],
      ['alertFired', 'ERROR'],
      ['alertCleared', 'INFO'],
    ]);
    assert.match(bench.changes[0]?.reason ?? '', /^value 11\.5 above 10$/);
  });

  it('come with the name of their rule in words', () => {
    const names = [
      { ...average, duration: 5, dc: 'dc1' },
      { type: 'rolling-avg', metric: 'cf-read-ops', comparator: '<', threshold: 0.5, cf: 'shop.orders' },
      { type: 'percentile', metric: 'read-histogram', threshold: 20, percentile: 100, duration: 0 },
      { type: 'cluster-balance', duration: 0 },
      { type: 'node-down', duration: 0.5 },
      { type: 'agent-issue', duration: 2, dc: 'dc2' },
    ].map((rule) => {
      const { rules, cluster } = makeBench();
      return summaryOf(rules.create(cluster, rule, caller)).name;
    });
    assert.deepEqual(names, [
      'write-ops above 10 for 5 minutes on dc1',
      'cf-read-ops below 0.5 for 1 minute on shop.orders',
      'maximum of read-histogram above 20',
      'data unbalanced by more than 25 %',
      'a node is down for 0.5 minutes',
      'a node gives no metrics for 2 minutes on dc2',
    ]);
  });

  it('show the value so exactly that it differs from the threshold, and write one minute in the singular', () => {
    const reasonFor = (threshold: number, reading: number, duration: number) => {
      const bench = benchWith({ ...average, threshold, duration });
      for (let at = 0; at < 10; at += 1) {
        bench.readings = [value('write-ops', reading)];
        bench.tick();
      }
      return bench.changes[0]?.reason;
    };
    assert.equal(reasonFor(1, 21_420.703_125, 0), 'value 21421 above 1');
    assert.equal(reasonFor(100, 100.02, 1), 'value 100.02 above 100 for 1 minute');
    assert.equal(reasonFor(100, 100.020_000_000_000_01, 0.5), 'value 100.02 above 100 for 0.5 minutes');
    assert.equal(reasonFor(100, 100.000_000_1, 0), 'value 100.0000001 above 100');
    assert.equal(reasonFor(4_294_967_296, 4_294_967_300, 0), 'value 4294967300 above 4294967296');
  });

  it('average the samples of the window', () => {
    const bench = benchWith({ ...average, duration: 1, window: 1 });
    for (let at = 0; at < 40; at += 1) {
      bench.readings = [value('write-ops', at % 2 === 0 ? 14 : 7)];
      bench.tick();
    }
    assert.deepEqual(changesOf(bench), [`fired ${node}`]);
    assert.equal(bench.alerts.list('local')[0]?.current_value, 10.5);
  });

  it('judge each table and each device on its own, or only the one that is named', () => {
    const readings = ['ks.t', 'ks.u', 'ks.gone'].map((table, at) =>
      value('cf-write-ops', 11 + at, { table }),
    );
    const all = benchWith({ ...average, metric: 'cf-write-ops' });
    const one = benchWith({ ...average, metric: 'cf-write-ops', cf: 'ks.u' });
    for (const bench of [all, one]) {
      bench.tables = ['ks.t', 'ks.u'];
      bench.readings = readings;
      bench.tick();
    }
    assert.deepEqual(changesOf(all), [`fired ${node} ks.t`, `fired ${node} ks.u`]);
    assert.deepEqual(changesOf(one), [`fired ${node} ks.u`]);
    const devices = benchWith({ ...average, metric: 'os-net-sent', item: 'eth1' });
    devices.readings = ['eth0', 'eth1'].map((device) => value('os-net-sent', 11, { device }));
    devices.tick();
    assert.deepEqual(changesOf(devices), [`fired ${node} eth1`]);
  });

  it('are only about the data center that is named', () => {
    const bench = benchWith({ ...average, dc: 'dc2' });
    bench.nodes = [nodeAt(node), nodeAt('10.0.0.2', { dc: 'dc2' })];
    bench.readings = [value('write-ops', 11), value('write-ops', 11, { node: '10.0.0.2' })];
    bench.tick();
    assert.deepEqual(changesOf(bench), ['fired 10.0.0.2']);
  });

  it('clear when their node, table or device disappears', () => {
    const bench = makeBench();
    for (const metric of ['write-ops', 'cf-write-ops', 'os-net-sent']) {
      bench.rules.create(bench.cluster, { ...average, metric }, caller);
    }
    bench.nodes = [nodeAt(node), nodeAt('10.0.0.2')];
    const eth0 = value('os-net-sent', 1, { device: 'eth0' });
    bench.readings = [
      value('write-ops', 11, { node: '10.0.0.2' }),
      value('cf-write-ops', 11, { table: 'ks.t' }),
      value('os-net-sent', 11, { device: 'eth1' }),
      eth0,
    ];
    bench.tick();
    assert.equal(bench.alerts.list('local').length, 3);
    bench.nodes = [nodeAt(node)];
    bench.tables = [];
    bench.readings = [eth0];
    for (let at = 0; at < 8; at += 1) bench.tick();
    assert.deepEqual(changesOf(bench).slice(3).sort(), [
      `cleared ${node} eth1 (device removed)`,
      `cleared ${node} ks.t (table dropped)`,
      'cleared 10.0.0.2 (node removed)',
    ]);
    assert.deepEqual(bench.alerts.list('local'), []);
  });

  it('stay while nothing is known of the cluster', () => {
    const bench = benchWith(average);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    const after = bench.restart();
    Object.assign(after.cluster, { isLoaded: false });
    after.nodes = [];
    after.tick();
    assert.equal(after.alerts.list('local').length, 1);
  });

  it('follow a percentile over its window', () => {
    const bench = benchWith({
      type: 'percentile',
      metric: 'read-histogram',
      threshold: 5,
      duration: 0,
      window: 1,
    });
    const spread = { pairs: [20, 98, 500, 2], minMs: 0.02, maxMs: 90 };
    const fast = { pairs: [20, 1000], minMs: 0.02, maxMs: 0.021 };
    bench.readings = [{ node, key: 'read-histogram', histogram: fast }];
    bench.tick();
    bench.readings = [{ node, key: 'read-histogram', histogram: spread }];
    bench.tick();
    assert.deepEqual(changesOf(bench), [], 'P99 of the whole minute is still low');
    for (let at = 0; at < 6; at += 1) bench.tick();
    assert.deepEqual(changesOf(bench), [`fired ${node}`]);
    bench.readings = [
      { node, key: 'read-histogram', histogram: { pairs: [], minMs: Number.POSITIVE_INFINITY, maxMs: 0 } },
    ];
    for (let at = 0; at < 7; at += 1) bench.tick();
    assert.deepEqual(changesOf(bench), [`fired ${node}`, `cleared ${node}`], 'no requests, nothing slow');
  });

  it('report how unevenly data is spread, by data center', () => {
    const bench = benchWith({ type: 'cluster-balance', duration: 0 });
    bench.nodes = ['a', 'b', 'c'].map((address) => nodeAt(address, { dc: address === 'c' ? 'dc2' : 'dc1' }));
    const loads = (...amounts: readonly number[]) =>
      amounts.map((amount, at) => value('data-load', amount, { node: 'abc'.charAt(at) }));
    bench.readings = loads(100, 120, 900);
    bench.tick();
    assert.deepEqual(changesOf(bench), []);
    bench.readings = loads(100, 140, 900);
    bench.tick();
    const [alert] = bench.alerts.list('local');
    assert.deepEqual([alert?.node, alert?.dc, alert?.current_value.toFixed(1)], ['b', 'dc1', '33.3']);
    bench.readings = loads(140, 100, 900);
    bench.tick();
    assert.equal(bench.alerts.list('local')[0]?.node, 'a', 'the same alert names the fullest node');
    assert.equal(bench.alerts.list('local')[0]?.id, alert?.id);
    bench.readings = [];
    bench.tick();
    assert.equal(
      bench.alerts.list('local')[0]?.node,
      'a',
      'it names the last one while nothing could be read',
    );
  });

  it('report nodes that are down, and the cluster when none can be reached', () => {
    const bench = benchWith({ type: 'node-down', duration: 0, level: 'CRITICAL' });
    const [up, down] = ['up' as const, 'down' as const];
    const set = (...states: readonly ('up' | 'down')[]) => {
      bench.nodes = states.map((state, at) => nodeAt(`n${at}`, { state, downSinceMs: 1_700_000_000_000 }));
      bench.tick(60);
    };
    set(up, up);
    set(down, up);
    assert.deepEqual(
      bench.alerts.list('local').map(({ node: found, current_value }) => [found, current_value]),
      [['n0', 2]],
    );
    set(down, down);
    assert.deepEqual(changesOf(bench), ['fired n0', 'fired']);
    set(up, down);
    assert.deepEqual(changesOf(bench), ['fired n0', 'fired', 'cleared', 'cleared n0', 'fired n1']);
  });

  for (const no_data of ['keep', 'ok', 'alert'] as const) {
    it(`do not change for nodes while none can be reached: no_data ${no_data}`, () => {
      const bench = benchWith({ type: 'node-down', duration: 1, no_data });
      const set = (...states: readonly ('up' | 'down')[]) => {
        bench.nodes = states.map((state, at) => nodeAt(`n${at}`, { state, downSinceMs: 1_700_000_000_000 }));
        for (let at = 0; at < 30; at += 1) bench.tick();
      };
      set('up', 'up', 'up');
      set('down', 'up', 'up');
      set('down', 'down', 'down');
      assert.deepEqual(changesOf(bench), ['fired n0', 'fired']);
      assert.deepEqual(
        bench.alerts.list('local').map(({ state }) => state),
        ['firing', 'firing'],
      );
      set('down', 'up', 'up');
      assert.deepEqual(changesOf(bench), ['fired n0', 'fired', 'cleared']);
    });
  }

  it('about the cluster clear when it is no longer one of several nodes of the rule', () => {
    const bench = benchWith({ type: 'node-down', duration: 0 });
    const down = { state: 'down', downSinceMs: 1_700_000_000_000 } as const;
    bench.nodes = [nodeAt('seed-1', down), nodeAt('seed-2', down)];
    bench.tick();
    bench.nodes = [nodeAt('n0')];
    bench.tick();
    assert.deepEqual(changesOf(bench), ['fired', 'cleared (nodes removed)']);
  });

  it('report nodes that are up but give no metrics', () => {
    const bench = benchWith({ type: 'agent-issue', duration: 1 });
    bench.readings = [value('write-ops', 1)];
    bench.tick();
    bench.readings = [];
    for (let at = 0; at < 7; at += 1) bench.tick();
    assert.deepEqual(changesOf(bench), [`fired ${node}`]);
    bench.nodes = [nodeAt(node, { state: 'down' })];
    bench.tick();
    assert.deepEqual(
      changesOf(bench),
      [`fired ${node}`, `cleared ${node}`],
      'a node that is down is another matter',
    );
  });

  it('can be acknowledged until they clear', () => {
    const bench = benchWith(average);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    const id = bench.alerts.list('local')[0]?.id ?? '';
    bench.alerts.acknowledge('local', id, true, caller);
    bench.alerts.acknowledge('local', id, true, caller);
    assert.equal(bench.alerts.list('local')[0]?.state, 'acknowledged');
    const after = bench.restart();
    assert.equal(after.alerts.list('local')[0]?.state, 'acknowledged');
    after.alerts.acknowledge('local', id, false, caller);
    assert.equal(after.alerts.list('local')[0]?.state, 'firing');
    assert.deepEqual(changesOf(bench).slice(1), [`acknowledged ${node}`]);
    assert.throws(
      () => after.alerts.acknowledge('local', 'other', true, caller),
      (error) => error instanceof OpsError && error.refusal === 'NotFound',
    );
  });

  it('ignore a wall clock that jumps', () => {
    const bench = benchWith({ ...average, duration: 1, window: 0 });
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    bench.jump(86_400);
    for (let at = 0; at < 5; at += 1) bench.tick();
    assert.deepEqual(changesOf(bench), []);
    bench.jump(-172_800);
    bench.tick();
    assert.deepEqual(changesOf(bench), [`fired ${node}`]);
  });
});

describe('a change of a rule while its alert fires', () => {
  const cases: readonly (readonly [name: string, change: object, isKept: boolean])[] = [
    [
      'how often channels are notified',
      { notify_interval: 5, level: 'CRITICAL', annotations: { a: 'b' }, no_data: 'ok' },
      true,
    ],
    ['a threshold that is still passed', { threshold: 10.5 }, true],
    ['a threshold that is not passed any more', { threshold: 12 }, false],
    ['the comparator', { comparator: '<' }, false],
    ['a longer duration', { duration: 60 }, true],
    ['a metric that is beyond, too', { metric: 'read-ops' }, true],
    ['a metric that is not beyond', { metric: 'read-failures' }, false],
    ['a metric of tables', { metric: 'cf-write-ops' }, false],
    ['another data center', { dc: 'dc2' }, false],
    ['its own data center', { dc: 'dc1' }, true],
    ['disabling', { enabled: 0 }, false],
  ];
  for (const [name, change, isKept] of cases) {
    it(`${isKept ? 'keeps' : 'clears'} the alert: ${name}`, async () => {
      const bench = benchWith(average);
      bench.readings = [value('write-ops', 11), value('read-ops', 11), value('read-failures', 0)];
      bench.tick();
      const [before] = bench.alerts.list('local');
      await bench.rules.change(bench.cluster, bench.ruleId, change, caller);
      const after = bench.alerts.list('local').map(({ id, first_fired }) => [id, first_fired]);
      assert.deepEqual(after, isKept ? [[before?.id, before?.first_fired]] : []);
      const reason = 'enabled' in change ? 'rule disabled' : 'rule changed';
      if (!isKept) assert.equal(changesOf(bench).at(-1), `cleared ${node} (${reason})`);
    });
  }

  it('uses the last value where there is no current one', async () => {
    for (const [threshold, count] of [
      [10.5, 1],
      [12, 0],
    ] as const) {
      const bench = benchWith(average);
      bench.readings = [value('write-ops', 11)];
      bench.tick();
      bench.readings = [];
      for (let at = 0; at < 9; at += 1) bench.tick();
      assert.equal(bench.alerts.list('local')[0]?.state, 'no-data');
      await bench.rules.change(bench.cluster, bench.ruleId, { threshold }, caller);
      assert.equal(bench.alerts.list('local').length, count);
    }
  });

  it('deletes the alert with the rule, once and for all', async () => {
    const bench = benchWith(average);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    await bench.rules.delete('local', bench.ruleId, caller);
    assert.equal(changesOf(bench).at(-1), `cleared ${node} (rule deleted)`);
    assert.deepEqual(bench.restart().alerts.list('local'), []);
  });

  it('continues a pending condition when it was only loosened', async () => {
    for (const [change, firesAt] of [
      [{ threshold: 9 }, 6],
      [{ threshold: 10.9 }, 9],
      [{ duration: 0.5 }, 3],
    ] as const) {
      const bench = benchWith({ ...average, duration: 1, window: 0 });
      bench.readings = [value('write-ops', 11)];
      let firedAt = -1;
      for (let at = 0; at < 20 && firedAt < 0; at += 1) {
        bench.tick();
        if (at === 2) await bench.rules.change(bench.cluster, bench.ruleId, change, caller);
        if (bench.changes.length > 0) firedAt = at;
      }
      assert.equal(firedAt, firesAt, JSON.stringify(change));
    }
  });
});

describe('a change of a rule during an outage', () => {
  /** Twenty minutes of a value, then the change; the minutes until it fires, or undefined. */
  async function minutesToFire(rule: object, change: object, valueAt: (tick: number) => number) {
    const bench = benchWith({ ...average, duration: 30, window: 0, ...rule });
    let changedAt = 0;
    for (let at = 0; at < 400; at += 1) {
      bench.readings = [value('write-ops', valueAt(at)), value('read-ops', valueAt(at))];
      if (at === 120) {
        await bench.rules.change(bench.cluster, bench.ruleId, change, caller);
        changedAt = at;
      }
      bench.tick();
      if (bench.alerts.list('local').length > 0) return (at - changedAt) / 6;
    }
    return undefined;
  }

  it('counts the time for which stored values pass the new threshold, too', async () => {
    const minutes = (await minutesToFire({}, { threshold: 12 }, () => 20)) ?? Number.NaN;
    assert.ok(minutes >= 10 && minutes <= 12.5, `${minutes}`);
  });

  it('counts it for another metric', async () => {
    const minutes = (await minutesToFire({}, { metric: 'read-ops' }, () => 20)) ?? Number.NaN;
    assert.ok(minutes >= 10 && minutes <= 12.5, `${minutes}`);
  });

  it('counts nothing before a value that does not pass it', async () => {
    const minutes = (await minutesToFire({}, { threshold: 12 }, (at) => (at === 60 ? 11 : 20))) ?? Number.NaN;
    assert.ok(minutes >= 20 && minutes <= 22.5, `${minutes}`);
  });

  it('counts nothing when values do not pass it', async () => {
    assert.equal(await minutesToFire({}, { threshold: 30 }, () => 20), undefined);
  });

  it('fires at once where it has held long enough', async () => {
    assert.equal(await minutesToFire({ threshold: 25 }, { threshold: 12, duration: 10 }, () => 20), 0);
  });
});

describe('after a restart', () => {
  it('a pending condition begins again', () => {
    const bench = benchWith({ ...average, duration: 1, window: 0 });
    bench.readings = [value('write-ops', 11)];
    for (let at = 0; at < 6; at += 1) bench.tick();
    const after = bench.restart();
    after.readings = bench.readings;
    for (let at = 0; at < 6; at += 1) after.tick();
    assert.deepEqual(changesOf(after), []);
    after.tick();
    assert.deepEqual(changesOf(after), [`fired ${node}`]);
  });

  it('a firing alert is kept with its id and time until two new samples are not beyond', () => {
    const bench = benchWith(average);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    const after = bench.restart();
    assert.deepEqual(after.alerts.list('local'), bench.alerts.list('local'));
    after.readings = [value('write-ops', 1)];
    after.tick();
    assert.equal(after.alerts.list('local').length, 1);
    after.tick();
    assert.deepEqual(changesOf(after), [`cleared ${node}`]);
    assert.deepEqual(after.restart().alerts.list('local'), []);
  });

  it('an alert that fired for missing values clears only past resolve_threshold once a value was beyond', () => {
    const bench = benchWith({ ...average, resolve_threshold: 5, no_data: 'alert' });
    bench.readings = [value('write-ops', 1)];
    bench.tick();
    bench.readings = [];
    bench.tick(70);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    const after = bench.restart();
    after.readings = [value('write-ops', 7)];
    for (let at = 0; at < 3; at += 1) after.tick();
    assert.equal(after.alerts.list('local').length, 1);
    after.readings = [value('write-ops', 1)];
    for (let at = 0; at < 3; at += 1) after.tick();
    assert.equal(after.alerts.list('local').length, 0);
  });

  it('an alert of a target that does not belong to a changed rule any more clears', async () => {
    const bench = benchWith(average);
    bench.readings = [value('write-ops', 11)];
    bench.tick();
    const after = bench.restart();
    await after.rules.change(after.cluster, bench.ruleId, { dc: 'dc2' }, caller);
    after.tick();
    assert.deepEqual(changesOf(after), [`cleared ${node} (rule changed)`]);
  });
});
