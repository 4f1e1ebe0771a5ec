// 20,000 commands of the whole grammar do no harm. More of them: run-grammar-fuzzer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../src/data-service/commands/registry.js';
import { examplesOf } from '../../tools/command-examples.js';
import { newSeed } from '../seeded-random.js';
import { sendGrammar } from './grammar-fuzzer.js';
import { keyOfCommand } from './valid-commands.js';

describe('the grammar of commands', () => {
  it('gives no failure of the server and no change of other rows, 20,000 times', async (test) => {
    const seed = newSeed();
    const counts = await sendGrammar(20_000, seed);
    const sum = (outcome: 'done' | 'refused') =>
      [...counts.values()].reduce((total, count) => total + count[outcome], 0);
    test.diagnostic(`seed ${seed}: ${sum('done')} done, ${sum('refused')} refused`);
    assert.ok(sum('done') > 8_000, 'most commands are refused: the mixture is wrong');
    const neverDone = commands.filter((command) => (counts.get(keyOfCommand(command))?.done ?? 0) === 0);
    // The tables have no column of vectors, which no random row could fill.
    const alwaysRefused = commands.filter(
      (command) =>
        command.name === 'createVectorIndex' ||
        examplesOf(command).every(({ reply }) => reply.includes('"errors"')),
    );
    const keys = (list: typeof commands) => list.map(keyOfCommand);
    assert.deepEqual(keys(neverDone), keys(alwaysRefused), 'every command has its turn');
  });
});
