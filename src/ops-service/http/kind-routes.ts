// The route of the kinds of things: what forms, documents and assistants need to know of them.
import * as v from 'valibot';
import type { DescribedKinds } from '../../descriptions/operations-kinds.js';
import { describedRuleKinds } from '../alerts/describe-rules.js';
import { nodeActions } from '../clusters/cluster.js';
import { eventKinds, levelNames } from '../events/event.js';
import { metricGroups } from '../metrics/metric-keys.js';
import { describedChannelKinds } from '../notifications/describe-channels.js';
import type { Route } from './route.js';

const kindSchema = v.looseObject({
  name: v.string(),
  fields: v.array(v.looseObject({ name: v.string(), label: v.string(), kind: v.string() })),
});

/** `src/descriptions/operations-kinds.ts` has the whole form. */
const kindsSchema = v.strictObject({
  levels: v.array(v.string()),
  events: v.array(v.looseObject({ code: v.number(), label: v.string() })),
  actions: v.array(v.strictObject({ name: v.string(), label: v.string() })),
  metricGroups: v.array(v.string()),
  rules: v.array(kindSchema),
  channels: v.array(kindSchema),
});

/** A test notice is never in the log. */
const { channelTested: _, ...loggedKinds } = eventKinds;

/** They are the same for the whole life of the process. */
const kinds: DescribedKinds = {
  levels: levelNames,
  events: Object.values(loggedKinds),
  actions: Object.entries(nodeActions).map(([name, { label }]) => ({ name, label })),
  metricGroups,
  rules: describedRuleKinds,
  channels: describedChannelKinds,
};

/** The route of the kinds. */
export function kindRoutes(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/console/kinds',
      summary: 'The kinds of rules, channels, events and actions, with the fields of each.',
      access: 'open',
      reply: kindsSchema,
      answer: () => kinds,
    },
  ];
}
