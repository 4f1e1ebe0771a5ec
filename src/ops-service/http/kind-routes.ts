// The route of the kinds of things: what forms, documents and assistants need to know of them.
import * as v from 'valibot';
import type { DescribedKinds } from '../../descriptions/operations-kinds.js';
import { describedRuleKinds } from '../alerts/describe-rules.js';
import { nodeActions } from '../clusters/cluster.js';
import { eventKinds, levelNames } from '../events/event.js';
import { metricGroups } from '../metrics/metric-keys.js';
import { describedChannelKinds } from '../notifications/describe-channels.js';
import type { Route } from './route.js';

const value = v.union([v.string(), v.number()]);

const choiceSchema = v.strictObject({ value, label: v.string(), word: v.optional(v.string()) });

const fieldSchema = v.strictObject({
  name: v.string(),
  label: v.string(),
  kind: v.picklist(['text', 'number', 'choice', 'choices', 'flag', 'list', 'pairs', 'metric']),
  isRequired: v.boolean(),
  help: v.optional(v.string()),
  remark: v.string(),
  start: value,
  default: v.optional(value),
  choices: v.optional(v.array(choiceSchema)),
  example: v.optional(v.string()),
  group: v.optional(v.string()),
  isFixed: v.optional(v.boolean()),
  isSecret: v.optional(v.boolean()),
  isForPrograms: v.optional(v.boolean()),
  least: v.optional(v.number()),
  most: v.optional(v.number()),
  mostCharacters: v.optional(v.number()),
  mostEntries: v.optional(v.number()),
});

const kindsSchema = v.strictObject({
  levels: v.array(v.string()),
  events: v.array(v.strictObject({ code: v.number(), label: v.string(), help: v.optional(v.string()) })),
  actions: v.array(v.strictObject({ name: v.string(), label: v.string() })),
  metricGroups: v.array(v.string()),
  rules: v.array(
    v.strictObject({
      name: v.string(),
      label: v.string(),
      help: v.string(),
      condition: v.string(),
      isOfDistributions: v.optional(v.boolean()),
      fields: v.array(fieldSchema),
    }),
  ),
  channels: v.array(v.strictObject({ name: v.string(), fields: v.array(fieldSchema) })),
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
