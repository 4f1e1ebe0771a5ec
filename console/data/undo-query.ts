// What undoes a filter, a sort or a search that the server refused.
import type { QueryChange } from '../state/url-state.js';
import type { RowsQuery } from './find-command.js';

/** A button: what it says, and what it changes in the address. */
export interface QueryUndo {
  readonly label: string;
  readonly change: QueryChange;
}

/** The parts are undone in this order: a new search leaves the sort out, and a sort the search. */
const parts = [
  { names: ['search', 'by', 'like'], label: 'the search' },
  { names: ['sort'], label: 'the sort' },
  { names: ['filter'], label: 'the filter' },
] as const;

/**
 * The buttons for a query without a result. If the rows of an earlier query are still shown, one button returns to that
 * query. Otherwise each button removes a part of the query.
 */
export function undosOf(query: RowsQuery, shown: RowsQuery | undefined): readonly QueryUndo[] {
  if (shown === undefined)
    return (
      parts
        // The way to search alone, without a text, narrows nothing.
        .filter(({ names }) => names.some((name) => name !== 'by' && query[name] !== ''))
        .map(({ names, label }) => ({
          label: `Remove ${label}`,
          change: Object.fromEntries(names.map((name) => [name, undefined])),
        }))
    );
  const changed = parts.filter(({ names }) => names.some((name) => query[name] !== shown[name]));
  const cause = changed.find(({ names }) => query[names[0]] !== '') ?? changed[0];
  return cause === undefined ? [] : [{ label: `Undo ${cause.label}`, change: { ...shown } }];
}
