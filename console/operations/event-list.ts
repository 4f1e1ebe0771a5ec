// The events that the Events screen shows: live ones at the top, pages of older ones at the bottom.
import type { OpsEvent } from './ops-api.js';

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

/** Before the first page. */
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

/** With an event at the top, unless it is shown already. */
export function withNew(now: EventListState, event: OpsEvent): EventListState {
  if (now.events.some(({ time }) => time === event.time)) return now;
  return bounded({ ...now, events: [event, ...now.events] });
}

/** With a page at the bottom, whose loading has ended. The first page may have events that came live before it. */
export function withOlder(now: EventListState, { events, nextTime, isAtEnd }: OlderEvents): EventListState {
  const known = new Set(now.events.map(({ time }) => time));
  const shown = [...now.events, ...events.filter(({ time }) => !known.has(time))];
  return bounded({ events: shown, nextTime, isAtEnd, isLoading: false, failure: undefined });
}

/** Without the oldest events if there are too many. */
function bounded(state: EventListState): EventListState {
  if (state.events.length <= mostShown) return state;
  return { ...state, events: state.events.slice(0, mostShown), isAtEnd: false };
}
