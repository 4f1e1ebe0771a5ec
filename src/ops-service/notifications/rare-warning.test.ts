// Checks that a rare warning counts all occurrences and logs few.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { RareWarning } from './rare-warning.js';

it('a rare warning is logged at once, and then once a minute with the number of times', () => {
  let nowMs = 5000;
  const logged: object[] = [];
  const logger = createLogger('silent');
  logger.warn = (fields: object) => void logged.push(fields);
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const warning = new RareWarning({ logger, clock }, 'too many');
  for (let at = 0; at < 100; at += 1) warning.note({ at });
  assert.deepEqual(logged, [{ at: 0, times: 1 }]);
  nowMs += 60_000;
  for (let at = 100; at < 200; at += 1) warning.note({ at });
  assert.deepEqual(logged[1], { at: 100, times: 100 });
  assert.equal(logged.length, 2);
  assert.equal(warning.count, 200);
});
