// Checks the metrics of the main thread about the operations thread.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMetrics } from '../../foundation/telemetry/metrics.js';
import { noTurns } from '../../foundation/telemetry/turn-watch.js';
import { answerOpsThread } from './answer-ops-thread.js';

const unused = () => assert.fail('nothing asks for this');

it('alerts that were not followed are counted', async () => {
  const { renderMetrics } = answerOpsThread({
    metrics: createMetrics(),
    keyStore: { names: unused, get: unused, put: unused, delete: unused },
    dataServer: () => ({
      connectionCount: () => 0,
      turns: () => noTurns,
      workerMetrics: async () => [],
      takeFigures: unused,
      runNative: unused,
      passCommand: unused,
      maintain: undefined,
      keysChanged: unused,
      noteOpsProblem: unused,
      url: 'http://127.0.0.1:8181',
    }),
  });
  const shown = async (unfollowedAlerts: number) => {
    const text = await renderMetrics({
      connections: 0,
      replies: new Map(),
      waitingRecordings: 0,
      lostRecordings: { sample: 0, delivery: 0, event: 0 },
      unfollowedAlerts,
      turns: noTurns,
    });
    return /^colonnade_ops_unfollowed_alerts_total (\d+)$/m.exec(text)?.[1];
  };
  assert.equal(await shown(0), '0');
  assert.equal(await shown(3), '3');
  assert.equal(await shown(5), '5');
});
