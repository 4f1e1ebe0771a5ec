// Sends commands of the whole grammar and checks that enough of them succeed, in a large sample of each kind.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { commands } from '../../src/data-service/commands/registry.js';
import { examplesOf } from '../../tools/command-examples.js';
import { newSeed } from '../seeded-random.js';
import { sendGrammar } from './grammar-fuzzer.js';
import { keyOfCommand } from './valid-commands.js';

/** In a smaller sample, a kind of command may never succeed. */
const enoughForEach = 5_000;

/** Fails as `sendGrammar` does, if few of the commands succeeded, and in a large sample if a kind never did. */
export async function checkGrammar(count: number, test: TestContext): Promise<void> {
  const seed = newSeed();
  const counts = await sendGrammar(count, seed);
  const sum = (outcome: 'done' | 'refused') =>
    [...counts.values()].reduce((total, one) => total + one[outcome], 0);
  test.diagnostic(`seed ${seed}: ${sum('done')} done, ${sum('refused')} refused`);
  assert.ok(sum('done') > count * 0.4, 'most commands are refused: the mixture is wrong');
  if (count < enoughForEach) return;
  const strict = commands.filter(({ dialect }) => dialect !== 'extended');
  const neverDone = strict.filter((command) => (counts.get(keyOfCommand(command))?.done ?? 0) === 0);
  // The tables have no column of vectors, which no random row could fill.
  const alwaysRefused = strict.filter(
    (command) =>
      command.name === 'createVectorIndex' ||
      examplesOf(command).every(({ reply, dialect }) => dialect === 'extended' || reply.includes('"errors"')),
  );
  const keys = (list: typeof commands) => list.map(keyOfCommand);
  assert.deepEqual(keys(neverDone), keys(alwaysRefused), 'every command has its turn');
}
