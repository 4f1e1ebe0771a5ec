// Metric keys in groups, with what they measure in words, for the places where one is chosen.
import type { OpsMetricKey } from '../../src/descriptions/operations-replies.js';
import type { Choice } from '../parts/field.js';
import { unitText } from './show-values.js';

/** What a key measures, with its unit: `write requests, per second`. */
export function metricText({ label, unit }: Pick<OpsMetricKey, 'label' | 'unit'>): string {
  const named = unit === 'bytes' || unit === 'bytes/s' || unit === 'MiB' ? unit : unitText(unit);
  return named === '' ? label : `${label}, ${named}`;
}

/** The keys as choices, in the order of the groups. In each group, keys without values are the last. */
export function metricChoices(keys: readonly OpsMetricKey[], groups: readonly string[]): readonly Choice[] {
  const placeOf = ({ group, available }: OpsMetricKey) => groups.indexOf(group) * 2 + (available ? 0 : 1);
  return keys
    .filter(({ alias_of: alias }) => alias === undefined)
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((metric) => ({
      value: metric.key,
      label: `${metric.key}${metric.available ? '' : ', unavailable'}: ${metricText(metric)}`,
      group: metric.group,
    }));
}
