// One run of the simulated cluster in a process of its own: processor time and memory, as JSON.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { opsThreadLimits } from '../src/bin/ops/open-ops-service.js';
import { intervalMs, type SimulationPlan, simulate } from './simulated-cluster.js';

export interface JudgingRunPlan extends Omit<SimulationPlan, 'file'> {
  readonly directory: string;
  /** What a round does. */
  readonly work: 'judge' | 'keep' | 'tick';
  readonly rounds: number;
}

/** What it took. */
export interface JudgingReport {
  /** Processor time of all threads in the last half of the rounds, for one round. */
  readonly cpuMsPerRound: number;
  /** That time as a share of the time that a round stands for, in percent of one core. */
  readonly cpuPercent: number;
  /** The most memory of the process over what it had before the cluster was there. */
  readonly memoryMb: number;
  readonly firedCount: number;
}

if (isMainThread) {
  const [text = ''] = process.argv.slice(2);
  // The benchmark that started this process wrote it.
  const plan = JSON.parse(text) as JudgingRunPlan;
  new Worker(new URL(import.meta.url), { workerData: plan, resourceLimits: opsThreadLimits });
} else {
  console.log(JSON.stringify(run(workerData as JudgingRunPlan))); // set just above
}

function run(plan: JudgingRunPlan): JudgingReport {
  mkdirSync(plan.directory, { recursive: true });
  const idleMb = process.memoryUsage.rss() / 2 ** 20;
  const simulation = simulate({ ...plan, file: join(plan.directory, 'ops.db') });
  const warmRounds = Math.floor(plan.rounds / 2);
  let mostMb = 0;
  const runRounds = (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      simulation[plan.work]();
      mostMb = Math.max(mostMb, process.memoryUsage.rss() / 2 ** 20);
    }
  };
  runRounds(warmRounds);
  const before = process.cpuUsage();
  runRounds(plan.rounds - warmRounds);
  const { user, system } = process.cpuUsage(before);
  const cpuMsPerRound = (user + system) / 1000 / (plan.rounds - warmRounds);
  const { firedCount } = simulation;
  simulation.close();
  const cpuPercent = (cpuMsPerRound / intervalMs) * 100;
  return { cpuMsPerRound, cpuPercent, memoryMb: mostMb - idleMb, firedCount };
}
