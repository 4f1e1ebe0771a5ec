// Sends commands of the whole grammar and checks the mixture: enough of them are carried out, of many each kind of them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { commands } from '../../src/data-service/commands/registry.js';
import { examplesOf } from '../../tools/command-examples.js';
import { newSeed } from '../seeded-random.js';
import { sendGrammar } from './grammar-fuzzer.js';
import { keyOfCommand } from './valid-commands.js';

/** Of fewer commands, one kind of them can be refused each time. */
const enoughForEach = 5_000;

/** Fails as `sendGrammar` does, and when few of the commands were carried out, or of many commands one kind never. */
export async function checkGrammar(count: number, test: TestContext): Promise<void> {
  const seed = newSeed();
  const counts = await sendGrammar(count, seed);
  const sum = (outcome: 'done' | 'refused') =>
    [...counts.values()].reduce((total, one) => total + one[outcome], 0);
  test.diagnostic(`seed ${seed}: ${sum('done')} done, ${sum('refused')} refused`);
  assert.ok(sum('done') > count * 0.4, 'most commands are refused: the mixture is wrong');
  if (count < enoughForEach) return;
  const neverDone = commands.filter((command) => (counts.get(keyOfCommand(command))?.done ?? 0) === 0);
  // The tables have no column of vectors, which no random row could fill.
  const alwaysRefused = commands.filter(
    (command) =>
      command.name === 'createVectorIndex' ||
      examplesOf(command).every(({ reply }) => reply.includes('"errors"')),
  );
  const keys = (list: typeof commands) => list.map(keyOfCommand);
  assert.deepEqual(keys(neverDone), keys(alwaysRefused), 'every command has its turn');
}
