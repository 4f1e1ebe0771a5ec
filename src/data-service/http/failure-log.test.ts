// Logs why the storage failed, however many requests it fails.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { ApiError } from '../errors/api-error.js';
import { FailureLog } from './failure-log.js';

describe('FailureLog', () => {
  it('logs one failure of each code in a second, and how many others came meanwhile', () => {
    const entries: unknown[] = [];
    const logger = createLogger('error', {
      write: (line) => {
        const { code, notLogged, err } = JSON.parse(line);
        entries.push([code, err.message, notLogged]);
      },
    });
    let nowMs = 0;
    const log = new FailureLog(logger, { nowMs: () => nowMs, monotonicMs: () => nowMs });
    const fail = (code: string, message: string) =>
      log.log([
        new ApiError(
          { family: 'SERVER', scope: 'DATABASE', code, title: '', message: '', httpStatus: 200 },
          new Error(message),
        ),
      ]);
    fail('FAILED_READ_REQUEST', 'first');
    fail('FAILED_WRITE_REQUEST', 'of another code');
    fail('READ_ONLY_SERVER', 'of a server that refuses writes');
    nowMs = 999;
    fail('FAILED_READ_REQUEST', 'second');
    fail('FAILED_READ_REQUEST', 'third');
    nowMs = 1000;
    fail('FAILED_READ_REQUEST', 'fourth');
    nowMs = 3000;
    fail('FAILED_READ_REQUEST', 'fifth');
    assert.deepEqual(entries, [
      ['FAILED_READ_REQUEST', 'first', undefined],
      ['FAILED_WRITE_REQUEST', 'of another code', undefined],
      ['FAILED_READ_REQUEST', 'fourth', 2],
      ['FAILED_READ_REQUEST', 'fifth', undefined],
    ]);
  });
});
