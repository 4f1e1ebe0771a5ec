// Renders the reference of column types from their registry.

import { boolean } from '../src/data-service/column-types/boolean.js';
import type { ColumnType } from '../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../src/data-service/column-types/containers.js';
import { int } from '../src/data-service/column-types/integers.js';
import { columnTypes } from '../src/data-service/column-types/registry.js';
import { text } from '../src/data-service/column-types/text.js';
import { maxDimension, vectorOf } from '../src/data-service/column-types/vector.js';
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
  const containers = [listOf(boolean), setOf(int), mapOf(text, int)].map(renderWithDefinition);
  const sections = [
    ...columnTypes.map((type) => renderType(type)),
    containersIntroduction,
    ...containers,
    vectorsIntroduction,
    renderWithDefinition(vectorOf(2)),
  ];
  return `${introduction}\n${overview}\n${sections.join('\n')}`;
}

const introduction = `Columns of the types that createTable does not support are created with
[native queries](native-queries.md).
\`null\` means no value for every type: writing it removes the value of the column, and rows are returned without
the column.
`;

const containersIntroduction = `## Lists, sets and maps

\`list<…>\`, \`set<…>\` and \`map<text,…>\` or \`map<ascii,…>\` hold any number of values of one type that createTable
supports; a set cannot hold durations. They cannot be in a primary key, a filter or a sort. An empty list, set or map
is the same as no value: rows are returned without the column. \`$push\` in updateOne adds an element or entry, or
several with \`$each\`. \`$pullAll\` removes all elements that equal one of the given elements, or the entries with
the given keys.
`;

const vectorsIntroduction = `## Vectors

\`{"type":"vector","dimension":3}\` holds vectors of three 32-bit floats. The dimension is from 1 to
${maxDimension}. A table can have several vector columns, each with its own dimension. They cannot be
in a primary key or a filter. Replies always have an array of numbers, each written as the shortest text that reads
back as the same float.
`;

const shownExamples = 8;
const shownLength = 44;
const limits = { maxDepth: 20, maxNumberLength: 100 };

function renderWithDefinition(type: ColumnType): string {
  return `${renderType(type, `\`${type.name}\``)}\nDefinition: \`${type.definition}\`\n`;
}

function renderType(type: ColumnType, heading: string = type.name): string {
  const visible = type.examples.accepts.filter((literal) => {
    const text = returned(type, literal);
    return text.length <= shownLength && /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(text);
  });
  const rows = someOf(visible).map((literal) => [`\`${literal}\``, `\`${returned(type, literal)}\``]);
  const rejected = someOf(type.examples.rejects).map((literal) => `\`${literal}\``);
  return (
    `## ${heading}\n\n${type.help[0]?.toUpperCase()}${type.help.slice(1)}.\n\n` +
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
