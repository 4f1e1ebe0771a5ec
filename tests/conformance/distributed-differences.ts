// The cases of the engine suite in which a distributed engine differs by law, and why: the order of unsorted reads.
import { examplesByIndex } from './engine-index-cases.js';

const byToken = 'unsorted reads come in the order of the hash of the partition key, whatever index there is';

/** Case → why its rows come in another order than the case states; everything else in it holds. */
export const distributedDifferences: Readonly<Record<string, string>> = {
  'finds by indexes what it finds without, page by page': byToken,
  'compares texts as their index folds them': byToken,
  'finds rows of a folded key column that differ in nothing else': byToken,
  'keeps indexes with their rows: inserted, changed, emptied and deleted': byToken,
  'makes an index while rows are written and read: none fails, none is lost': byToken,
  'goes on without an index that was dropped, and takes its name and its column again': byToken,
  ...examplesByIndex(byToken),
};
