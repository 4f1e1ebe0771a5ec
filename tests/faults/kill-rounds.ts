// Rounds of: load a server with writes, kill -9, look at its file, start it again, compare.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  colonnadePath,
  makeTemporaryDirectory,
  type RunningServer,
  startServer,
} from '../acceptance/start-server.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { checkCopyOfDataFile, checkDataFile } from './check-data-file.js';
import { withDataClient } from './data-client.js';
import { checkLoad, createLoadTable, type RoundLoad, startLoad } from './kill-load.js';

/** The summary of successful rounds. */
export interface KillRoundsResult {
  /** Writes that were acknowledged over all rounds. */
  readonly acknowledged: number;
  /** The longest time from the start of the process to both ports ready, on a directory that a kill left. */
  readonly longestRecoveryMs: number;
}

const longestLoadMs = 300;

/** Fails when an acknowledged write is lost, a row is half there or the file is damaged. */
export async function runKillRounds(rounds: number, seed: number): Promise<KillRoundsResult> {
  const random = seededRandom(seed);
  const dataDir = makeTemporaryDirectory();
  let server = await startServer({ dataDir });
  let acknowledged = 0;
  let longestRecoveryMs = 0;
  try {
    await withDataClient(server, createLoadTable);
    for (let round = 0; round < rounds; round += 1) {
      const load = await loadUntilKilled(server, round, random);
      acknowledged += load.acknowledgedCount();
      await checkCopyOfDataFile(dataDir);
      const startedMs = performance.now();
      server = await startServer({ dataDir });
      longestRecoveryMs = Math.max(longestRecoveryMs, performance.now() - startedMs);
      await withDataClient(server, (client) => checkLoad(client, load));
    }
    await server.stop();
  } finally {
    server.signal('SIGKILL'); // a failed check must not leave it behind
  }
  checkDataFile(dataDir);
  return { acknowledged, longestRecoveryMs };
}

/** Kills servers at any moment of their very first start; each directory must serve afterwards. */
export async function runKilledFirstStarts(rounds: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = makeTemporaryDirectory();
    const args = [colonnadePath, 'serve', '--data-dir', dataDir, '--port=0', '--ops-port=0'];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(child, 'close');
    await sleep(50 + random.below(350));
    child.kill('SIGKILL');
    await ended;
    const server = await startServer({ dataDir });
    await withDataClient(server, createLoadTable).finally(() => server.stop());
    checkDataFile(dataDir);
  }
}

async function loadUntilKilled(
  server: RunningServer,
  round: number,
  random: SeededRandom,
): Promise<RoundLoad> {
  return withDataClient(server, async (client) => {
    const load = startLoad(client, round, random);
    // On a busy machine the first write may take longer than the time until the kill.
    const killed = load.first
      .then(() => sleep(random.below(longestLoadMs)))
      .then(() => server.signal('SIGKILL'));
    await Promise.all([load.ended, killed, server.ended]);
    return load;
  });
}
