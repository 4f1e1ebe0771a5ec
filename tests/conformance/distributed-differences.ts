// The cases of the engine suite in which engines may differ by law, and why: the order of unsorted reads.
import { examplesByIndex } from './engine-index-cases.js';

const byToken = 'unsorted reads come in the order of the hash of the partition key, whatever index there is';

/** Case → why its rows come in another order than the case states; everything else in it holds. */
export function unsortedDifferences(reason: string): Readonly<Record<string, string>> {
  return {
    'finds by indexes what it finds without, page by page': reason,
    'compares texts as their index folds them': reason,
    'finds rows of a folded key column that differ in nothing else': reason,
    'keeps indexes with their rows: inserted, changed, emptied and deleted': reason,
    'makes an index while rows are written and read: none fails, none is lost': reason,
    'continues without an index that was dropped, and takes its name and its column again': reason,
    ...examplesByIndex(reason),
  };
}

/** Those of the distributed engine. */
export const distributedDifferences = unsortedDifferences(byToken);
