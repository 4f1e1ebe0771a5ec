// Counts and times the requests of the data service, cheaply enough for every request, until the figures are taken.
import { getOrMake } from '../get-or-make.js';
import { type LatencyCounts, LatencyRecorder } from './latency-counts.js';

/** What a request does to rows. */
export type RequestKind = 'read' | 'write';

/** How a request ended: with a reply (also to a faulty request), with an error of the server, or by its time limit. */
export type RequestEnd = 'answered' | 'failed' | 'timedOut';

/** The figures of one kind of requests since the last call of `take`. */
export interface RequestFigures {
  readonly finished: number;
  readonly failed: number;
  readonly timedOut: number;
  /** The total duration of all finished requests, in milliseconds. */
  readonly totalMs: number;
  readonly latencies: LatencyCounts;
}

/** The figures of one kind of requests on one table. */
export interface TableRequestFigures {
  /** Calls of the engine. */
  readonly calls: number;
  readonly engineLatencies: LatencyCounts;
  /** Commands, and their total duration in milliseconds. */
  readonly finished: number;
  readonly totalMs: number;
}

/** The figures since the last call of `take`. Plain data. */
export interface TrafficFigures {
  readonly kinds: Readonly<Record<RequestKind, RequestFigures>>;
  /** Calls of the engine under way. */
  readonly pending: Readonly<Record<RequestKind, number>>;
  /** Tables with traffic, as `keyspace.table`. */
  readonly tables: readonly (readonly [string, Readonly<Record<RequestKind, TableRequestFigures>>])[];
}

/** More takes than occur between the last engine call of the longest command and its reply. */
const mostIdleTakes = 20;

/** Counts the requests of a process. */
export class Traffic {
  readonly #kinds = { read: new KindCounter(), write: new KindCounter() };
  readonly #pending = { read: 0, write: 0 };
  readonly #tables = new Map<string, Map<string, TableCounter>>();

  /** A command has ended. The time is from its arrival to its reply. The names may be those of no table. */
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

  /** A call of the engine is idle until it begins again, if it ever does. */
  suspendCall(kind: RequestKind): void {
    this.#pending[kind] -= 1;
  }

  /** A call of the engine has ended. The table exists or existed. */
  endCall(kind: RequestKind, elapsedMs: number, keyspace: string, table: string): void {
    this.#pending[kind] -= 1;
    const counter = this.#counterOf(keyspace, table);
    counter.idleTakes = 0;
    counter[kind].addCall(elapsedMs);
  }

  /** The number of tables whose latencies take memory: those used recently. */
  get holdingTables(): number {
    return [...this.#tables.values()]
      .flatMap((ofKeyspace) => [...ofKeyspace.values()])
      .filter(({ read, write }) => read.isHolding || write.isHolding).length;
  }

  /** The figures since the last call of `take`. */
  take(): TrafficFigures {
    return {
      kinds: { read: this.#kinds.read.take(), write: this.#kinds.write.take() },
      pending: { ...this.#pending },
      tables: this.#takeTables(),
    };
  }

  /** Tables that were used. Long idle ones are removed, because dropped tables would accumulate. */
  #takeTables(): TrafficFigures['tables'] {
    const taken: [string, Record<RequestKind, TableRequestFigures>][] = [];
    for (const [keyspace, ofKeyspace] of this.#tables) {
      for (const [table, counter] of ofKeyspace) {
        // Also for an idle one, so that it releases its memory.
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
  /** How many times it was taken since it was last used. */
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
