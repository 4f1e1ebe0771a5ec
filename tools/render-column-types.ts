// Renders the reference of column types from their registry.
import type { ColumnType } from '../src/data-service/column-types/column-type.js';
import { columnTypes } from '../src/data-service/column-types/registry.js';
import type { JsonText } from '../src/foundation/json/json-value.js';
import { parseJson } from '../src/foundation/json/parse-json.js';
import { renderTable } from './render-table.js';

/** The text below the title of docs/column-types.md. */
export function renderColumnTypes(): string {
  const rows = columnTypes.map(({ name, help, traits }) => [
    `[\`${name}\`](#${name})`,
    help,
    traits.creatable ? 'yes' : 'no',
    traits.key ? 'yes' : 'no',
    traits.range ? 'yes' : 'no',
  ]);
  const overview = renderTable(
    ['type', 'values', 'in createTable', 'in a primary key', '`$gt $gte $lt $lte`'],
    rows,
  );
  return `${introduction}\n${overview}\n${columnTypes.map(renderType).join('\n')}`;
}

const introduction = `Types that createTable does not take are those of tables made by other means: they can be read.
\`null\` is no value of any type: writing it takes the column's value away, and rows are returned without it.
`;

const shownExamples = 8;
const shownLength = 44;
const limits = { maxDepth: 20, maxNumberLength: 100 };

function renderType(type: ColumnType): string {
  const visible = type.examples.accepts.filter((literal) => {
    const text = returned(type, literal);
    return text.length <= shownLength && /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(text);
  });
  const rows = someOf(visible).map((literal) => [`\`${literal}\``, `\`${returned(type, literal)}\``]);
  const rejected = someOf(type.examples.rejects).map((literal) => `\`${literal}\``);
  return (
    `## ${type.name}\n\n${type.help[0]?.toUpperCase()}${type.help.slice(1)}.\n\n` +
    `${renderTable(['accepted, ascending', 'returned'], rows)}\nRefused: ${rejected.join(' · ')}\n`
  );
}

function returned(type: ColumnType, literal: JsonText): JsonText {
  return type.serialize(type.parse(parseJson(literal, limits)));
}

/** Short ones that can be seen, from the first to the last. */
function someOf(literals: readonly JsonText[]): readonly JsonText[] {
  const short = literals.filter((literal) => literal.length <= shownLength && !literal.includes('`'));
  if (short.length <= shownExamples) return short;
  const step = (short.length - 1) / (shownExamples - 1);
  return Array.from({ length: shownExamples }, (_, place) => short[Math.round(place * step)] ?? '');
}
