// The operations service over a data service whose writes the test counts.
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import type { ProcessFigures } from '../../src/ops-service/clusters/process-readings.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

const noCollections = { count: 0, totalMs: 0 };

/** The service; `pass` lets intervals pass with so many writes in each. */
export function openWatched() {
  const traffic = new Traffic();
  const readMetrics = async (): Promise<ProcessFigures> => ({
    elapsedMs: 10_000,
    traffic: traffic.take(),
    heap: { usedBytes: 1, committedBytes: 2, maxBytes: 3 },
    residentBytes: 4,
    collections: { minor: noCollections, major: noCollections },
  });
  const ops = openOps({ args: ['--data-dir', makeTemporaryDirectory()], answers: { readMetrics } });
  ops.parts.local.names = { keyspaces: ['ks'], tables: ['ks.t'] };
  const pass = async (intervals: number, writes: number) => {
    for (let at = 0; at < intervals; at += 1) {
      for (let count = 0; count < writes; count += 1) traffic.endRequest('write', 'answered', 1, 'ks', 't');
      await tick(ops);
    }
  };
  return { ops, pass };
}

/** Ten seconds, and a reading that is over. */
export async function tick(ops: OpsUnderTest): Promise<void> {
  ops.clock.advance(10_000);
  ops.parts.tick();
  await ops.parts.settled();
}
