// Checks which command runs and what is printed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { optionList } from '../foundation/config/options.js';
import type { CliCommand } from './cli-command.js';
import { runCommandLine } from './run-command-line.js';
import { serveCommand } from './serve.js';

const count: CliCommand = {
  name: 'count',
  summary: 'counts its arguments',
  help: () => 'how to count\n',
  run: async (args, output) => {
    output.out(`${args.length}\n`);
    return 0;
  },
};

async function run(args: readonly string[], commands: readonly CliCommand[] = [count]) {
  let out = '';
  let problem = '';
  const code = await runCommandLine(args, commands, '1.2.3', {
    out: (text) => {
      out += text;
    },
    problem: (text) => {
      problem += text;
    },
  });
  return { code, out, problem };
}

describe('runCommandLine', () => {
  it('runs the command with the arguments after its name', async () => {
    assert.deepEqual(await run(['count', 'a', '--b']), { code: 0, out: '2\n', problem: '' });
  });

  it('prints the version', async () => {
    assert.deepEqual(await run(['--version']), { code: 0, out: '1.2.3\n', problem: '' });
  });

  it('prints the overview, and as a problem when nothing was asked', async () => {
    const asked = await run(['--help']);
    assert.equal(asked.code, 0);
    assert.match(asked.out, /count {3}counts its arguments/);
    assert.deepEqual(await run(['help']), asked);
    assert.deepEqual(await run([]), { code: 2, out: '', problem: asked.out });
  });

  it('prints the help of a command', async () => {
    for (const args of [
      ['count', '--help'],
      ['help', 'count'],
      ['count', 'a', '-h'],
    ]) {
      assert.deepEqual(await run(args), { code: 0, out: 'how to count\n', problem: '' });
    }
  });

  it('prints the help of help, and lists it', async () => {
    const { code, out, problem } = await run(['help', 'help']);
    assert.deepEqual([code, problem], [0, '']);
    assert.match(out, /^Usage: colonnade help \[COMMAND\]\n/);
    for (const args of [
      ['help', '--help'],
      ['help', '-h'],
      ['--help', 'help'],
      ['--help', '--help'],
    ])
      assert.equal((await run(args)).out, out, args.join(' '));
    assert.match((await run(['help'])).out, /^ {2}help {4}shows this list, or the options of a command$/m);
    assert.equal((await run(['--help', 'count'])).out, 'how to count\n');
  });

  it('prints JSON for a script, also when the command line cannot be used', async () => {
    const refuse: CliCommand = {
      ...count,
      run: async (_, output) => {
        output.problem('colonnade: give one directory\nFor the options: x\n');
        return 2;
      },
    };
    const { code, out, problem } = await run(['count', '--json'], [refuse]);
    assert.equal(code, 2);
    assert.equal(problem, 'colonnade: give one directory\nFor the options: x\n');
    const problems = ['give one directory\nFor the options: x'];
    assert.equal(out, `${JSON.stringify({ ok: false, problemCount: 1, problems })}\n`);
    assert.equal((await run(['count'], [refuse])).out, '');
    assert.equal((await run(['count', '--json'])).out, '1\n');
  });

  it('hints at the help when the command is unknown', async () => {
    for (const args of [['cuont'], ['help', 'cuont']]) {
      const { code, problem } = await run(args);
      assert.equal(code, 2);
      assert.match(
        problem,
        /"cuont" is not a command. Did you mean count\? Commands: count, help. Try: colonnade --help/,
      );
    }
  });
});

describe('serveCommand', () => {
  const serve = serveCommand(async () => {});

  it('lists every option in its help, in lines that fit a terminal', async () => {
    const { out } = await run(['serve', '--help'], [serve]);
    for (const { name } of optionList) assert.match(out, new RegExp(`^  --${name} `, 'm'));
    for (const line of out.split('\n')) assert.ok(line.length <= 90, line);
  });

  it('does not start with a configuration that cannot be used', async () => {
    const { code, problem } = await run(
      ['serve', '--nope'],
      [
        serveCommand(async () => {
          throw new Error('started');
        }),
      ],
    );
    assert.equal(code, 2);
    assert.match(problem, /^colonnade: .*\n.*--nope is not an option/);
  });
});
