// The widths that were given to columns, kept in this browser.
import { useState } from 'preact/hooks';
import { isObject, type JsonObject, parseObject, toCount, writeJson } from '../json/exact-json.js';
import { keepText, keptText } from '../state/kept-text.js';

/** The widths of columns in pixels, by the ids of the columns. */
export type Widths = Readonly<Record<string, number>>;

const storedName = 'colonnade-widths';
/** Beyond these, the tables and collections that were changed longest ago are forgotten, and the first columns. */
const mostItems = 40;
const mostColumns = 60;

/** The widths of a table or collection, and what changes one; undefined forgets it. */
export function useWidths(item: string) {
  const [widths, setWidths] = useState(() => widthsIn(allKept()[item]));
  const change = (column: string, widthPx: number | undefined) => {
    const { [column]: _, ...others } = widths;
    const next = widthPx === undefined ? others : { ...others, [column]: widthPx };
    setWidths(next);
    keep(item, Object.fromEntries(Object.entries(next).slice(-mostColumns)));
  };
  return [widths, change] as const;
}

function keep(item: string, widths: Widths): void {
  const { [item]: _, ...others } = allKept();
  const entries = Object.entries(others).slice(1 - mostItems);
  const next = Object.keys(widths).length === 0 ? entries : [...entries, [item, widths]];
  keepText(storedName, writeJson(Object.fromEntries(next)));
}

/** The widths of all grids by their names; none if something else has written the text. */
function allKept(): JsonObject {
  return parseObject(keptText(storedName) ?? '{}') ?? {};
}

function widthsIn(value: JsonObject[string]): Widths {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    entries.flatMap(([column, px]) => {
      const count = toCount(px);
      return count === undefined ? [] : [[column, count]];
    }),
  );
}
