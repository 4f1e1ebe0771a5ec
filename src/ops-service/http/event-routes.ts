// The routes of the event log.
import * as v from 'valibot';
import type { EventLog } from '../events/event-log.js';
import type { Route } from './route.js';

/** What the routes read. */
export interface EventParts {
  readonly events: EventLog;
}

const eventSchema = v.strictObject({
  action: v.number(),
  api_source_ip: v.string(),
  event_source: v.string(),
  level: v.number(),
  level_str: v.string(),
  message: v.string(),
  source_node: v.string(),
  success: v.nullable(v.boolean()),
  target_node: v.nullable(v.string()),
  time: v.string(),
  user: v.string(),
});

const maxCount = 10_000;

const eventQuery = v.strictObject({
  count: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/, `must be an integer from 1 to ${maxCount}`),
      v.transform(Number),
      v.minValue(1, `must be an integer from 1 to ${maxCount}`),
      v.maxValue(maxCount, `must be an integer from 1 to ${maxCount}`),
    ),
    '10',
  ),
  timestamp: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,19}$/, 'must be a unix timestamp in microseconds'),
      // Times of events are far below; what is above reads from the newest one.
      v.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
    ),
  ),
  reverse: v.optional(v.picklist(['0', '1'], 'must be 0 or 1'), '1'),
});

/** The routes of the event log. */
export function eventRoutes({ events }: EventParts): readonly Route[] {
  const list: Route<typeof eventQuery> = {
    method: 'GET',
    path: '/{cluster_id}/events',
    summary: 'Events from a time on, newest first, or with reverse=0 oldest first.',
    access: 'viewer',
    query: eventQuery,
    reply: v.array(eventSchema),
    answer: ({ params, query }) =>
      events.read(params['cluster_id'] ?? '', {
        count: query.count,
        fromUs: query.timestamp,
        order: query.reverse === '1' ? 'backward' : 'forward',
      }),
  };
  return [list];
}
