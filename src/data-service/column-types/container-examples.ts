// The examples of container types, made of those of their members.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ColumnType } from './column-type.js';

type Ends = readonly [low: JsonText, high: JsonText];

/** Examples of a list or a set; `accepts` writes those that are accepted from the lowest and the highest element. */
export function examplesOf(
  { examples }: ColumnType,
  accepts: (ends: Ends) => readonly JsonText[],
): ColumnType['examples'] {
  const [low, high] = endsOf(examples.accepts);
  const bad = examples.rejects[0] ?? 'null';
  return {
    accepts: accepts([low, high]),
    rejects: ['{}', '"[]"', '5', 'true', '[null]', `[${low},null]`, `[${low},${bad}]`, `[[${low}]]`],
  };
}

/** Examples of a map, in the form that its keys have. */
export function mapExamples(key: ColumnType, value: ColumnType): ColumnType['examples'] {
  const [low, high] = endsOf(value.examples.accepts);
  const bad = value.examples.rejects[0] ?? 'null';
  if (!key.traits.text) return pairExamples(key, [low, high], bad);
  return {
    accepts: [
      '{}',
      `{"a":${low}}`,
      `{"b":${high},"a":${low}}`,
      `{"a":${high}}`,
      `[["c",${high}],["b",${low}],["c",${low}]]`,
    ],
    rejects: [
      ...['[]', '"{}"', '5', 'true', '{"a":null}', `{"a":${bad}}`, `{"a":[${low}]}`, `[[null,${low}]]`],
      ...[`[["a",null]]`, `[["a"]]`, `[["a",${low},${low}]]`, `[[1,${low}]]`, '["a"]', `[{"a":${low}}]`],
    ],
  };
}

function pairExamples(key: ColumnType, [low, high]: Ends, bad: JsonText): ColumnType['examples'] {
  const [first, last] = endsOf(key.examples.accepts);
  const pair = (name: JsonText, part: JsonText) => `[${name},${part}]`;
  return {
    accepts: [
      '{}',
      `[${pair(first, low)}]`,
      `[${pair(first, low)},${pair(last, high)}]`,
      `[${pair(first, high)}]`,
      `[${pair(last, low)},${pair(last, high)}]`,
    ],
    rejects: [
      ...['[]', '"{}"', '5', 'true', `[${pair(first, bad)}]`, `[${pair('null', low)}]`, `[[${first}]]`],
      ...[`[${pair(first, 'null')}]`, `[${first}]`, `[[${first},${low},${low}]]`],
    ],
  };
}

/** The lowest and the highest, except numbers of 100,000 digits: several of these test nothing more. */
function endsOf(accepts: readonly JsonText[]): Ends {
  const ordinary = accepts.filter((example) => !/e[+-]?\d{5,}$/i.test(example));
  return [ordinary[0] ?? '', ordinary.at(-1) ?? ''];
}
