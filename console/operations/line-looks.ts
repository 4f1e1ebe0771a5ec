// How the lines of a chart differ: by their colours, and by their dashes for those who do not see the colours.

export interface LineLook {
  /** The variable of its colour. */
  readonly colour: string;
  /** Pixels that are drawn and left out, in turns; empty for a line without gaps. */
  readonly dash: readonly number[];
}

const dashes: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [4, 4],
  [12, 3, 2, 3, 2, 3],
];

/** The colours of the style sheet: lines beyond them use the looks again. */
export const lookCount = dashes.length;

/** The look of the line at a place of the list, from 0. */
export function lookOf(at: number): LineLook {
  const place = at % lookCount;
  return { colour: `--series-${place + 1}`, dash: dashes[place] ?? [] };
}

/** A piece of a line for a legend, as the `background` of an element that is as high as a line. */
export function legendBackground(at: number): string {
  const { colour, dash } = lookOf(at);
  if (dash.length === 0) return `var(${colour})`;
  let from = 0;
  const stops = dash.map((length, part) => {
    const stop = `${part % 2 === 0 ? `var(${colour})` : 'transparent'} ${from}px ${from + length}px`;
    from += length;
    return stop;
  });
  return `repeating-linear-gradient(to right, ${stops.join(', ')})`;
}
