// Finds the rows of a span whose texts have all of some tokens.
import type { RowSpan } from './text-tables.js';
import type { TokenLists } from './token-lists.js';
import type { WordKernel } from './word-kernel.js';

/**
 * Finds the rows of a span that have all tokens in segments, by the lists of each token: the kernel has them. What
 * newer segments have of a row counts. `order`: the tokens, the rarest first. `among`: only these rows of the span are
 * wanted, in ascending order. Returns false if the span has too many rows for the kernel.
 */
export function matchedInSegments(
  kernel: WordKernel,
  lists: readonly TokenLists[],
  order: readonly number[],
  span: RowSpan,
  among: Float64Array | undefined,
): boolean {
  if (among === undefined) kernel.begin(order.length);
  else kernel.beginAmong(among, order.length);
  for (const [at, token] of order.entries()) {
    const list = lists[token];
    if (list === undefined) continue;
    if (at === 0 && among === undefined) {
      if (!kernel.first(list.pieces(span), span)) return false;
    } else kernel.next(at, list.pieces(span));
    if (kernel.size === 0) break;
  }
  return true;
}
