// Starts a process of simulated nodes for a benchmark.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuSecondsOf } from '../child-process.js';
import type { SimulationMessage, SimulationOrder, SimulationPlan } from './run-nodes.js';

export interface SimulatedNodes {
  readonly port: number;
  /** Addresses of the first three. */
  readonly seeds: readonly string[];
  queryCount(): Promise<number>;
  /** Time of the processors that they used so far, in seconds. */
  cpuSeconds(): number;
  stop(): void;
}

/** Starts the nodes, and stops them with their process. */
export async function startNodes(plan: SimulationPlan): Promise<SimulatedNodes> {
  const child = fork(fileURLToPath(new URL('run-nodes.js', import.meta.url)));
  const ask = (order: SimulationOrder) => {
    const reply = nextMessage(child);
    child.send(order);
    return reply;
  };
  const { port = 0, seeds = [] } = await ask({ start: plan });
  return {
    port,
    seeds,
    queryCount: async () => (await ask('count')).queryCount ?? 0,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: () => void child.kill(),
  };
}

function nextMessage(child: ChildProcess): Promise<SimulationMessage> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the simulation ended')));
    // Our own script sends it.
    child.once('message', (message) => resolve(message as SimulationMessage));
  });
}
