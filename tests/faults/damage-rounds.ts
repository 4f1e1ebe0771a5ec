// Rounds of: damage a copy of a directory, check it; if nothing is found, every read must give what it gave before.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { storageLayout } from '../../src/bin/storage/storage-layout.js';
import { checkStorage } from '../../src/cli/backup/check-storage.js';
import { makeBackup } from '../../src/cli/backup/make-backup.js';
import { restoreBackup } from '../../src/cli/backup/restore-backup.js';
import { StorageProblem } from '../../src/cli/backup/storage-layout.js';
import { defaultEngine } from '../../src/foundation/config/engines/registry.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { type Damage, damagesOfBackup, damagesOfDirectory, damagesOfLog } from './damage-kinds.js';
import { type DamageSources, makeSources, readAll } from './damage-sources.js';

/** What became of the damage of all rounds. */
export interface DamageResult {
  readonly found: number;
  /** Damages after which every read was as before. */
  readonly harmless: readonly string[];
  readonly undetected: readonly string[];
}

const layoutOf = (dataDir: string) =>
  storageLayout({
    ...{ dataDir, opsDir: undefined, engine: defaultEngine, keyStoreSecret: undefined },
  });

/** The problems that `colonnade check` prints. `interrupted` ends the check. */
export async function problemsIn(
  directory: string,
  interrupted: AbortSignal = quietly.interrupted,
): Promise<readonly string[]> {
  try {
    const layout = await layoutOf(directory);
    return (await checkStorage({ directory, layout, ...quietly, interrupted })).problems;
  } catch (error) {
    if (!(error instanceof StorageProblem)) throw error;
    return [error.message];
  }
}

/** A round takes a second, more where a server reads, and much more on a busy machine. */
const mostRoundMs = 120_000;

/** Damages and checks. `note` gets a line for each round. Rejects with the name of a round that takes too long. */
export async function runDamageRounds(
  rounds: number,
  seed: number,
  note: (line: string) => void = () => {},
): Promise<DamageResult> {
  const base = await makeSources();
  const random = seededRandom(seed);
  for (const directory of [base.stopped, base.backup, base.killed])
    assert.deepEqual(await problemsIn(copyOf(directory)), [], `${directory} without damage`);
  let found = 0;
  const [harmless, undetected]: [string[], string[]] = [[], []];
  const watch = watchRounds();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { source, damage } = pickDamage(base, round, random);
      const copy = copyOf(source);
      const what = `round ${round}: ${damage(copy, random)}`;
      watch.begin(`seed ${seed}, ${what}`);
      const outcome = await inTime(`seed ${seed}, ${what}`, async (interrupted) => {
        const [problem] = await problemsIn(copy, interrupted);
        return problem ?? ((await readsAsBefore(copy, source === base.backup, base)) ? harmless : undetected);
      });
      if (typeof outcome === 'string') found += 1;
      else outcome.push(what);
      if (typeof outcome === 'string') note(`${what}: ${outcome}`);
      else note(`${what}: ${outcome === harmless ? 'harmless' : 'NOT DETECTED'}`);
      rmSync(copy, { recursive: true });
    }
  } finally {
    await watch.end();
  }
  return { found, harmless, undetected };
}

/** Rejects after `mostRoundMs`, and interrupts the work then. */
async function inTime<Result>(
  name: string,
  work: (interrupted: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interrupt = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${name}: it is not done after ${mostRoundMs / 1000} s`));
      interrupt.abort();
    }, mostRoundMs);
  });
  try {
    return await Promise.race([work(interrupt.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Names a round that takes too long on standard error, also while this thread is busy and no timer of it runs. */
function watchRounds() {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const { writeSync } = require('node:fs');
    let timer;
    parentPort.on('message', (name) => {
      clearTimeout(timer);
      const say = () => writeSync(2, name + ': it is not done, and its thread is busy\\n');
      timer = setTimeout(say, ${mostRoundMs + 5_000});
    });`;
  const thread = new Worker(program, { eval: true });
  thread.unref();
  return { begin: (name: string) => thread.postMessage(name), end: () => thread.terminate() };
}

function copyOf(source: string): string {
  const copy = join(makeTemporaryDirectory(), 'copy');
  cpSync(source, copy, { recursive: true });
  return copy;
}

/** Most rounds damage a data directory. */
function pickDamage(
  base: DamageSources,
  round: number,
  random: SeededRandom,
): { readonly source: string; readonly damage: Damage } {
  if (round % 10 === 8) return { source: base.killed, damage: random.pick(damagesOfLog) };
  if (round % 10 === 9) return { source: base.backup, damage: random.pick(damagesOfBackup) };
  return {
    source: base.stopped,
    damage: damagesOfDirectory[round % damagesOfDirectory.length] ?? (() => ''),
  };
}

async function readsAsBefore(
  directory: string,
  isBackup: boolean,
  { replies }: DamageSources,
): Promise<boolean> {
  const dataDir = isBackup ? await restored(directory) : directory;
  let isSame = false;
  await withServer({ dataDir, args: ['--dialect', 'extended'] }, async (server) => {
    isSame = JSON.stringify(await readAll(server)) === JSON.stringify(replies);
  });
  return isSame;
}

async function restored(backup: string): Promise<string> {
  const dataDir = join(makeTemporaryDirectory(), 'restored');
  await restore(backup, dataDir);
  return dataDir;
}

const quietly = { interrupted: new AbortController().signal, onProgress: () => {} };

/** Does what `colonnade restore` does. */
export async function restore(backup: string, dataDir: string): Promise<void> {
  await restoreBackup({ backup, layout: await layoutOf(dataDir), ...quietly });
}

/** Does what `colonnade backup` does; returns its warnings. */
export async function backUp(dataDir: string, target: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  const onDamage = (problem: string) => void warnings.push(problem);
  const about = { madeBy: 'a test', clock: systemClock };
  await makeBackup({ layout: await layoutOf(dataDir), target, ...about, ...quietly, onDamage });
  return warnings;
}
