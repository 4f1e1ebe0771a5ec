// A value in a cell of the grid, in one line.

import { isList, isNumber, isObject, type Json, plainText, writeJson } from '../json/exact-json.js';
import { shortened } from '../parts/shorten-text.js';

const longestText = 300;

/** Shows a value; missing ones stay empty. */
export function Cell({ value }: { readonly value: Json | undefined }) {
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
  if (isList(value) && value.length > 8 && value.every(isNumber)) return <VectorCell numbers={value} />;
  const [only] = Object.entries(value);
  // `{"$date":…}` and its kin: one value with the name of its type.
  if (isObject(value) && only?.[0].startsWith('$') === true && Object.keys(value).length === 1)
    return (
      <span title={writeJson(value)}>
        <span class="cell-null">{only[0].slice(1)}</span>{' '}
        {lineOf(only[0] === '$date' ? momentText(only[1]) : plainText(only[1]))}
      </span>
    );
  return <span class="cell-json">{lineOf(writeJson(value))}</span>;
}

/** A similarity to be compared at a glance; all digits on hover. */
export function Similarity({ value }: { readonly value: Json | undefined }) {
  const text = plainText(value);
  return (
    <span class="cell-number" title={text}>
      {text === '' ? '' : Number(text).toFixed(4)}
    </span>
  );
}

/** Milliseconds since 1970 in the form of timestamps, as far as there is one. */
function momentText(value: Json | undefined): string {
  const date = new Date(Number(plainText(value)));
  return Number.isNaN(date.getTime()) ? plainText(value) : date.toISOString();
}

function VectorCell({ numbers }: { readonly numbers: readonly Json[] }) {
  const first = numbers.slice(0, 3).map((number) => Number(String(number)).toPrecision(3));
  return (
    <span class="cell-json">
      [{first.join(', ')}, … <span class="cell-null">{numbers.length}</span>]
    </span>
  );
}

function lineOf(text: string): string {
  return shortened(text, longestText).replaceAll('\n', '↵ ');
}
