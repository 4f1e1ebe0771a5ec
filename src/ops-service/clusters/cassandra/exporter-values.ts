// Computes the values of metric keys from the samples of a node's exporter, by recipes.

import { isSystemKeyspace } from '../../../foundation/cassandra/system-keyspaces.js';
import type { ExposedSample } from '../../../foundation/exposition/parse-exposition.js';
import { getOrMake } from '../../../foundation/get-or-make.js';
import type { ValueReading } from '../cluster.js';
import { RisingCounts } from './rising-counts.js';

/** Selects samples. */
export interface Choice {
  /**
   * The name of the samples, in lower case. If it has a blank, the part behind the blank is the value of the label
   * `name`, by which a JMX exporter distinguishes beans.
   */
  readonly id: string;
  /** The accepted values of each label, in lower case. */
  readonly where?: Readonly<Record<string, readonly string[]>>;
  /** The labels that contain the table or device of a value; absent if the value is about the node. */
  readonly table?: readonly [keyspace: string, table: string];
  readonly device?: string;
  /** Devices that are omitted. */
  readonly except?: readonly string[];
}

/** How a value is computed for each place. Samples of one place are added, also those of several choices. */
export type Recipe =
  /** The formula of present values. A place that is missing in one of the choices has no value. */
  | { readonly now: readonly Choice[]; readonly formula: (...values: readonly number[]) => number }
  /** The increase since the last reading, per second or per increase of `per`, times a factor. */
  | { readonly came: readonly Choice[]; readonly per?: readonly Choice[]; readonly factor: number };

/** Key → recipes; the first one with samples is used. */
export type RecipesOfKeys = ReadonlyMap<string, readonly Recipe[]>;

/** The computed values. */
export interface ExporterValues {
  readonly readings: readonly ValueReading[];
  /** The keys that this exporter provides, including those whose first value needs a second reading. */
  readonly keys: ReadonlySet<string>;
}

type Values = ReadonlyMap<string, number>;

/** The names, in lower case, that the recipes use. */
export function namesOf(recipes: RecipesOfKeys): ReadonlySet<string> {
  const choices = [...recipes.values()].flat().flatMap(choicesOf);
  return new Set(choices.map(({ id }) => id.split(' ')[0] ?? ''));
}

/** Computes the values of one node from consecutive texts: counts become rates between two of them. */
export class ExporterReader {
  readonly #recipes: RecipesOfKeys;
  readonly #counts = new RisingCounts();

  constructor(recipes: RecipesOfKeys) {
    this.#recipes = recipes;
  }

  /** `generation` changes when the node has restarted and counts from zero. */
  read(
    samples: readonly ExposedSample[],
    node: { readonly address: string; readonly generation: number },
    monotonicMs: number,
  ): ExporterValues {
    const byId = indexed(samples);
    const readings: ValueReading[] = [];
    const keys = new Set<string>();
    this.#counts.begin(node.generation, monotonicMs);
    for (const [key, recipes] of this.#recipes) {
      const recipe = recipes.find((one) => choicesOf(one).some((choice) => valuesOf(byId, choice).size > 0));
      const values = recipe === undefined ? undefined : this.#evaluate(key, recipe, byId);
      if (recipe === undefined || values === undefined) continue;
      keys.add(key);
      for (const [place, value] of values) {
        // Java returns -1 for an undefined maximum.
        if (!Number.isFinite(value) || value < 0) continue;
        readings.push({ node: node.address, key, value, ...placeIn(recipe, place) });
      }
    }
    return { readings, keys };
  }

  /** Returns undefined when the exporter lacks some of the samples. */
  #evaluate(key: string, recipe: Recipe, byId: Samples): Values | undefined {
    if ('now' in recipe) return evaluated(recipe, byId);
    const { came, per, factor } = recipe;
    const [sums, counts] = [added(byId, came), per === undefined ? undefined : added(byId, per)];
    if (sums.size === 0 || counts?.size === 0) return undefined;
    const sum = this.#counts.since(`${key} came`, sums);
    if (counts === undefined) {
      if (sum === undefined) return noValues;
      return new Map([...sum.counts].map(([place, count]) => [place, (factor * count) / sum.seconds]));
    }
    const each = this.#counts.since(`${key} per`, counts);
    if (sum === undefined || each === undefined) return noValues;
    const means = new Map<string, number>();
    for (const [place, count] of each.counts) {
      if (count > 0) means.set(place, (factor * (sum.counts.get(place) ?? Number.NaN)) / count);
    }
    return means;
  }
}

type Samples = ReadonlyMap<string, readonly ExposedSample[]>;

const noValues: Values = new Map();

/** Samples by id, without NaN. */
function indexed(samples: readonly ExposedSample[]): Samples {
  const byId = new Map<string, ExposedSample[]>();
  for (const sample of samples) {
    if (!Number.isFinite(sample.value)) continue;
    const { name, labels } = sample;
    const id = (labels['name'] === undefined ? name : `${name} ${labels['name']}`).toLowerCase();
    getOrMake(byId, id, (): ExposedSample[] => []).push(sample);
  }
  return byId;
}

function choicesOf(recipe: Recipe): readonly Choice[] {
  return 'now' in recipe ? recipe.now : [...recipe.came, ...(recipe.per ?? [])];
}

/** The selected values by place: `keyspace.table`, a device, or the empty text for the node. */
function valuesOf(byId: Samples, choice: Choice): Values {
  const values = new Map<string, number>();
  for (const { labels, value } of byId.get(choice.id) ?? []) {
    const isMeant = Object.entries(choice.where ?? {}).every(([label, wanted]) =>
      wanted.includes(labels[label]?.toLowerCase() ?? ''),
    );
    const place = isMeant ? placeOf(choice, labels) : undefined;
    if (place !== undefined) values.set(place, (values.get(place) ?? 0) + value);
  }
  return values;
}

function added(byId: Samples, choices: readonly Choice[]): Values {
  const [first = noValues, ...rest] = choices.map((choice) => valuesOf(byId, choice));
  const sums = new Map(first);
  for (const values of rest)
    for (const [place, value] of values) sums.set(place, (sums.get(place) ?? 0) + value);
  return sums;
}

function evaluated({ now, formula }: Extract<Recipe, { now: unknown }>, byId: Samples): Values | undefined {
  const [first = noValues, ...rest] = now.map((choice) => valuesOf(byId, choice));
  const values = new Map<string, number>();
  for (const [place, value] of first) {
    const others = rest.map((other) => other.get(place));
    if (others.every((other) => other !== undefined)) values.set(place, formula(value, ...others));
  }
  return values.size === 0 ? undefined : values;
}

/** Undefined for a sample that lacks the labels, or is about a system table of Cassandra. */
function placeOf({ table, device, except }: Choice, labels: ExposedSample['labels']): string | undefined {
  if (device !== undefined)
    return except?.includes(labels[device] ?? '') === true ? undefined : labels[device];
  if (table === undefined) return '';
  const [keyspace, name] = [labels[table[0]], labels[table[1]]];
  if (keyspace === undefined || name === undefined || isSystemKeyspace(keyspace)) return undefined;
  return `${keyspace}.${name}`;
}

function placeIn(recipe: Recipe, place: string): { readonly table?: string; readonly device?: string } {
  const [choice] = choicesOf(recipe);
  if (choice?.table !== undefined) return { table: place };
  return choice?.device === undefined ? {} : { device: place };
}
