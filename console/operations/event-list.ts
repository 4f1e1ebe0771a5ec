// The events that the Events screen shows: live ones at the top, pages of older ones at the bottom.
import type { OpsEvent } from '../../src/descriptions/operations-replies.js';

/** The most events that are kept; narrower filters reach older ones. */
export const mostShown = 5000;

/** What is shown, newest first. */
export interface EventListState {
  readonly events: readonly OpsEvent[];
  /** Where older events begin; undefined before the first page. */
  readonly nextTime: string | undefined;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  readonly failure: unknown;
}

/** A page of older events. */
export type OlderEvents = Pick<EventListState, 'events' | 'nextTime' | 'isAtEnd'>;

/** The list before the first page. */
export const noEvents: EventListState = {
  events: [],
  nextTime: undefined,
  isAtEnd: false,
  isLoading: false,
  failure: undefined,
};

/** Whether there may be older events, and room for them. */
export function canLoad({ events, isAtEnd }: EventListState): boolean {
  return !isAtEnd && events.length < mostShown;
}

/**
 * Returns the list with live events at their places, usually at the top. An event that is shown already is not added
 * again. All events are added in one step, so that a burst does not copy the list for each of its events.
 */
export function withNew(now: EventListState, added: readonly OpsEvent[]): EventListState {
  const shown = merged(now.events, added);
  return shown === now.events ? now : bounded({ ...now, events: shown });
}

/** Adds an event to those that wait to be shown, and drops the oldest of more than fit into the list. */
export function addWaiting(waiting: OpsEvent[], event: OpsEvent): void {
  waiting.push(event);
  // One more than fits stays, so that the list knows that older events were dropped.
  if (waiting.length > mostShown + 1) waiting.shift();
}

/**
 * Returns the list with a page of older events at its bottom. The first page may contain events that came live before
 * it.
 */
export function withOlder(now: EventListState, { events, nextTime, isAtEnd }: OlderEvents): EventListState {
  const shown = merged(now.events, events);
  return bounded({ events: shown, nextTime, isAtEnd, isLoading: false, failure: undefined });
}

/**
 * Returns the list with the newest page, which is read after a time without live events. If more events happened than
 * fit into the page, the list begins again with it, so that no event is missing between two that are shown.
 */
export function withNewest(now: EventListState, newest: OlderEvents): EventListState {
  const known = new Set(now.events.map(({ time }) => time));
  const hasNoGap = newest.isAtEnd || newest.events.some(({ time }) => known.has(time));
  if (now.nextTime !== undefined && hasNoGap)
    return bounded({ ...now, events: merged(now.events, newest.events) });
  const last = newest.events.at(-1);
  const live = last === undefined ? now.events : now.events.filter(({ time }) => isNewer(time, last.time));
  return bounded({ ...newest, events: merged(live, newest.events), isLoading: false, failure: undefined });
}

/** Times are whole numbers of microseconds without leading zeros, so that of the same length they sort as texts. */
function isNewer(time: string, other: string): boolean {
  return time.length === other.length ? time > other : time.length > other.length;
}

/** Returns the events of both lists, newest first, each once; it returns the first list if that has all of them. */
function merged(some: readonly OpsEvent[], more: readonly OpsEvent[]): readonly OpsEvent[] {
  const known = new Set(some.map(({ time }) => time));
  const added = more.filter(({ time }) => {
    const isMissing = !known.has(time);
    known.add(time);
    return isMissing;
  });
  if (added.length === 0) return some;
  return [...some, ...added].sort((one, other) => Number(isNewer(other.time, one.time)) * 2 - 1);
}

/** Returns the list without its oldest events if it has too many. */
function bounded(state: EventListState): EventListState {
  if (state.events.length <= mostShown) return state;
  return { ...state, events: state.events.slice(0, mostShown), isAtEnd: false };
}
