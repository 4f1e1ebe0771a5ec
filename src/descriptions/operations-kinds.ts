// The kinds of things of the operations service, in the form of `GET /console/kinds`, and the words of rules.
import type { DescribedField } from './described-field.js';

export interface DescribedChannelKind {
  readonly name: string;
  /** In the order of forms; `type` is the first. */
  readonly fields: readonly DescribedField[];
}

/** A kind of alert rule. */
export interface DescribedRuleKind extends DescribedChannelKind {
  readonly label: string;
  /** When it fires, with names of fields as code. */
  readonly help: string;
  /** The condition of a rule: `{metric} {comparator} {threshold}`, with the names of fields. */
  readonly condition: string;
  /** Whether the metrics that it compares are distributions; absent if it compares none. */
  readonly isOfDistributions?: boolean;
}

export interface DescribedEventKind {
  /** The number in the log. Those below 1000 are from the specification; the others are specific to this server. */
  readonly code: number;
  readonly label: string;
  /** What the label does not say, for documents. */
  readonly help?: string;
}

export interface DescribedKinds {
  /** The names of levels, least severe first; the number of a level is its place. */
  readonly levels: readonly string[];
  /** Only those that the log can have. */
  readonly events: readonly DescribedEventKind[];
  readonly actions: readonly { readonly name: string; readonly label: string }[];
  /** The groups of metric keys, in the order of lists. */
  readonly metricGroups: readonly string[];
  readonly rules: readonly DescribedRuleKind[];
  readonly channels: readonly DescribedChannelKind[];
}

/** The condition of a rule in words, without its duration and places: `P99 of write-histogram above 20`. */
export function conditionText({ condition, fields }: DescribedRuleKind, rule: object): string {
  const values = new Map<string, unknown>(Object.entries(rule));
  return condition.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    const choices = fields.find((field) => field.name === name)?.choices;
    const choice = choices?.find((one) => one.value === value);
    return choice?.word ?? choice?.label ?? String(value);
  });
}
