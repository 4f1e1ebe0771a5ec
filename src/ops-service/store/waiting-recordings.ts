// Recordings that wait to be written, in order; the discardable ones are bounded, however long the disk stays full.
import type { Database } from '../../foundation/sqlite/open-database.js';

/** Statements that run on the open transaction, and do nothing else. They may run again after a failed commit. */
export type Recording = (database: Database) => void;

/** What is discarded when too much waits, in this order, the oldest of each kind first. */
export const lossOrder = ['sample', 'delivery', 'event'] as const;

/** A kind that can be discarded. */
export type Expendable = (typeof lossOrder)[number];

/** The properties of a recording. */
export interface RecordingNature {
  /** Without it the recording is never discarded. */
  readonly expendable?: Expendable;
  /**
   * Identifies the state that it stores: a later recording of the same key replaces it, so that states do not
   * accumulate.
   */
  readonly key?: string;
  /** Whether the entity of the key is new or was deleted: one recording of each cancels the other. */
  readonly change?: 'new' | 'gone';
  /** Its approximate size in memory. */
  readonly sizeBytes?: number;
  /** Called when it is discarded. */
  onLoss?(): void;
}

/** The numbers of discarded recordings. */
export type Losses = Readonly<Record<Expendable, number>>;

interface Waiting extends RecordingNature {
  readonly recording: Recording;
  readonly sizeBytes: number;
}

/** The size of a recording with its closure and a few short values. */
const usualSizeBytes = 500;

export class WaitingRecordings {
  readonly #limitBytes: number;
  readonly #waiting = new Map<string | number, Waiting>();
  /** The names of the discardable recordings, oldest first. */
  readonly #expendable: Readonly<Record<Expendable, Set<string | number>>> = {
    sample: new Set(),
    delivery: new Set(),
    event: new Set(),
  };
  /** The size of the discardable recordings: the others must not cause them to be discarded. */
  #bytes = 0;
  #nextNumber = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Adds a recording at the end, or replaces the one with its key. */
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
    // A known key keeps its position, because rows are numbered in the order of their creation. A new entity after a
    // recording that waited is not new on disk: there may be a row, which must be deleted with it.
    const waiting = { ...rest, ...(isNew ? ({ change: 'new' } as const) : {}), recording, sizeBytes };
    this.#waiting.set(name, waiting);
    this.#count(name, waiting, 1);
  }

  /** Returns all recordings in order; they stay until `clear`. */
  recordings(): Iterable<Recording> {
    return [...this.#waiting.values()].map(({ recording }) => recording);
  }

  clear(): void {
    this.#waiting.clear();
    for (const names of Object.values(this.#expendable)) names.clear();
    this.#bytes = 0;
  }

  /** Discards recordings above the limit. Returns the kinds of the discarded ones. */
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

  /** Adds a discardable recording to the count, or removes it. */
  #count(name: string | number, waiting: Waiting | undefined, sign: 1 | -1): void {
    if (waiting?.expendable === undefined) return;
    this.#bytes += sign * waiting.sizeBytes;
    const names = this.#expendable[waiting.expendable];
    if (sign === 1) names.add(name);
    else names.delete(name);
  }
}

const none: readonly never[] = [];
