// Overloads a server of its own and says what it bore: before, during and after the attacks, and what it kept.
import {
  makeTemporaryDirectory,
  type ProcessEnd,
  type RunningServer,
  startServer,
} from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';
import type { Attack } from './overload-attack.js';
import { shareConnections } from './overload-attacks.js';
import { findLostWrites } from './overload-kept.js';
import {
  type AttackerPlan,
  type AttackerReport,
  type AttackTally,
  type LedgerCheck,
  PartProcess,
  type Watched,
} from './overload-messages.js';
import { makeTable, type OverloadSizes, type OverloadTable } from './overload-tables.js';
import { residentMbOf } from './resident-memory.js';

export interface OverloadPlan {
  readonly attacks: readonly Attack[];
  /** The connections of all attacks together; without it each has as many as when it is alone. */
  readonly connections?: number | undefined;
  readonly sizes: OverloadSizes;
  /** How long the attacks last. */
  readonly seconds: number;
  /** How long a small part of it is watched before and after. */
  readonly watchSeconds: number;
  /** How long the server may rest before it must be as before. */
  readonly settleSeconds: number;
  /** How long clients that stall do so, and how long others wait for a reply. */
  readonly stallSeconds: number;
  readonly patienceSeconds: number;
  /** The server's option `--request-timeout-seconds`. */
  readonly requestTimeoutSeconds: number;
  /** The server's heap. */
  readonly heapMb: number;
  /** The server is stopped when it has more memory than this. */
  readonly stopAtMb: number;
  readonly log: (line: string) => void;
}

/** What an overload showed. What is undefined was not reached, because the server had ended. */
export interface OverloadReport {
  readonly before: Watched;
  readonly during: Watched | undefined;
  readonly after: Watched | undefined;
  readonly tallies: readonly AttackTally[];
  /** How the server ended before it was asked to, and what it said last. */
  readonly end: (ProcessEnd & { readonly stderr: string; readonly wasStopped: boolean }) | undefined;
  /** Writes whose acknowledgement was checked, while the server ran and after a restart, and what was lost of them. */
  readonly kept: readonly LedgerCheck[];
}

const attackerProcesses = 4;
const memoryCheckMs = 100;
const ownTables: readonly OverloadTable[] = ['small', 'ledger'];

/** Runs the attacks of a plan against a new server. */
export async function runOverload(plan: OverloadPlan): Promise<OverloadReport> {
  const dataDir = makeTemporaryDirectory();
  const timeout = ['--request-timeout-seconds', `${plan.requestTimeoutSeconds}`];
  // Text indexes belong to the extended dialect.
  const args = [...timeout, '--dialect', 'extended', '--log-level', 'warn'];
  const options = { dataDir, args, nodeArgs: [`--max-old-space-size=${plan.heapMb}`] };
  const server = await startServer(options);
  const run = new OverloadRun(plan, server);
  try {
    await run.prepare();
    const found = await run.attack();
    if (run.end === undefined) await server.stop();
    const restarted = await startServer(options);
    const kept = await run.checkKept(restarted).finally(() => restarted.stop());
    return { ...found, end: run.end, kept: [...found.kept, kept] };
  } finally {
    run.stopParts();
    server.signal('SIGKILL');
  }
}

class OverloadRun {
  readonly #plan: OverloadPlan;
  readonly #server: RunningServer;
  readonly #parts: PartProcess[] = [];
  readonly #observer: PartProcess;
  #reports: readonly AttackerReport[] = [];
  #wasStopped = false;
  #isFinished = false;
  end: OverloadReport['end'];

  constructor(plan: OverloadPlan, server: RunningServer) {
    this.#plan = plan;
    this.#server = server;
    const { url, opsUrl, pid } = server;
    this.#observer = this.#start('overload-observer.js', { url, opsUrl, pid });
    void server.ended.then((end) => {
      if (this.#isFinished) return;
      this.end = { ...end, stderr: server.stderr().slice(-2000), wasStopped: this.#wasStopped };
    });
  }

  async prepare(): Promise<void> {
    const names = new Set([...ownTables, ...this.#plan.attacks.flatMap(({ tables }) => tables)]);
    const client = new DataClient(this.#server.url, 1);
    try {
      for (const name of names) {
        this.#plan.log(`making the table ${name}`);
        await makeTable(client, name, this.#plan.sizes);
      }
    } finally {
      client.close();
    }
  }

  async attack(): Promise<Omit<OverloadReport, 'end'>> {
    const { plan, server } = { plan: this.#plan, server: this.#server };
    plan.log('watching the server at rest');
    const before = await this.#watch(() => sleepSeconds(plan.watchSeconds));
    if (before === undefined) throw new Error(`the server ended before the attacks:\n${server.stderr()}`);
    plan.log(`attacking for ${plan.seconds} s`);
    const during = await this.#watch(async () => {
      this.#reports = await this.#runAttackers();
    });
    plan.log(`letting the server rest for ${plan.settleSeconds} s`);
    await this.#whileRunning(sleepSeconds(plan.settleSeconds));
    const after = await this.#watch(() => sleepSeconds(plan.watchSeconds));
    const kept = this.end === undefined ? [await this.checkKept(server)] : [];
    this.#isFinished = this.end === undefined;
    const tallies = this.#reports.flatMap((report) => report.tallies);
    return { before, during, after, tallies, kept };
  }

  /** Whether a server, this one or its successor, has what was acknowledged. */
  async checkKept(server: RunningServer): Promise<LedgerCheck> {
    const ledger = await this.#observer.ask<LedgerCheck>({ kind: 'check', url: server.url });
    const lost = await findLostWrites(server.url, this.#reports);
    return { acknowledged: ledger.acknowledged, lost: [...ledger.lost, ...lost] };
  }

  stopParts(): void {
    for (const part of this.#parts) part.stop();
  }

  #start(script: string, plan: ConstructorParameters<typeof PartProcess>[1]): PartProcess {
    const part = new PartProcess(script, plan);
    this.#parts.push(part);
    return part;
  }

  /** What the observer sees during a phase; undefined when the server had ended before. */
  async #watch(work: () => Promise<unknown>): Promise<Watched | undefined> {
    if (this.end !== undefined) return undefined;
    this.#observer.send({ kind: 'begin' });
    const guard = setInterval(() => this.#checkMemory(), memoryCheckMs);
    try {
      await this.#whileRunning(work());
      return await this.#observer.ask<Watched>({ kind: 'end' });
    } finally {
      clearInterval(guard);
    }
  }

  /** Ends with the work or with the server. */
  async #whileRunning(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#server.ended]);
  }

  async #runAttackers(): Promise<readonly AttackerReport[]> {
    const { port } = new URL(this.#server.url);
    const { port: opsPort } = new URL(this.#server.opsUrl);
    const { attacks, connections, sizes, seconds, stallSeconds, patienceSeconds } = this.#plan;
    const shares = [...shareConnections(attacks, connections)];
    const count = Math.min(attackerProcesses, shares.length);
    const processes = Array.from({ length: count }, (_, index) => {
      const mine = shares.filter((_share, at) => at % count === index);
      const attackerPlan: AttackerPlan = {
        port: Number(port),
        opsPort: Number(opsPort),
        sizes,
        seconds,
        stallMs: stallSeconds * 1000,
        patienceMs: patienceSeconds * 1000,
        attacks: mine.map(([{ name }, share]) => ({ name, connections: share })),
      };
      return this.#start('overload-attacker.js', attackerPlan);
    });
    return Promise.all(processes.map((part) => part.receive<AttackerReport>()));
  }

  #checkMemory(): void {
    const resident = residentMbOf(this.#server.pid);
    if (resident === undefined || resident <= this.#plan.stopAtMb || this.#wasStopped) return;
    this.#plan.log(`the server has ${Math.round(resident)} MB and is stopped`);
    this.#wasStopped = true;
    this.#server.signal('SIGKILL');
  }
}

function sleepSeconds(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
