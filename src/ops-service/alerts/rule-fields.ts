// The fields of alert rules: what each may hold. Which kind takes which is said by the kinds.
import * as v from 'valibot';
import { namedValues } from '../errors/named-values.js';
import { levels } from '../events/event.js';
import { findMetricKey } from '../metrics/metric-keys.js';
import type { RuleField } from './rule.js';

/** A year: longer conditions are mistakes. */
const longestMinutes = 525_600;
/** A day: the samples of a window are kept in memory. */
const longestWindowMinutes = 1440;
const longestText = 1024;
/** Of all annotations together: rules are many, and listed at once. */
const longestAnnotations = 8192;

function minutes(most: number) {
  return v.pipe(
    v.number('must be a number of minutes'),
    v.minValue(0, 'must not be negative'),
    v.maxValue(most, `must be at most ${most} minutes`),
  );
}

const text = v.pipe(
  v.string('must be text'),
  v.nonEmpty('must not be empty'),
  v.maxLength(longestText, `must have at most ${longestText} characters`),
);

const annotation = v.pipe(
  v.string('must be text'),
  v.maxLength(longestText, `must have at most ${longestText} characters`),
);

const annotationName = v.pipe(text, v.maxLength(128, 'must have names of at most 128 characters'));

const number = v.pipe(v.number('must be a number'), v.finite('must be a finite number'));

const tableName = v.pipe(text, v.regex(/^[^.\s]+\.[^.\s]+$/, 'must be a table as keyspace.table'));

const metricName = v.pipe(
  text,
  v.check(
    (name) => findMetricKey(name) !== undefined,
    ({ input }) => `there is no metric "${input}"; GET /metric-keys lists them`,
  ),
);

function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(values, `must be one of ${values.join(', ')}`);
}

/** What each field may hold, in the order in which replies show them. */
export const ruleFields = {
  id: text,
  type: oneOf(['rolling-avg', 'percentile', 'cluster-balance', 'node-down', 'agent-issue']),
  metric: metricName,
  threshold: number,
  comparator: oneOf(['<', '>']),
  duration: minutes(longestMinutes),
  notify_interval: minutes(longestMinutes),
  enabled: v.picklist([0, 1], 'must be 0 or 1'),
  cf: tableName,
  item: text,
  dc: text,
  resolve_threshold: number,
  no_data: oneOf(['keep', 'ok', 'alert']),
  level: oneOf(Object.keys(levels) as (keyof typeof levels)[]),
  percentile: v.picklist([50, 90, 99, 100], 'must be one of 50, 90, 99, 100'),
  window: minutes(longestWindowMinutes),
  spread: v.pipe(number, v.minValue(0, 'must not be negative')),
  annotations: v.pipe(
    namedValues(annotationName, annotation, 64),
    v.check(
      (texts) => Object.entries(texts).flat().join('').length <= longestAnnotations,
      `must have at most ${longestAnnotations} characters together`,
    ),
  ),
} satisfies Record<RuleField, v.GenericSchema>;

/** Fields of every kind, beside `id`. */
export const commonFields: readonly RuleField[] = [
  'type',
  'duration',
  'notify_interval',
  'enabled',
  'dc',
  'no_data',
  'level',
  'annotations',
];

/** Values of common fields that were not given. */
export const commonDefaults: Readonly<Partial<Record<RuleField, unknown>>> = {
  duration: 1,
  notify_interval: 0,
  enabled: 1,
  no_data: 'keep',
  level: 'WARN',
};

/** Fields that replies write with a decimal point. */
export const decimalFields: readonly RuleField[] = [
  'threshold',
  'duration',
  'notify_interval',
  'resolve_threshold',
  'window',
  'spread',
];
