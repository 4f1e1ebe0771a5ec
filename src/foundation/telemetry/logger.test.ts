// Checks levels and redaction.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger, type LogLevel } from './logger.js';

function linesOf(level: LogLevel, write: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  write(createLogger(level, { write: (line) => void lines.push(line) }));
  return lines;
}

describe('createLogger', () => {
  it('writes one JSON line with level, time and message', () => {
    const [line, ...rest] = linesOf('info', (logger) => logger.info({ port: 1 }, 'listening'));
    assert.equal(rest.length, 0);
    const entry: unknown = JSON.parse(line ?? '');
    assert.ok(typeof entry === 'object' && entry !== null && 'time' in entry);
    assert.match(String(entry.time), /^\d{4}-\d\d-\d\dT/);
    assert.match(line ?? '', /"level":"info".*"port":1.*"msg":"listening"/);
  });

  it('leaves out what is below its level', () => {
    assert.equal(linesOf('warn', (logger) => logger.info({}, 'quiet')).length, 0);
    assert.equal(linesOf('silent', (logger) => logger.fatal({}, 'quiet')).length, 0);
  });

  it('writes the given members in every entry', () => {
    const lines: string[] = [];
    createLogger('info', { write: (line) => void lines.push(line) }, { worker: 2 }).info({}, 'listening');
    assert.match(lines[0] ?? '', /"worker":2,"msg":"listening"/);
  });

  it('blanks secrets to a depth of three', () => {
    const [line] = linesOf('info', (logger) =>
      logger.info(
        {
          token: 'SECRET1',
          headers: { 'x-embedding-api-key': 'SECRET2', authorization: 'SECRET3', accept: 'kept' },
          request: { headers: { cookie: 'SECRET4', Token: 'SECRET5' } },
          login: { password: 'SECRET6' },
        },
        'request',
      ),
    );
    assert.doesNotMatch(line ?? '', /SECRET/);
    assert.match(line ?? '', /"accept":"kept"/);
  });

  it('writes the message of a cause once', () => {
    const err = new Error('x: the disk is full', {
      cause: new Error('the disk is full', { cause: new Error('why') }),
    });
    const [line] = linesOf('info', (logger) => logger.error({ err }, 'failed'));
    assert.match(line ?? '', /"message":"x: the disk is full: why"/);
  });

  it('writes an error with its stack and causes', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const [line] = linesOf('info', (logger) => logger.error({ err: error }, 'failed'));
    assert.match(line ?? '', /outer.*inner/);
  });
});
