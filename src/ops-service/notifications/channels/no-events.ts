// For kinds of channels whose receivers know alerts only.
import * as v from 'valibot';

/** Takes the place of the entry in `routingEntries`: such a channel cannot take events. */
export const noEvents = {
  events: v.optional(v.literal(false, 'must be false: the receiver has no form for events'), false),
};
