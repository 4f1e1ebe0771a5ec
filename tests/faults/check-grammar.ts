// Sends commands of the whole grammar and checks that enough of them succeed, in a large sample of each kind.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Command } from '../../src/data-service/commands/command.js';
import { commandsFor } from '../../src/data-service/commands/registry.js';
import { examplesOf } from '../../tools/command-examples.js';
import { newSeed } from '../seeded-random.js';
import { sendGrammar } from './grammar-fuzzer.js';
import { keyOfCommand } from './valid-commands.js';

/** In a smaller sample, most commands may be refused by chance, and a kind may never succeed. */
const enoughForMixture = 5_000;

/** Fails as `sendGrammar` does; in a large sample also if few of the commands succeeded, or a kind never did. */
export async function checkGrammar(
  count: number,
  test: TestContext,
  dialect: Dialect = 'strict',
): Promise<void> {
  const seed = newSeed();
  const counts = await sendGrammar(count, seed, dialect);
  const sum = (outcome: 'done' | 'refused') =>
    [...counts.values()].reduce((total, one) => total + one[outcome], 0);
  test.diagnostic(`seed ${seed}: ${sum('done')} done, ${sum('refused')} refused`);
  if (count < enoughForMixture) return;
  assert.ok(sum('done') > count * 0.4, 'most commands are refused: the mixture is wrong');
  const all = (['database', 'keyspace', 'table'] as const).flatMap((target) => [
    ...commandsFor(target, { dialect, hasCollections: false }).values(),
  ]);
  const neverDone = all.filter((command) => (counts.get(keyOfCommand(command))?.done ?? 0) === 0);
  // The tables have no column of vectors, which no random row could fill.
  const alwaysRefused = all.filter(
    (command) =>
      command.name === 'createVectorIndex' ||
      examplesOf(command).every(
        (example) => (example.dialect ?? dialect) !== dialect || example.reply.includes('"errors"'),
      ),
  );
  const keys = (list: readonly Command[]) => list.map(keyOfCommand);
  assert.deepEqual(keys(neverDone), keys(alwaysRefused), 'every command has its turn');
}
