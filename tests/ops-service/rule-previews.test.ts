// Previews of rules against what the same rules did on the same values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpsPreview } from '../../src/descriptions/operations-replies.js';
import { doSteps } from '../../src/foundation/threads/long-work.js';
import { planPreview } from '../../src/ops-service/alerts/preview-rule.js';
import { readNewRule } from '../../src/ops-service/alerts/read-rule.js';
import type { Reading } from '../../src/ops-service/clusters/cluster.js';
import { seededRandom } from '../seeded-random.js';
import { caller, type JudgedBench, makeBench, nodeAt } from './judged-cluster.js';
import { openOps } from './open-ops.js';

function preview(bench: JudgedBench, rule: object, startS: number): OpsPreview {
  const nowS = Math.floor(bench.nowMs() / 1000);
  const checked = readNewRule(rule, 'preview', bench.cluster);
  const range = { startS, endS: nowS, nowS };
  return doSteps(planPreview(bench.series, bench.cluster, checked, range));
}

/** Values that stay for some minutes, at whole minutes, so that the average of a minute is each of its values. */
function runMinutes(
  bench: JudgedBench,
  minutes: number,
  readings: (minute: number) => readonly Reading[],
): void {
  for (let minute = 0; minute < minutes; minute += 1) {
    bench.readings = readings(minute);
    for (let at = 0; at < 6; at += 1) bench.tick();
  }
}

const at = (node: string, key: string, value: number, more: object = {}): Reading => ({
  node,
  key,
  value,
  ...more,
});

describe('the preview of a rule', () => {
  const rules: readonly (readonly [what: string, rule: object])[] = [
    ['an average', { type: 'rolling-avg', metric: 'write-ops', threshold: 50, duration: 3 }],
    [
      'a small value',
      { type: 'rolling-avg', metric: 'write-ops', comparator: '<', threshold: 20, duration: 2 },
    ],
    [
      'hysteresis',
      { type: 'rolling-avg', metric: 'write-ops', threshold: 60, resolve_threshold: 30, duration: 2 },
    ],
    ['each table', { type: 'rolling-avg', metric: 'cf-write-ops', threshold: 50, duration: 2 }],
    ['a balance', { type: 'cluster-balance', spread: 80, duration: 2 }],
    [
      'missing values',
      { type: 'rolling-avg', metric: 'read-ops', threshold: 1000, duration: 3, no_data: 'alert' },
    ],
  ];
  for (const [what, rule] of rules) {
    it(`has the alerts that fired, within a minute: ${what}`, async () => {
      const bench = makeBench();
      bench.nodes = [nodeAt('10.0.0.1'), nodeAt('10.0.0.2')];
      bench.tick(40); // to a whole minute
      const startS = bench.nowMs() / 1000;
      bench.rules.create(bench.cluster, rule, caller);
      const random = seededRandom(7);
      const level = new Map<string, number>();
      const next = (name: string, minute: number) => {
        if (minute % 5 === 0 || !level.has(name)) level.set(name, random.below(100));
        return level.get(name) ?? 0;
      };
      const noted: { kind: string; node: string; table: string | null; atS: number }[] = [];
      runMinutes(bench, 120, (minute) => {
        for (const { kind, alert } of bench.changes.splice(0))
          noted.push({ kind, node: alert.node, table: alert.table, atS: bench.nowMs() / 1000 });
        return ['10.0.0.1', '10.0.0.2'].flatMap((node) => [
          at(node, 'write-ops', next(`w${node}`, minute)),
          at(node, 'data-load', next(`d${node}`, minute)),
          at(node, 'cf-write-ops', next(`t${node}`, minute), { table: 'ks.t' }),
          ...(minute < 2 || next(`r${node}`, minute) > 50 ? [at(node, 'read-ops', 5)] : []),
        ]);
      });
      const fired = noted.filter(({ kind }) => kind === 'fired');
      const { alerts, count, step } = preview(bench, rule, startS);
      assert.ok(fired.length > 2, `only ${fired.length} fired`);
      assert.equal(step, 60);
      assert.ok(Math.abs(count - fired.length) <= 2, `${count} instead of ${fired.length}`);
      for (const { node, table, atS } of fired.slice(0, -2)) {
        const same = alerts.find((one) => Math.abs(one.fired - atS) <= 120 && one.table === table);
        assert.ok(same !== undefined, `${node} at ${atS} is not in ${JSON.stringify(alerts)}`);
      }
    });
  }

  it('has an alert that fired before the range and one that still fires', async () => {
    const bench = makeBench();
    const rule = { type: 'rolling-avg', metric: 'write-ops', threshold: 10, duration: 5 };
    runMinutes(bench, 30, (minute) => [at('10.0.0.1', 'write-ops', minute < 12 || minute > 20 ? 50 : 1)]);
    const { alerts } = preview(bench, rule, bench.nowMs() / 1000 - 20 * 60);
    assert.deepEqual(
      alerts.map(({ cleared, reason }) => [cleared === null, reason]),
      [
        [false, 'value 50 above 10 for 5 minutes'],
        [true, 'value 50 above 10 for 5 minutes'],
      ],
    );
  });
});

describe('the preview of a rule over HTTP', () => {
  const { ask } = openOps();
  const path = '/local/alert-rules/preview';
  const rule = { type: 'rolling-avg', metric: 'write-ops', threshold: 10 };
  const nowS = Date.UTC(2026, 0, 1) / 1000;

  it('looks at the last day, and names the problems of the rule', async () => {
    const { status, body } = await ask({ path, body: { rule } });
    assert.equal(status, 200);
    assert.deepEqual(body, { start: nowS - 86_400, end: nowS, step: 60, series: 0, count: 0, alerts: [] });
    const wrong = await ask({ path, body: { rule: { type: 'rolling-avg', threshold: 'x' } } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /"path":"threshold".*"path":"metric"/);
  });

  it('takes longer steps for earlier times, and refuses what has no stored values', async () => {
    const { body } = await ask({ path, body: { rule, start: nowS - 5 * 86_400, end: nowS - 4 * 86_400 } });
    assert.equal(Object(body).step, 300);
    for (const [bad, words] of [
      [{ rule: { type: 'node-down' } }, /compare no stored values/],
      [{ rule, start: nowS, end: nowS }, /must be before end/],
      [{ rule, start: 1 }, /must be in the last 14 days/],
      [{ rule, more: 1 }, /more/],
    ] as const) {
      const { status, text } = await ask({ path, body: bad });
      assert.equal(status, 400);
      assert.match(text, words);
    }
  });
});
