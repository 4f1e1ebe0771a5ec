// A value in a cell of the grid, in one line: drawn by the type of its column, with all digits of its numbers.

import { shortened } from '../../src/foundation/text/shorten-text.js';
import { isNumber, isObject, type Json, plainText, writeJson } from '../json/exact-json.js';
import { vectorNumbers } from './vector-numbers.js';

/** How a column is drawn. In documents `{"$date":…}` and its kin are values, in a map of a table its keys. */
export type CellKind = 'vector' | 'document' | 'binary' | 'column';

const longestText = 300;
/** The numbers of a vector that are shown. */
const shownNumbers = 4;

/** Shows a value; missing ones stay empty. */
export function Cell({ value, kind }: { readonly value: Json | undefined; readonly kind: CellKind }) {
  if (value === undefined) return null;
  if (value === null) return <span class="cell-null">null</span>;
  if (typeof value === 'boolean') return <span class="cell-word">{String(value)}</span>;
  if (isNumber(value)) return <span class="cell-number">{String(value)}</span>;
  if (value === '') return <span class="cell-null">""</span>;
  if (typeof value === 'string')
    return (
      <span class="cell-text" dir="auto">
        {lineOf(value)}
      </span>
    );
  const numbers = kind === 'vector' ? vectorNumbers(value) : undefined;
  if (numbers !== undefined) return <VectorCell numbers={numbers} />;
  const typed = kind === 'document' || kind === 'binary' ? typedValueOf(value) : undefined;
  if (typed !== undefined)
    return (
      <span title={lineOf(writeJson(value))}>
        <span class="cell-null">{typed.type}</span> {lineOf(typed.text)}
      </span>
    );
  return <span class="cell-json">{lineOf(writeJson(value))}</span>;
}

/** `{"$date":…}` and its kin: one value with the name of its type. */
function typedValueOf(value: Json): { readonly type: string; readonly text: string } | undefined {
  if (!isObject(value)) return undefined;
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0 || !only[0].startsWith('$')) return undefined;
  const [name, inner] = only;
  return { type: name.slice(1), text: name === '$date' ? momentText(inner) : plainText(inner) };
}

/** Milliseconds since 1970 in the form of timestamps, as far as there is one. */
function momentText(value: Json | undefined): string {
  const date = new Date(Number(plainText(value)));
  return Number.isNaN(date.getTime()) ? plainText(value) : date.toISOString();
}

function VectorCell({ numbers }: { readonly numbers: readonly string[] }) {
  const first = numbers.slice(0, shownNumbers).join(', ');
  return (
    <span class="cell-json">
      <span class="cell-null" title={`${numbers.length} dimensions`}>
        {numbers.length}
      </span>{' '}
      [{first}
      {numbers.length > shownNumbers ? ', …' : ''}]
    </span>
  );
}

function lineOf(text: string): string {
  return shortened(text, longestText).replaceAll('\n', '↵ ');
}
