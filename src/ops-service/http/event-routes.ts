// The routes of the event log.
import * as v from 'valibot';
import { alertEventReply, eventReply } from '../../descriptions/operations-replies.js';
import { doSteps, LongWork } from '../../foundation/threads/long-work.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import { levelNames, levels } from '../events/event.js';
import type { EventFilter } from '../events/event-filter.js';
import type { EventRange } from '../events/event-log.js';
import { mostAtOnce, mostWaitingAnswers, resultOf } from './answer-in-steps.js';
import type { OpsParts } from './ops-parts.js';
import { countParameter, timestampParameter } from './query-parameters.js';
import type { Route } from './route.js';

const rangeParameters = {
  count: countParameter(10),
  timestamp: timestampParameter,
  reverse: v.optional(v.picklist(['0', '1'], 'must be 0 or 1'), '1'),
};

const filterParameters = {
  level: v.optional(v.picklist(levelNames, `must be one of ${levelNames.join(', ')}`)),
  action: v.optional(
    v.pipe(v.string(), v.regex(/^\d{1,6}(,\d{1,6}){0,49}$/, 'must be up to 50 codes, separated by commas')),
  ),
  node: v.optional(limitedText(255)),
};

const filterSchema = v.object(filterParameters);

/** The filter of a query; undefined without its parameters. */
function filterOf({ level, action, node }: v.InferOutput<typeof filterSchema>): EventFilter | undefined {
  if (level === undefined && action === undefined && node === undefined) return undefined;
  return {
    leastLevel: level === undefined ? 0 : levels[level],
    actions: action?.split(',').map(Number),
    node,
  };
}

const eventQuery = closedObject({ ...rangeParameters, ...filterParameters });
const historyQuery = closedObject(rangeParameters);

/** The routes of the event log. */
export function eventRoutes({ events, clock }: OpsParts): readonly Route[] {
  const work = new LongWork(clock, mostWaitingAnswers);
  const list: Route<typeof eventQuery> = {
    method: 'GET',
    path: '/{cluster_id}/events',
    summary:
      'Events from a time on, newest first, or with reverse=0 oldest first; with level, action and node only those ' +
      'of this level or above, of these codes, of this node.',
    access: 'viewer',
    query: eventQuery,
    reply: v.array(eventReply),
    answer: ({ params, query, whenGone }) => {
      const clusterId = params['cluster_id'] ?? '';
      const filter = filterOf(query);
      if (filter === undefined && query.count <= mostAtOnce) return events.read(clusterId, rangeIn(query));
      return resultOf(work, events.search(clusterId, rangeIn(query), filter), whenGone);
    },
  };
  const history: Route<typeof historyQuery> = {
    method: 'GET',
    path: '/{cluster_id}/alerts/history',
    summary:
      'The events of alerts with the ids of alert and rule; count, timestamp and reverse as for events.',
    access: 'viewer',
    query: historyQuery,
    reply: v.array(alertEventReply),
    answer: ({ params, query, whenGone }) => {
      const steps = events.searchAlertEvents(params['cluster_id'] ?? '', rangeIn(query));
      return query.count <= mostAtOnce ? doSteps(steps) : resultOf(work, steps, whenGone);
    },
  };
  return [list, history];
}

function rangeIn({ count, timestamp, reverse }: v.InferOutput<typeof historyQuery>): EventRange {
  return { count, fromUs: timestamp, order: reverse === '1' ? 'backward' : 'forward' };
}
