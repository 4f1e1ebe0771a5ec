// Random updates as clients write them: `$set`, `$unset`, and for lists, sets and maps `$push` and `$pullAll`.
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../src/data-service/column-types/containers.js';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { text } from '../../src/data-service/column-types/text.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import type { SeededRandom } from '../seeded-random.js';
import type { FilterColumn } from './random-filter.js';

const keys: readonly JsonText[] = ['"a"', '"b"', '"c"'];

/** A list, set or map of a type's values with values of its own: few, so that members meet. */
export function randomContainer(
  random: SeededRandom,
  part: ColumnType,
  values: readonly JsonText[],
  dialect: Dialect,
): Pick<FilterColumn, 'type' | 'values' | 'parts'> {
  const some = (from: readonly JsonText[]) => random.some(from, random.below(from.length + 1));
  const literals = (make: () => JsonText) => Array.from({ length: 4 }, make);
  if (dialect === 'extended' && random.chance(0.2)) {
    // Keys of the same type: values that are equal would be one key.
    const pairs = values.map((key) => `[${key},${random.pick(values)}]`);
    const literal = () => {
      const entries = some(pairs);
      return entries.length === 0 ? '{}' : `[${entries.join(',')}]`;
    };
    return {
      type: mapOf(part, part),
      values: literals(literal),
      parts: { members: pairs, pairs, names: values, values },
    };
  }
  if (random.chance(0.4)) {
    const entry = (key: JsonText) => [key, random.pick(values)] as const;
    const entries = [...keys, ...keys].map(entry);
    return {
      type: mapOf(text, part),
      values: literals(
        () =>
          `{${some(keys)
            .map((key) => entry(key).join(':'))
            .join(',')}}`,
      ),
      parts: {
        members: entries.map(([key, value]) => `{${key}:${value}}`),
        pairs: entries.map(([key, value]) => `[${key},${value}]`),
        names: keys,
        values,
      },
    };
  }
  const type = random.chance(0.5) ? listOf(part) : setOf(part);
  const repeated = [...values, ...values];
  return {
    type,
    values: literals(() => `[${some(repeated).join(',')}]`),
    parts: { members: values, pairs: [], names: values, values: [] },
  };
}

/** An update clause for these columns, each of them once. */
export function randomUpdate(random: SeededRandom, columns: readonly FilterColumn[]): JsonText {
  const operators = new Map<string, JsonText[]>();
  for (const column of columns) {
    const { operator, operand } = randomChange(random, column);
    const members = operators.get(operator) ?? [];
    members.push(`${JSON.stringify(column.name)}:${operand}`);
    operators.set(operator, members);
  }
  return `{${[...operators].map(([operator, members]) => `"${operator}":{${members.join(',')}}`).join(',')}}`;
}

function randomChange(
  random: SeededRandom,
  { values, parts }: FilterColumn,
): { readonly operator: string; readonly operand: JsonText } {
  const dice = random.below(parts === undefined ? 4 : 10);
  if (dice === 0) return { operator: '$unset', operand: '""' };
  if (dice === 1) return { operator: '$set', operand: 'null' };
  if (parts === undefined || dice < 4) return { operator: '$set', operand: random.pick(values) };
  const written = [...parts.members, ...parts.pairs];
  const several = (from: readonly JsonText[]) =>
    `[${Array.from({ length: random.below(4) }, () => random.pick(from)).join(',')}]`;
  if (dice < 6) return { operator: '$push', operand: random.pick(written) };
  if (dice < 8) return { operator: '$push', operand: `{"$each":${several(written)}}` };
  return { operator: '$pullAll', operand: several(parts.names) };
}
