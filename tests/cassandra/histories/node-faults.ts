// What happens to the nodes of a cluster in one round: each kind of fault once, on one node at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CassandraNode, CassandraNodes } from '../../../tools/start-cassandra/start-cassandra.js';
import type { SeededRandom } from '../../seeded-random.js';
import { untilAllAreUp } from '../nodes-up.js';
import { noTrouble, type TroubledProcess } from './troubles.js';

/** A node and what can be wrong with its disk and its clock. */
export interface FaultyNode {
  readonly node: CassandraNode;
  readonly process: TroubledProcess;
}

const faultKinds = ['kill', 'pause', 'stop', 'slowDisk', 'wrongClock'] as const;

/** A fault that a seed chose. */
export interface PlannedFault {
  readonly kind: (typeof faultKinds)[number];
  /** The place of the node in the cluster. */
  readonly place: number;
  /** How long a node hangs, is away, or has a slow disk or a wrong clock. */
  readonly forMs: number;
  /** With a slow disk what a synchronization takes longer, with a wrong clock what it is ahead; else 0. */
  readonly amountMs: number;
  /** How long all nodes work before. */
  readonly restMs: number;
}

/** Every kind once, in random order. */
export function planFaults(random: SeededRandom, nodeCount: number): readonly PlannedFault[] {
  return random.some(faultKinds, faultKinds.length).map((kind) => {
    const place = random.below(nodeCount);
    const restMs = 4_000 + random.below(6_000);
    const forMs = longest[kind] / 4 + random.below((longest[kind] * 3) / 4);
    return { kind, place, forMs: Math.round(forMs), restMs, amountMs: amountOf(kind, random) };
  });
}

const longest = { kill: 20_000, pause: 40_000, stop: 20_000, slowDisk: 40_000, wrongClock: 40_000 } as const;

function amountOf(kind: PlannedFault['kind'], random: SeededRandom): number {
  if (kind === 'slowDisk') return 100 + random.below(900);
  // From some seconds to some minutes, ahead or behind.
  if (kind === 'wrongClock') return (random.oneIn(2) ? 1 : -1) * (2_000 + random.below(300_000));
  return 0;
}

/** Lets one fault happen, and ends it; resolves when all nodes say that all are up. `interruption` shortens it. */
export async function carryOut(
  { kind, place, forMs, amountMs, restMs }: PlannedFault,
  cluster: CassandraNodes,
  nodes: readonly FaultyNode[],
  interruption: AbortSignal,
): Promise<void> {
  const faulty = nodes[place];
  if (faulty === undefined) throw new Error(`there is no node at ${place}`);
  const { node, process } = faulty;
  const pass = (ms: number) => sleep(ms, undefined, { signal: interruption }).catch(ignoreAbort);
  await pass(restMs);
  switch (kind) {
    case 'kill':
      node.signal('SIGKILL');
      await pass(forMs);
      await node.restart();
      break;
    case 'stop':
      await node.stop();
      await pass(forMs);
      await node.restart();
      break;
    case 'pause':
      node.signal('SIGSTOP');
      await pass(forMs);
      node.signal('SIGCONT');
      break;
    case 'slowDisk':
      process.set({ ...noTrouble, syncMs: amountMs });
      await pass(forMs);
      process.set(noTrouble);
      break;
    case 'wrongClock':
      process.set({ ...noTrouble, clockMs: amountMs });
      await pass(forMs);
      process.set(noTrouble);
      break;
  }
  await untilAllAreUp(cluster);
}

/** A wait that is interrupted is over. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}

/** A fault for the line of a round. */
export function describeFault({ kind, place, forMs, amountMs }: PlannedFault): string {
  const amount = amountMs === 0 ? '' : ` of ${amountMs} ms`;
  return `${kind}${amount} on node ${place + 1} for ${(forMs / 1000).toFixed(1)} s`;
}
