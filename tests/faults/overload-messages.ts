// What the driver of an overload and its processes say to each other.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Verdict } from './overload-attack.js';
import type { OverloadSizes } from './overload-tables.js';

/** What a process of attackers does, from its start on. */
export interface AttackerPlan {
  readonly port: number;
  readonly opsPort: number;
  readonly sizes: OverloadSizes;
  readonly seconds: number;
  readonly stallMs: number;
  readonly patienceMs: number;
  readonly attacks: readonly { readonly name: string; readonly connections: number }[];
}

/** How often the requests of an attack ended in which way. */
export interface AttackTally {
  readonly name: string;
  readonly connections: number;
  readonly verdicts: Record<Verdict, number>;
  /** By what came of them: `200`, `503`, `200 UNKNOWN_KEYSPACE`, `cut`. */
  readonly outcomes: Record<string, number>;
  /** The first that were wrong, for people. */
  readonly wrong: string[];
}

/** What the lists of an attack must hold: items that were acknowledged, and those of which nobody knows. */
export interface PushedItems {
  acknowledged: number;
  unsure: number;
}

/** What a process of attackers has done. Its connections stay open until it is stopped. */
export interface AttackerReport {
  readonly tallies: readonly AttackTally[];
  /** By writer, how many of its notes must be there. */
  readonly written: Record<string, number>;
  /** By row. */
  readonly pushed: Record<string, PushedItems>;
}

/** What an observer is asked for. */
export type ObserverRequest =
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  /** Whether the server at that address has everything that was acknowledged. */
  | { readonly kind: 'check'; readonly url: string };

/** What an observer watches. */
export interface ObserverPlan {
  readonly url: string;
  readonly opsUrl: string;
  readonly pid: number;
}

/** Latencies of one kind of requests, in milliseconds, and how many were not answered as they should be. */
export interface Latencies {
  readonly count: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The first that failed, for people. */
  readonly failures: readonly string[];
}

/** What an observer saw from `begin` to `end`. */
export interface Watched {
  /** In MB (2^20 bytes); undefined where the system does not show it. */
  readonly maxResidentMb: number | undefined;
  readonly lastResidentMb: number | undefined;
  readonly findOne: Latencies;
  /** From a new connection to its first reply. */
  readonly connect: Latencies;
  readonly write: Latencies;
  /** The longest turn of the data service, in processor time; undefined if the server does not measure it. */
  readonly longestTurnMs: number | undefined;
  /** The longest turn of the operations service. */
  readonly longestOpsTurnMs: number | undefined;
  /** Connections of the data port that were open at last. */
  readonly openConnections: number | undefined;
}

/** What is missing or wrong of what was acknowledged. */
export interface LedgerCheck {
  readonly acknowledged: number;
  readonly lost: readonly string[];
}

/** A test process that gets a plan and answers requests in their order. */
export class PartProcess {
  readonly #child: ChildProcess;
  readonly #messages: unknown[] = [];

  constructor(script: string, plan: AttackerPlan | ObserverPlan) {
    const path = fileURLToPath(new URL(script, import.meta.url));
    this.#child = fork(path, [JSON.stringify(plan)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', (message) => this.#messages.push(message));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(request: ObserverRequest): void {
    this.#child.send(request);
  }

  /** The next message; rejects when the process ends before. */
  async receive<Message>(): Promise<Message> {
    while (this.#messages.length === 0) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(
          `a process of the harness ended with ${this.#child.exitCode ?? this.#child.signalCode}`,
        );
      await Promise.race([once(this.#child, 'message'), once(this.#child, 'close')]);
    }
    // Our own scripts wrote it.
    return this.#messages.shift() as Message;
  }

  async ask<Message>(request: ObserverRequest): Promise<Message> {
    this.send(request);
    return this.receive<Message>();
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
