// Counts and times the requests of the data service, cheaply enough for every one of them, until they are taken.
import { getOrMake } from '../get-or-make.js';
import { type LatencyCounts, LatencyRecorder } from './latency-counts.js';

/** What a request does with rows. */
export type RequestKind = 'read' | 'write';

/** How a request ended: as it should or by the caller's fault, by a fault of the server, cut by its time limit. */
export type RequestEnd = 'answered' | 'failed' | 'timedOut';

/** What was counted of one kind of requests since it was taken last. */
export interface RequestFigures {
  readonly finished: number;
  readonly failed: number;
  readonly timedOut: number;
  /** Milliseconds of all that finished. */
  readonly totalMs: number;
  readonly latencies: LatencyCounts;
}

/** What was counted of one kind of requests on one table. */
export interface TableRequestFigures {
  /** Calls of the engine. */
  readonly calls: number;
  readonly engineLatencies: LatencyCounts;
  /** Commands, and milliseconds of all of them. */
  readonly finished: number;
  readonly totalMs: number;
}

/** What was counted since it was taken last. Plain data. */
export interface TrafficFigures {
  readonly kinds: Readonly<Record<RequestKind, RequestFigures>>;
  /** Calls of the engine that are under way now. */
  readonly pending: Readonly<Record<RequestKind, number>>;
  /** Tables on which there was something, as `keyspace.table`. */
  readonly tables: readonly (readonly [string, Readonly<Record<RequestKind, TableRequestFigures>>])[];
}

/** More than the longest command lasts from its last call of the engine to its reply. */
const mostIdleTakes = 20;

/** Where the requests of a process are counted. */
export class Traffic {
  readonly #kinds = { read: new KindCounter(), write: new KindCounter() };
  readonly #pending = { read: 0, write: 0 };
  readonly #tables = new Map<string, Map<string, TableCounter>>();

  /** A command has ended, with what it took from its arrival to its reply. Names may be those of no table. */
  endRequest(
    kind: RequestKind,
    end: RequestEnd,
    elapsedMs: number,
    keyspace: string | undefined,
    table: string | undefined,
  ): void {
    this.#kinds[kind].add(end, elapsedMs);
    if (keyspace === undefined || table === undefined) return;
    const counter = this.#tables.get(keyspace)?.get(table);
    if (counter === undefined) return;
    counter.idleTakes = 0;
    counter[kind].addCommand(elapsedMs);
  }

  /** A call of the engine begins. */
  beginCall(kind: RequestKind): void {
    this.#pending[kind] += 1;
  }

  /** A call of the engine does nothing until it begins again, if it ever does. */
  suspendCall(kind: RequestKind): void {
    this.#pending[kind] -= 1;
  }

  /** A call of the engine has ended. The table is or was there. */
  endCall(kind: RequestKind, elapsedMs: number, keyspace: string, table: string): void {
    this.#pending[kind] -= 1;
    const counter = this.#counterOf(keyspace, table);
    counter.idleTakes = 0;
    counter[kind].addCall(elapsedMs);
  }

  /** Tables for whose latencies there is memory: those that were used lately. */
  get holdingTables(): number {
    return [...this.#tables.values()]
      .flatMap((ofKeyspace) => [...ofKeyspace.values()])
      .filter(({ read, write }) => read.isHolding || write.isHolding).length;
  }

  /** Everything since the last call of this. */
  take(): TrafficFigures {
    return {
      kinds: { read: this.#kinds.read.take(), write: this.#kinds.write.take() },
      pending: { ...this.#pending },
      tables: this.#takeTables(),
    };
  }

  /** Those that were used; what is long idle goes, else tables that are dropped would add up. */
  #takeTables(): TrafficFigures['tables'] {
    const taken: [string, Record<RequestKind, TableRequestFigures>][] = [];
    for (const [keyspace, ofKeyspace] of this.#tables) {
      for (const [table, counter] of ofKeyspace) {
        // Also of an idle one: it lets its memory go.
        const figures = { read: counter.read.take(), write: counter.write.take() };
        if (counter.idleTakes === 0) taken.push([`${keyspace}.${table}`, figures]);
        counter.idleTakes += 1;
        if (counter.idleTakes > mostIdleTakes) ofKeyspace.delete(table);
      }
      if (ofKeyspace.size === 0) this.#tables.delete(keyspace);
    }
    return taken;
  }

  #counterOf(keyspace: string, table: string): TableCounter {
    return getOrMake(getOrMake(this.#tables, keyspace, noCounters), table, newCounter);
  }
}

const noCounters = () => new Map<string, TableCounter>();
const newCounter = () => new TableCounter();

class KindCounter {
  readonly #latencies = new LatencyRecorder();
  #finished = 0;
  #failed = 0;
  #timedOut = 0;
  #totalMs = 0;

  add(end: RequestEnd, elapsedMs: number): void {
    this.#finished += 1;
    if (end === 'failed') this.#failed += 1;
    else if (end === 'timedOut') this.#timedOut += 1;
    this.#totalMs += elapsedMs;
    this.#latencies.record(elapsedMs);
  }

  take(): RequestFigures {
    const taken = {
      finished: this.#finished,
      failed: this.#failed,
      timedOut: this.#timedOut,
      totalMs: this.#totalMs,
      latencies: this.#latencies.take(),
    };
    this.#finished = 0;
    this.#failed = 0;
    this.#timedOut = 0;
    this.#totalMs = 0;
    return taken;
  }
}

class TableCounter {
  readonly read = new TableKindCounter();
  readonly write = new TableKindCounter();
  /** How often it was taken since it was used. */
  idleTakes = 0;
}

class TableKindCounter {
  readonly #latencies = new LatencyRecorder();
  #calls = 0;
  #finished = 0;
  #totalMs = 0;

  get isHolding(): boolean {
    return this.#latencies.isHolding;
  }

  addCall(elapsedMs: number): void {
    this.#calls += 1;
    this.#latencies.record(elapsedMs);
  }

  addCommand(elapsedMs: number): void {
    this.#finished += 1;
    this.#totalMs += elapsedMs;
  }

  take(): TableRequestFigures {
    const taken = {
      calls: this.#calls,
      engineLatencies: this.#latencies.take(),
      finished: this.#finished,
      totalMs: this.#totalMs,
    };
    this.#calls = 0;
    this.#finished = 0;
    this.#totalMs = 0;
    return taken;
  }
}
