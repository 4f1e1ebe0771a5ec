// Checks which alert rules are accepted and refused, and that all problems are reported at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../../foundation/json/write-json.js';
import { OpsError } from '../errors/ops-error.js';
import { readChangedRule, readNewRule, showRule } from './read-rule.js';
import type { RuleContext } from './rule.js';

const local: RuleContext = {
  id: 'local',
  histograms: { parts: ['MIN', 'P50', 'P90', 'P99', 'MAX'], takesWindow: true },
};
const cassandra: RuleContext = { id: 'c', histograms: { parts: ['P50', 'P99', 'MAX'], takesWindow: false } };
const average = { type: 'rolling-avg', metric: 'write-ops', threshold: 10 };

function problemsOf(body: unknown, context = local): readonly string[] {
  try {
    readNewRule(body, 'r1', context);
  } catch (error) {
    assert.ok(error instanceof OpsError && error.refusal === 'BadRequest', String(error));
    return error.details.map(({ path }) => path);
  }
  return [];
}

describe('the message of a refusal', () => {
  const message = (body: unknown) => {
    try {
      readNewRule(body, 'r1', local);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return undefined;
  };

  it('says the problem itself', () => {
    assert.equal(
      message({ type: 'rolling-avg', metric: 'write-ops' }),
      'threshold is missing: type rolling-avg needs it',
    );
    assert.equal(message({ ...average, colour: 1 }), 'colour is not a field of alert rules');
    assert.equal(
      message({ ...average, metric: 'x' }),
      'metric: there is no metric "x"; GET /metric-keys lists them',
    );
  });

  it('says up to three problems, and where the others are', () => {
    assert.equal(
      message({ ...average, a: 1, b: 2 }),
      'the alert rule has 2 problems: a is not a field of alert rules; b is not a field of alert rules',
    );
    assert.match(
      String(message({ ...average, a: 1, b: 2, c: 3, d: 4 })),
      /^the alert rule has 4 problems: a is .*; c is not a field of alert rules; see details for the others$/,
    );
  });
});

describe('a new rule', () => {
  it('gets every default', () => {
    assert.deepEqual(readNewRule(average, 'r1', local), {
      ...average,
      id: 'r1',
      comparator: '>',
      duration: 1,
      notify_interval: 0,
      enabled: 1,
      no_data: 'keep',
      level: 'WARN',
    });
  });

  it('is shown with decimal points', () => {
    const body = { ...average, duration: 60, notify_interval: 5.5, annotations: { a: '' } };
    assert.equal(
      writeJson(showRule(readNewRule(body, 'r1', local))),
      '{"id":"r1","type":"rolling-avg","metric":"write-ops","threshold":10.0,"comparator":">","duration":60.0,' +
        '"notify_interval":5.5,"enabled":1,"no_data":"keep","level":"WARN","annotations":{"a":""}}',
    );
  });

  const accepted: readonly (readonly [string, unknown])[] = [
    ['each kind without more than it needs', { type: 'node-down' }],
    ['a spread', { type: 'cluster-balance', spread: 30, resolve_threshold: 20 }],
    ['an agent issue', { type: 'agent-issue', duration: 0 }],
    [
      'a percentile',
      { type: 'percentile', metric: 'read-histogram', threshold: 5, percentile: 100, window: 5 },
    ],
    ['a table metric with its table', { ...average, metric: 'cf-write-ops', cf: 'ks.t' }],
    ['a device metric with its device', { ...average, metric: 'os-net-sent', item: 'eth0' }],
    ['an alias', { ...average, metric: 'pending-write-ops' }],
    ['a metric that is not available here', { ...average, metric: 'cms-collection-count' }],
    ['fractions of minutes', { ...average, duration: 0.05, window: 0.01, notify_interval: 0.5 }],
    ['clearing at the threshold', { ...average, resolve_threshold: 10 }],
    ['clearing above, for below', { ...average, comparator: '<', resolve_threshold: 12 }],
  ];
  for (const [name, body] of accepted) {
    it(`takes ${name}`, () => assert.deepEqual(problemsOf(body), []));
  }

  const refused: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['a body that is not an object', [], ['']],
    ['null', null, ['']],
    ['an empty object', {}, ['type']],
    ['an unknown type', { type: 'rolling', level: 'LOUD' }, ['type', 'level']],
    ['an id', { ...average, id: 'x' }, ['id']],
    ['missing fields', { type: 'rolling-avg' }, ['metric', 'threshold']],
    ['an unknown metric', { ...average, metric: 'nothing' }, ['metric']],
    ['unknown fields', { ...average, colour: 1, __proto: 2 }, ['colour', '__proto']],
    ['a threshold where none is compared', { type: 'node-down', threshold: 1 }, ['threshold']],
    ['a metric where none is compared', { type: 'cluster-balance', metric: 'write-ops' }, ['metric']],
    ['a percentile in an average', { ...average, percentile: 99 }, ['percentile']],
    ['a distribution in an average', { ...average, metric: 'read-histogram' }, ['metric']],
    ['a plain metric in a percentile', { ...average, type: 'percentile' }, ['metric']],
    [
      'other percentiles',
      { ...average, type: 'percentile', metric: 'read-histogram', percentile: 95 },
      ['percentile'],
    ],
    ['a table for a metric of nodes', { ...average, cf: 'ks.t' }, ['cf']],
    ['a table without its keyspace', { ...average, metric: 'cf-write-ops', cf: 't' }, ['cf']],
    ['a device for a metric of tables', { ...average, metric: 'cf-write-ops', item: 'sda' }, ['item']],
    ['clearing above the threshold', { ...average, resolve_threshold: 11 }, ['resolve_threshold']],
    ['text for numbers', { ...average, threshold: '1', duration: '1' }, ['threshold', 'duration']],
    ['true for enabled', { ...average, enabled: true }, ['enabled']],
    ['enabled 2', { ...average, enabled: 2 }, ['enabled']],
    [
      'minutes below 0',
      { ...average, duration: -1, notify_interval: -1, window: -1 },
      ['duration', 'notify_interval', 'window'],
    ],
    ['an infinite threshold', { ...average, threshold: JSON.parse('1e999') }, ['threshold']],
    ['an unknown comparator', { ...average, comparator: '>=' }, ['comparator']],
    ['annotations that are not texts', { ...average, annotations: { a: 1 } }, ['annotations.a']],
    ['a list of annotations', { ...average, annotations: ['a'] }, ['annotations']],
    ['null in a new rule', { ...average, cf: null }, ['cf']],
    ['all problems in one reply', { ...average, cf: 'ks.t', level: 'X', y: 1 }, ['level', 'y', 'cf']],
  ];
  for (const [name, body, paths] of refused) {
    it(`refuses ${name}`, () => assert.deepEqual([...problemsOf(body)].sort(), [...paths].sort()));
  }

  it('takes on Cassandra only what its nodes give', () => {
    const body = { type: 'percentile', metric: 'read-histogram', threshold: 1 };
    assert.deepEqual(problemsOf(body, cassandra), []);
    assert.deepEqual(problemsOf({ ...body, percentile: 90, window: 1 }, cassandra), ['percentile', 'window']);
  });
});

describe('a changed rule', () => {
  const rule = readNewRule({ ...average, resolve_threshold: 8, dc: 'dc1' }, 'r1', local);
  const refusalOf = (body: unknown) => {
    try {
      readChangedRule(rule, body, local);
    } catch (error) {
      assert.ok(error instanceof OpsError);
      return [error.refusal, ...error.details.map(({ path }) => path)];
    }
    return [];
  };

  it('keeps what is not named', () => {
    assert.deepEqual(readChangedRule(rule, { threshold: 20 }, local), { ...rule, threshold: 20 });
    assert.deepEqual(readChangedRule(rule, {}, local), rule);
  });

  it('may repeat id and type, but not change them', () => {
    assert.deepEqual(refusalOf({ id: 'r1', type: 'rolling-avg' }), []);
    assert.deepEqual(refusalOf({ id: 'r2', type: 'node-down' }), ['Conflict', 'id', 'type']);
    assert.deepEqual(refusalOf({ type: null }), ['Conflict', 'type']);
  });

  it('loses an optional field by null, or has its default again', () => {
    const changed = readChangedRule({ ...rule, duration: 9 }, { dc: null, duration: null }, local);
    assert.equal('dc' in changed, false);
    assert.equal(changed.duration, 1);
  });

  it('cannot lose a field that it needs', () => {
    assert.deepEqual(refusalOf({ metric: null }), ['BadRequest', 'metric']);
  });

  it('is checked as a whole', () => {
    assert.deepEqual(refusalOf({ threshold: 5 }), ['BadRequest', 'resolve_threshold']);
    assert.deepEqual(refusalOf({ threshold: 5, resolve_threshold: 4 }), []);
    assert.deepEqual(refusalOf({ comparator: '<' }), ['BadRequest', 'resolve_threshold']);
  });
});
