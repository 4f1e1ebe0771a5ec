// Describes the kinds of alert rules.
import * as v from 'valibot';
import type { DescribedField } from '../../descriptions/described-field.js';
import type { DescribedRuleKind } from '../../descriptions/operations-kinds.js';
import { describeFields } from '../errors/describe-field.js';
import type { RuleFields, RuleKind } from './rule.js';
import { commonDefaults, commonFields } from './rule-fields.js';
import { ruleKinds } from './rules/registry.js';

/** The groups of fields in the order of forms; fields without a group are the last. */
const groups = ['subject', 'boundary', 'time', 'place'];

const { id: _id, type, ...fieldsOfAll } = commonFields;

/** All kinds, in the order of the registry. */
export const describedRuleKinds: readonly DescribedRuleKind[] = [...ruleKinds.values()].map(describeKind);

function describeKind(kind: RuleKind): DescribedRuleKind {
  const { label, help, condition, metric, needs } = kind;
  const isNeeded = (name: string) => name === 'type' || needs.includes(name);
  const defaults: Readonly<Record<string, unknown>> = { ...commonDefaults, ...kind.defaults };
  const all: RuleFields = { type, ...kind.fields, ...fieldsOfAll };
  const schemas = Object.entries(all).map(
    ([name, schema]) => [name, isNeeded(name) ? schema : v.optional(schema, defaults[name])] as const,
  );
  const fields = describeFields(Object.fromEntries(schemas));
  return {
    name: kind.type,
    label,
    help,
    condition,
    ...(metric === undefined ? {} : { isOfDistributions: metric.isDistribution }),
    fields: fields.toSorted((one, other) => placeOf(one) - placeOf(other)),
  };
}

function placeOf({ group }: DescribedField): number {
  return group === undefined ? groups.length : groups.indexOf(group);
}
