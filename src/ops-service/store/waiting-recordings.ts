// What waits to be written, in order; what can be given up of it is bounded, however long the disk stays full.
import type { Database } from '../../foundation/sqlite/open-database.js';

/** A piece of writing: statements on the open transaction, nothing else. It may run again after a failed commit. */
export type Recording = (database: Database) => void;

/** What is given up when too much waits, in this order, the oldest of each first. */
export const lossOrder = ['sample', 'delivery', 'event'] as const;

/** One of them. */
export type Expendable = (typeof lossOrder)[number];

/** What a recording is about. */
export interface RecordingNature {
  /** Without it the recording is never given up. */
  readonly expendable?: Expendable;
  /** What it is the state of: a later recording of the same key replaces it, so that states do not accumulate. */
  readonly key?: string;
  /** What the key names is new, or is gone: a recording of each cancels the other. */
  readonly change?: 'new' | 'gone';
  /** About what it takes in memory. */
  readonly sizeBytes?: number;
  /** Called when it is given up. */
  onLoss?(): void;
}

/** How many of each were given up. */
export type Losses = Readonly<Record<Expendable, number>>;

interface Waiting extends RecordingNature {
  readonly recording: Recording;
  readonly sizeBytes: number;
}

/** A recording with its closure and a few short values. */
const usualSizeBytes = 500;

/** The recordings that wait. */
export class WaitingRecordings {
  readonly #limitBytes: number;
  readonly #waiting = new Map<string | number, Waiting>();
  /** The names of those that may be given up, oldest first. */
  readonly #expendable: Readonly<Record<Expendable, Set<string | number>>> = {
    sample: new Set(),
    delivery: new Set(),
    event: new Set(),
  };
  /** Of those that may be given up: nothing that is given up makes room for a state. */
  #bytes = 0;
  #nextNumber = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Adds a recording after all others, or in the place of that of its key. */
  add(recording: Recording, nature: RecordingNature): void {
    const name = nature.key ?? this.#nextNumber;
    this.#nextNumber += 1;
    const before = this.#waiting.get(name);
    const isNew = before === undefined ? nature.change === 'new' : before.change === 'new';
    if (before !== undefined && isNew && nature.change === 'gone') {
      this.#remove(name);
      return;
    }
    const { change: _, ...rest } = nature;
    const sizeBytes = nature.sizeBytes ?? usualSizeBytes;
    this.#count(name, before, -1);
    // A known key keeps its place: rows are numbered in the order in which they were made. What is new after
    // something that waited is not new to the disk: there may be a row, which is to be deleted with it.
    const waiting = { ...rest, ...(isNew ? ({ change: 'new' } as const) : {}), recording, sizeBytes };
    this.#waiting.set(name, waiting);
    this.#count(name, waiting, 1);
  }

  /** All of them in order; they stay until they are cleared. */
  recordings(): Iterable<Recording> {
    return [...this.#waiting.values()].map(({ recording }) => recording);
  }

  clear(): void {
    this.#waiting.clear();
    for (const names of Object.values(this.#expendable)) names.clear();
    this.#bytes = 0;
  }

  /** Gives up what is above the limit. The result is what is lost. */
  giveUpSurplus(): readonly Expendable[] {
    if (this.#bytes <= this.#limitBytes) return none;
    const lost: Expendable[] = [];
    for (const kind of lossOrder) {
      for (const name of this.#expendable[kind]) {
        if (this.#bytes <= this.#limitBytes) return lost;
        this.#remove(name)?.onLoss?.();
        lost.push(kind);
      }
    }
    return lost;
  }

  #remove(name: string | number): Waiting | undefined {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(name);
    this.#count(name, waiting, -1);
    return waiting;
  }

  /** Adds what may be given up to the count, or removes it. */
  #count(name: string | number, waiting: Waiting | undefined, sign: 1 | -1): void {
    if (waiting?.expendable === undefined) return;
    this.#bytes += sign * waiting.sizeBytes;
    const names = this.#expendable[waiting.expendable];
    if (sign === 1) names.add(name);
    else names.delete(name);
  }
}

const none: readonly never[] = [];
