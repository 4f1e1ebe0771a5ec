// The fields of alert rules: the common fields, and the table of all fields.
import * as v from 'valibot';
import { namedValues } from '../errors/named-values.js';
import { levels } from '../events/event.js';
import type { RuleField, RuleFields } from './rule.js';
import { ruleKinds } from './rules/registry.js';
import { minutes, oneOf, sharedFields, text } from './shared-fields.js';

/** A year: longer conditions are mistakes. */
const longestMinutes = 525_600;
const longestAnnotation = 1024;
/** The characters of all annotations of a rule together: rules are numerous, and are listed together. */
const longestAnnotations = 8192;

const annotation = v.pipe(
  v.string('must be text'),
  v.maxLength(longestAnnotation, `must have at most ${longestAnnotation} characters`),
);

const annotationName = v.pipe(text, v.maxLength(128, 'must have names of at most 128 characters'));

const annotations = v.pipe(
  namedValues(annotationName, annotation, 64),
  v.check(
    (texts) => Object.entries(texts).flat().join('').length <= longestAnnotations,
    `must have at most ${longestAnnotations} characters together`,
  ),
);

/** The fields of every kind. */
export const commonFields = {
  id: { schema: text },
  type: { schema: oneOf([...ruleKinds.keys()]) },
  duration: { schema: minutes(longestMinutes), isDecimal: true },
  notify_interval: { schema: minutes(longestMinutes), isDecimal: true },
  enabled: { schema: v.picklist([0, 1], 'must be 0 or 1') },
  dc: { schema: text },
  no_data: { schema: oneOf(['keep', 'ok', 'alert']) },
  level: { schema: oneOf(Object.keys(levels) as (keyof typeof levels)[]) },
  annotations: { schema: annotations },
} as const satisfies RuleFields;

/** Defaults of the common fields. */
export const commonDefaults: Readonly<Partial<Record<keyof typeof commonFields, unknown>>> = {
  duration: 1,
  notify_interval: 0,
  enabled: 1,
  no_data: 'keep',
  level: 'WARN',
};

const { id, type, duration, notify_interval, enabled, dc, no_data, level } = commonFields;
const { metric, threshold, comparator, cf, item, resolve_threshold, window } = sharedFields;

const kinds = [...ruleKinds.values()];

/**
 * The fields of all kinds, in the order of replies: the own fields of kinds that compare a metric are before `window`,
 * those of the other kinds after it.
 */
export const ruleFields: ReadonlyMap<string, RuleField> = new Map<string, RuleField>([
  ...Object.entries({ id, type, metric, threshold, comparator, duration, notify_interval, enabled }),
  ...Object.entries({ cf, item, dc, resolve_threshold, no_data, level }),
  ...kinds.flatMap(({ metric, fields }) => (metric === undefined ? [] : ownFields(fields))),
  ['window', window],
  ...kinds.flatMap(({ metric, fields }) => (metric === undefined ? ownFields(fields) : [])),
  ['annotations', commonFields.annotations],
]);

function ownFields(fields: RuleFields): readonly (readonly [string, RuleField])[] {
  return Object.entries(fields).filter(([name]) => !Object.hasOwn(sharedFields, name));
}
