// The event log: the events of each cluster, with unique ascending times.
import type { Database } from '../../foundation/sqlite/open-database.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type KeptSince, makeKeptSince } from '../../foundation/telemetry/clock-jumps.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Store } from '../store/store.js';
import { type Alert, type AlertLogEntry, type Event, eventKinds, levels, type NewEvent } from './event.js';
import { type EventFilter, fits } from './event-filter.js';
import { type EventListener, EventListeners } from './event-listeners.js';
import {
  countEvents,
  insertEvent,
  newestTime,
  type Portion,
  type PortionedTable,
  pruneEvents,
  selectAlertEvents,
  selectEvents,
  selectFitting,
  timeAfter,
} from './event-tables.js';

/** Where reading begins and how far it goes. */
export interface EventRange {
  /** Microseconds since 1970, included. Default: the newest event. */
  readonly fromUs?: number | undefined;
  readonly count: number;
  readonly order: 'backward' | 'forward';
}

/** How long, and how many, events of a cluster are kept. */
export interface EventRetention {
  readonly maxAgeDays: number;
  readonly maxCount: number;
}

/** The address of the service, for events that no request caused. */
const ownAddress = '127.0.0.1';
const ordinaryRetention: EventRetention = { maxAgeDays: 90, maxCount: 20_000_000 };
const msPerDay = 86_400_000;
/** Small, so that a tick takes milliseconds. 1,000 per second are far more than are appended over a long time. */
const prunedPerTick = 1000;
/** The size in memory of an event without its message. */
const eventSizeBytes = 800;
/** Events that a search reads at a time: up to some milliseconds. */
const portionCount = 1000;
const anyEvent: EventFilter = { leastLevel: 0, actions: undefined, node: undefined };

/** What is read in steps. */
interface EntriesInSteps<Entry> {
  readonly table: PortionedTable;
  readonly select: (database: Database, portion: Portion) => readonly Entry[];
  /** The entries of an event that waits for the disk. */
  readonly waiting: (unwritten: Unwritten) => readonly Entry[];
}

interface Unwritten {
  readonly clusterId: string;
  readonly event: Event;
  readonly alert: Alert | undefined;
}

/** Stores the events of all clusters. While the disk is full, they are kept in memory. */
export class EventLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #retention: EventRetention;
  readonly #keptSince: KeptSince;
  readonly #listeners: EventListeners;
  /** The time of the newest event of each cluster that was asked for. */
  readonly #newest = new Map<string, number>();
  /** Events that may not be on disk yet, in order. */
  readonly #unwritten = new Set<Unwritten>();

  constructor(store: Store, clock: Clock, logger: Logger, retention: EventRetention = ordinaryRetention) {
    this.#store = store;
    this.#clock = clock;
    this.#listeners = new EventListeners(logger);
    this.#retention = retention;
    this.#keptSince = makeKeptSince(clock);
  }

  /** Records an event and notifies listeners. It survives a crash once `store.recorded()` has resolved. */
  readonly append = (clusterId: string, added: NewEvent): Event => {
    const timeUs = Math.max(Math.floor(this.#clock.nowMs() * 1000), (this.#newestTime(clusterId) ?? 0) + 1);
    this.#newest.set(clusterId, timeUs);
    const event = toEvent(added, timeUs);
    if (this.#store.waitingCount === 0) this.#unwritten.clear();
    const alert = added.change?.alert;
    const unwritten = { clusterId, event, alert };
    this.#unwritten.add(unwritten);
    this.#store.record((database) => insertEvent(database, clusterId, event, alert), {
      expendable: 'event',
      sizeBytes: eventSizeBytes + 2 * event.message.length,
      onLoss: () => void this.#unwritten.delete(unwritten),
    });
    this.#listeners.notify({ clusterId, event, change: added.change });
    return event;
  };

  /** Events from a time on, which is included. Times are unique, so a page can continue from the last one. */
  read(clusterId: string, { fromUs, count, order }: EventRange): readonly Event[] {
    const start = fromUs ?? this.#newestTime(clusterId);
    if (start === undefined) return [];
    const range = { fromUs: start, count, order };
    const written = this.#store.read((database) => selectEvents(database, clusterId, range));
    return joined(
      written,
      this.#waiting(clusterId, range).map(({ event }) => event),
      range,
    );
  }

  /**
   * The events of a range that fit a filter. A step compares some of them, so that the caller can do other work between
   * steps.
   */
  *search(
    clusterId: string,
    range: EventRange,
    filter: EventFilter = anyEvent,
  ): Generator<void, readonly Event[]> {
    return yield* this.#readInSteps(clusterId, range, {
      table: 'events',
      select: (database, portion) => selectFitting(database, clusterId, portion, filter),
      waiting: ({ event }) => (fits(event, filter) ? [event] : []),
    });
  }

  /** The events of alerts of a range, with the ids of their alerts; in steps, as `search` does. */
  *searchAlertEvents(clusterId: string, range: EventRange): Generator<void, readonly AlertLogEntry[]> {
    return yield* this.#readInSteps(clusterId, range, {
      table: 'alert_events',
      select: (database, portion) => selectAlertEvents(database, clusterId, portion),
      waiting: ({ event, alert }) =>
        alert === undefined ? [] : [{ ...event, alert_id: alert.id, alert_rule_id: alert.alert_rule_id }],
    });
  }

  *#readInSteps<Entry>(
    clusterId: string,
    range: EventRange,
    { table, select, waiting: toEntries }: EntriesInSteps<Entry>,
  ): Generator<void, readonly Entry[]> {
    const { count, order } = range;
    const start = range.fromUs ?? this.#newestTime(clusterId);
    if (start === undefined) return [];
    // What waits now is not in the file yet, whatever is written between the steps.
    const waiting = this.#waiting(clusterId, { ...range, fromUs: start }).flatMap(toEntries);
    const lastUs = this.#store.read((database) => newestTime(database, clusterId)) ?? 0;
    const found: Entry[] = [];
    let fromUs: number | undefined = order === 'backward' ? Math.min(start, lastUs) : start;
    while (fromUs !== undefined && found.length < count) {
      const place: { readonly fromUs: number; readonly order: EventRange['order'] } = { fromUs, order };
      const nextUs: number | undefined = this.#store.read((database) =>
        timeAfter(database, table, clusterId, { ...place, distance: portionCount }),
      );
      // Events behind the last one are written while the search runs: they are among those that waited, or are newer.
      const endUs = order === 'backward' ? (nextUs ?? -1) : Math.min(nextUs ?? Infinity, lastUs + 1);
      const portion = { ...place, endUs, count: count - found.length };
      found.push(...this.#store.read((database) => select(database, portion)));
      fromUs = nextUs !== undefined && nextUs <= lastUs ? nextUs : undefined;
      yield;
    }
    return joined(found, waiting, range);
  }

  /** The events of a range that wait for the disk, oldest first. */
  #waiting(
    clusterId: string,
    { fromUs, order }: { readonly fromUs: number; readonly order: EventRange['order'] },
  ): readonly Unwritten[] {
    if (this.#store.waitingCount === 0) return [];
    // Events are written in the order in which they were appended; some written ones may still be in the list.
    const writtenUs = this.#store.read((database) => newestTime(database, clusterId)) ?? 0;
    return [...this.#unwritten].filter(({ clusterId: id, event }) => {
      const timeUs = Number(event.time);
      return (
        id === clusterId && timeUs > writtenUs && (order === 'backward' ? timeUs <= fromUs : timeUs >= fromUs)
      );
    });
  }

  /** Calls the listener with every event from now on; the result ends the subscription. */
  subscribe(listener: EventListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  /**
   * Passes events again for which a listener failed, and deletes a part of what is too old or too much. Called every
   * second.
   */
  tick(): void {
    this.#listeners.tick();
    if (this.#store.waitingCount === 0) this.#unwritten.clear();
    if (!this.#store.isWritable) return;
    const untilUs = this.#keptSince(this.#retention.maxAgeDays * msPerDay) * 1000;
    const counts = this.#store.read(countEvents);
    for (const [clusterId, count] of counts) {
      const surplus = count - this.#retention.maxCount;
      const oldest = this.#store.read((database) =>
        selectEvents(database, clusterId, { fromUs: 0, count: 1, order: 'forward' }),
      )[0];
      if (oldest === undefined || (surplus <= 0 && Number(oldest.time) >= untilUs)) continue;
      this.#store.record(
        (database) => void pruneEvents(database, clusterId, { untilUs, surplus, limit: prunedPerTick }),
      );
    }
  }

  #newestTime(clusterId: string): number | undefined {
    const known = this.#newest.get(clusterId);
    if (known !== undefined) return known;
    const stored = this.#store.read((database) => newestTime(database, clusterId));
    if (stored !== undefined) this.#newest.set(clusterId, stored);
    return stored;
  }
}

/** What is written and what waits, which is newer. */
function joined<Entry>(
  written: readonly Entry[],
  waiting: readonly Entry[],
  { order, count }: EventRange,
): readonly Entry[] {
  if (waiting.length === 0) return written;
  const all = order === 'backward' ? [...waiting.toReversed(), ...written] : [...written, ...waiting];
  return all.slice(0, count);
}

function toEvent(added: NewEvent, timeUs: number): Event {
  return {
    action: eventKinds[added.action].code,
    api_source_ip: added.caller?.address ?? ownAddress,
    event_source: 'Colonnade',
    level: levels[added.level],
    level_str: added.level,
    message: added.message,
    source_node: added.sourceNode ?? ownAddress,
    success: added.success ?? null,
    target_node: added.targetNode ?? null,
    time: String(timeUs),
    user: added.caller?.user ?? 'system',
  };
}
