// The fields of alert rules: the common fields, and the table of all fields.
import * as v from 'valibot';
import { labelled } from '../errors/describe-field.js';
import { namedValues } from '../errors/named-values.js';
import { levelNames } from '../events/event.js';
import type { RuleFields } from './rule.js';
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

const kinds = [...ruleKinds.values()];

/** The fields of every kind. */
export const commonFields = {
  id: text,
  type: labelled(oneOf([...ruleKinds.keys()]), 'Fires on', {
    choices: kinds.map((kind) => [kind.type, kind.label] as const),
    isFixed: true,
    group: 'subject',
  }),
  duration: labelled(minutes(longestMinutes), 'For minutes', {
    help: 'minutes for which the condition must be true at every sample; 0 fires at the first',
    start: 5,
    group: 'time',
  }),
  notify_interval: labelled(minutes(longestMinutes), 'Repeat', {
    help: 'minutes between repeated notices; 0 sends one',
    remark: '(min, 0: never)',
    group: 'time',
  }),
  level: labelled(oneOf(levelNames), 'Level', { help: 'the level of the event', group: 'time' }),
  dc: labelled(text, 'Data center', { help: 'only nodes of this data center', group: 'place' }),
  no_data: labelled(oneOf(['keep', 'ok', 'alert']), 'Missing values', {
    help: 'the effect of missing values: `keep` changes nothing, `ok` clears the alert, `alert` fires one',
    choices: [
      ['keep', 'change nothing'],
      ['ok', 'clear the alert'],
      ['alert', 'fire an alert'],
    ],
    group: 'place',
  }),
  enabled: labelled(v.picklist([0, 1], 'must be 0 or 1'), 'Enabled', {
    help: '1, or 0 for a rule that fires nothing',
    isForPrograms: true,
  }),
  annotations: labelled(annotations, 'Annotations', {
    help: 'texts in every notice, such as what to do',
  }),
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

/**
 * The fields of all kinds, in the order of replies: the own fields of kinds that compare a metric are before `window`,
 * those of the other kinds after it.
 */
export const ruleFields: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  ...Object.entries({ id, type, metric, threshold, comparator, duration, notify_interval, enabled }),
  ...Object.entries({ cf, item, dc, resolve_threshold, no_data, level }),
  ...kinds.flatMap(({ metric, fields }) => (metric === undefined ? [] : ownFields(fields))),
  ['window', window],
  ...kinds.flatMap(({ metric, fields }) => (metric === undefined ? ownFields(fields) : [])),
  ['annotations', commonFields.annotations],
]);

function ownFields(fields: RuleFields): readonly (readonly [string, v.GenericSchema])[] {
  return Object.entries(fields).filter(([name]) => !Object.hasOwn(sharedFields, name));
}
