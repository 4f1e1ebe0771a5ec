// Finds the known name that a misspelled one probably means.

/** Longer names get no hint: the time of a comparison is the product of their lengths. */
const longestCompared = 40;

/**
 * The known name that differs only in case, or by the fewest insertions, deletions, replacements and exchanges of
 * neighbouring characters;
 * undefined if the nearest one differs by more than a third of its length.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestCompared) return undefined;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least && distance <= candidate.length / 3) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** The end of a message about an unknown name: the nearest known one as `write` writes it; empty if none is near. */
export function nearestHint(
  name: string,
  known: readonly string[],
  write: (nearest: string) => string = (nearest) => nearest,
): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean ${write(nearest)}?`;
}

/** The optimal string alignment distance: insertions, deletions, replacements, exchanges of neighbours. */
function editDistance(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let at = 1; at <= left.length; at += 1) {
    const next = [at];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (left[at - 1] === right[column - 1] ? 0 : 1);
      const isExchanged = left[at - 1] === right[column - 2] && left[at - 2] === right[column - 1];
      const exchanged = isExchanged ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, exchanged, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[right.length] ?? 0;
}
