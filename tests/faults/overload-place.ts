// Where one connection of an attack stands: its connections, its waits, and what it notes of acknowledged writes.
import type { AttackPlace } from './overload-attack.js';
import { type Outcome, RudeClient } from './overload-client.js';
import type { AttackerPlan, PushedItems } from './overload-messages.js';

/** Whether the attacks of a process are over; waiting code is notified then. */
export class AttackTime {
  readonly #waiting = new Set<() => void>();
  isOver = false;

  end(): void {
    this.isOver = true;
    for (const wake of this.#waiting) wake();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, this.isOver ? 0 : ms);
      this.#waiting.add(wake);
    });
  }
}

/** What the connections of a process note together. */
export interface Notes {
  readonly written: Record<string, number>;
  readonly pushed: Record<string, PushedItems>;
}

/** One connection of an attack. */
export class Place implements AttackPlace {
  readonly port: number;
  readonly opsPort: number;
  readonly sizes: AttackerPlan['sizes'];
  readonly stallMs: number;
  readonly patienceMs: number;
  readonly connection: number;
  readonly #time: AttackTime;
  readonly #notes: Notes;
  #kept: RudeClient | undefined;

  constructor(plan: AttackerPlan, connection: number, time: AttackTime, notes: Notes) {
    this.port = plan.port;
    this.opsPort = plan.opsPort;
    this.sizes = plan.sizes;
    this.stallMs = plan.stallMs;
    this.patienceMs = plan.patienceMs;
    this.connection = connection;
    this.#time = time;
    this.#notes = notes;
  }

  isOver(): boolean {
    return this.#time.isOver;
  }

  wait(ms: number): Promise<void> {
    return this.#time.wait(ms);
  }

  connect(port = this.port): Promise<RudeClient> {
    return RudeClient.connect(port);
  }

  async exchange(...request: readonly Uint8Array[]): Promise<Outcome> {
    if (this.#kept === undefined || this.#kept.isOver) this.#kept = await this.connect();
    const client = this.#kept;
    for (const part of request) client.write(part);
    const outcome = await client.read(this.patienceMs);
    // A refusal may come before the body was read, and ends the connection then.
    if (outcome.kind !== 'reply' || outcome.status !== 200) {
      this.#kept = undefined;
      client.destroy();
    }
    return outcome;
  }

  noteWritten(writer: string, number: number): void {
    this.#notes.written[writer] = number + 1;
  }

  notePushed(row: string, items: number, isAcknowledged: boolean): void {
    const { pushed } = this.#notes;
    const known = pushed[row] ?? { acknowledged: 0, unsure: 0 };
    pushed[row] = known;
    if (isAcknowledged) known.acknowledged += items;
    else known.unsure += items;
  }
}
