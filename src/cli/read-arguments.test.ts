// Checks what is said about arguments that a command does not accept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withArguments } from './read-arguments.js';

const options = {
  url: { type: 'string' },
  keyspace: { type: 'string' },
  json: { type: 'boolean' },
  execute: { type: 'string', short: 'e' },
} as const;

function problemOf(args: readonly string[], allowPositionals = false) {
  return withArguments(args, { options, allowPositionals }, ({ values, positionals }) => ({
    values: { ...values },
    positionals,
  }));
}

describe('withArguments', () => {
  it('passes on what can be used', () => {
    assert.deepEqual(problemOf(['--url', 'u', '--json', '-e', 'x', 'a'], true), {
      values: { url: 'u', json: true, execute: 'x' },
      positionals: ['a'],
    });
    assert.deepEqual(problemOf(['--json', '--json']), { values: { json: true }, positionals: [] });
    assert.deepEqual(problemOf(['--url=-x']), { values: { url: '-x' }, positionals: [] });
    assert.equal(
      withArguments([], { options }, () => 'a problem of its own'),
      'a problem of its own',
    );
  });

  it('names the argument and what to type next', () => {
    const cases: readonly (readonly [args: readonly string[], problem: string])[] = [
      [['--keyspcae', 'x'], 'there is no option --keyspcae; did you mean --keyspace?'],
      [['--nothing-like-it'], 'there is no option --nothing-like-it'],
      [['-x'], 'there is no option -x'],
      [['--url'], '--url needs a value; one that begins with a dash is written --url=VALUE'],
      [['--url', '--json'], '--url needs a value; one that begins with a dash is written --url=VALUE'],
      [['-e', '--json'], '-e needs a value; one that begins with a dash is written --execute=VALUE'],
      [['-e', 'x', '--execute', 'y'], '--execute is set more than once'],
      [['--json=yes'], '--json does not accept a value'],
      [['books'], '"books" is not expected: the command has options only, which begin with --'],
    ];
    for (const [args, problem] of cases) assert.equal(problemOf(args), problem);
    assert.equal(problemOf(['a', ''], true), 'an argument is empty');
  });
});
