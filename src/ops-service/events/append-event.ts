// How the layers above write to the event log.
import type { Event, NewEvent } from './event.js';

/** Appends to the event log of a cluster and gives the event as it was written. */
export type AppendEvent = (clusterId: string, event: NewEvent) => Event;
