// The routes of the event log.
import * as v from 'valibot';
import { closedObject } from '../errors/closed-object.js';
import type { EventLog } from '../events/event-log.js';
import { countParameter, timestampParameter } from './query-parameters.js';
import type { Route } from './route.js';

/** The parts that the routes use. */
export interface EventParts {
  readonly events: EventLog;
}

const integer = v.pipe(v.number(), v.integer());
const eventSchema = v.strictObject({
  action: integer,
  api_source_ip: v.string(),
  event_source: v.string(),
  level: integer,
  level_str: v.string(),
  message: v.string(),
  source_node: v.string(),
  success: v.nullable(v.boolean()),
  target_node: v.nullable(v.string()),
  time: v.string(),
  user: v.string(),
});

const eventQuery = closedObject({
  count: countParameter(10),
  timestamp: timestampParameter,
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
