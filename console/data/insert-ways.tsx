// The ways to insert, each with its form: one by its fields, as JSON, several as JSON, or those of a file.
import { Segments } from '../parts/segments.js';
import { changeQuery, place } from '../state/url-state.js';
import type { Item } from './schema.js';

/** The ways with their value of `as` in the address; documents have no form. */
const ways = { Form: undefined, JSON: 'json', Several: 'several', File: 'file' } as const;

export type InsertWay = keyof typeof ways;

/** The ways of an item. */
function waysOf({ kind }: Item): readonly InsertWay[] {
  return kind === 'table' ? ['Form', 'JSON', 'Several', 'File'] : ['JSON', 'Several', 'File'];
}

/** The way that the address names. */
export function insertWay(item: Item): InsertWay {
  const names = waysOf(item);
  return (
    names.find((name) => ways[name] !== undefined && ways[name] === place.value.query['as']) ??
    names[0] ??
    'JSON'
  );
}

/** The choice between them. */
export function InsertWays({ item, chosen }: { readonly item: Item; readonly chosen: InsertWay }) {
  const names = waysOf(item);
  return (
    <Segments
      label="How to insert"
      choices={names}
      chosen={chosen}
      onChoose={(name) => changeQuery({ as: name === names[0] ? undefined : ways[name] })}
    />
  );
}
