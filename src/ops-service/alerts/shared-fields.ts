// Fields that several kinds of alert rules have, and their values.
import * as v from 'valibot';
import { labelled } from '../errors/describe-field.js';
import { findMetricKey } from '../metrics/metric-keys.js';

/** A day: the samples of a window are kept in memory. */
const longestWindowMinutes = 1440;
const longestText = 1024;

/** A number of minutes from 0 to `most`. */
export function minutes(most: number) {
  return v.pipe(
    v.number('must be a number of minutes'),
    v.minValue(0, 'must not be negative'),
    v.maxValue(most, `must be at most ${most} minutes`),
  );
}

/** Text that is not empty. */
export const text = v.pipe(
  v.string('must be text'),
  v.nonEmpty('must not be empty'),
  v.maxLength(longestText, `must have at most ${longestText} characters`),
);

export const finiteNumber = v.pipe(v.number('must be a number'), v.finite('must be a finite number'));

const tableName = v.pipe(text, v.regex(/^[^.\s]+\.[^.\s]+$/, 'must be a table as keyspace.table'));

const metricName = v.pipe(
  text,
  v.check(
    (name) => findMetricKey(name) !== undefined,
    ({ input }) => `there is no metric "${input}"; GET /metric-keys lists them`,
  ),
);

/** One of some texts. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.picklist(values, `must be one of ${values.join(', ')}`);
}

/** Fields of several kinds, but not of all. */
export const sharedFields = {
  metric: labelled(metricName, 'Metric', {
    help: 'a key of a metric, or an alias',
    isMetric: true,
    start: 'write-ops',
    group: 'subject',
  }),
  comparator: labelled(oneOf(['<', '>']), 'When it is', {
    help: 'on which side of the threshold the value must be',
    choices: [
      ['>', 'above'],
      ['<', 'below'],
    ],
    group: 'boundary',
  }),
  threshold: labelled(finiteNumber, 'Threshold', {
    help: 'a value that equals it does not fire the alert',
    group: 'boundary',
  }),
  resolve_threshold: labelled(finiteNumber, 'Clears past', {
    help: 'an alert clears only past this value',
    group: 'boundary',
  }),
  cf: labelled(tableName, 'Table', {
    help: 'the only table that is evaluated; without it, each table is evaluated separately',
    group: 'place',
  }),
  item: labelled(text, 'Device', {
    help: 'the only device that is evaluated; without it, each device is evaluated separately',
    group: 'place',
  }),
  window: labelled(minutes(longestWindowMinutes), 'Window', {
    help: 'minutes whose samples make one value; by default the smaller of `duration` and 1',
    isForPrograms: true,
  }),
} as const;
