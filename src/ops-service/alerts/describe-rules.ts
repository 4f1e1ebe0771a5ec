// Describes the kinds of alert rules, and puts the condition of a rule into words.
import * as v from 'valibot';
import type { DescribedField } from '../../foundation/described-field.js';
import { describeField, describeFields } from '../errors/describe-field.js';
import type { Rule, RuleFields, RuleKind } from './rule.js';
import { commonDefaults, commonFields } from './rule-fields.js';
import { kindOf, ruleKinds } from './rules/registry.js';

/** A kind of rule as forms and documents show it. */
export interface DescribedRuleKind {
  readonly name: string;
  readonly label: string;
  /** When it fires, with names of fields as code. */
  readonly help: string;
  /** The words of a rule: `{metric} {comparator} {threshold}`, with the names of fields. */
  readonly condition: string;
  /** Whether the metrics that it compares are distributions; absent if it compares none. */
  readonly isOfDistributions?: boolean;
  /** Its fields without `id`, in the order of forms; `type` is the first. */
  readonly fields: readonly DescribedField[];
}

/** The groups of fields in the order of forms; fields without a group are the last. */
const groups = ['subject', 'boundary', 'time', 'place'];

const { id: _id, type, ...fieldsOfAll } = commonFields;

/** All kinds, in the order of the registry. */
export const describedRuleKinds: readonly DescribedRuleKind[] = [...ruleKinds.values()].map(describeKind);

/** The condition of a rule in words, without its duration and places: `write-ops above 500`. */
export function conditionText(rule: Rule): string {
  const { condition, fields } = kindOf(rule);
  const values = new Map<string, unknown>(Object.entries(rule));
  return condition.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    const field = fields[name];
    const described = field === undefined ? undefined : describeField(name, field.schema);
    const choice = described?.choices?.find((one) => one.value === value);
    return choice?.word ?? choice?.label ?? String(value);
  });
}

function describeKind(kind: RuleKind): DescribedRuleKind {
  const { label, help, condition, metric, needs } = kind;
  const isNeeded = (name: string) => name === 'type' || needs.includes(name);
  const defaults: Readonly<Record<string, unknown>> = { ...commonDefaults, ...kind.defaults };
  const all: RuleFields = { type, ...kind.fields, ...fieldsOfAll };
  const schemas = Object.entries(all).map(
    ([name, { schema }]) => [name, isNeeded(name) ? schema : v.optional(schema, defaults[name])] as const,
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
