// What this engine keeps with the columns and indexes of the schema, and nobody else reads.
import { isExact, type TextFold } from '../../../column-types/text-fold.js';
import type { Column, ServedFolds, Table, TableIndex } from '../../../schema/table.js';

/** The state of a column whose values Cassandra may compare by an index that is not known here. */
export const unknownIndex = 'unknown index';

/**
 * The state of an index on a column that has an index of another kind too, which Cassandra may use instead: it compares
 * texts as they are.
 */
export const shadowed = 'shadowed';

/** The state of a column that has another name in CQL than in commands. */
export interface OtherName {
  readonly cqlName: string;
}

/** The name of a column in CQL. */
export function cqlNameOf({ name, engineState }: Pick<Column, 'name' | 'engineState'>): string {
  // States are texts, except for this one.
  return typeof engineState === 'object' && engineState !== null ? (engineState as OtherName).cqlName : name;
}

/** The state of an index that may lack rows of its table (lacking-indexes.ts). */
export const lacking = 'lacking';

/**
 * Which filters an index of Cassandra serves that folds texts. Letters of later versions of Unicode have other lower
 * cases than here, and the tables of `ascii` may differ. undefined: all.
 */
export function foldsServed(fold: TextFold): ServedFolds | undefined {
  if (isExact(fold)) return undefined;
  return fold.ascii ? 'none' : 'equalSteady';
}

/** Whether a column has the state `unknownIndex`. */
export function hasUnknownIndex({ engineState }: Pick<Column, 'engineState'>): boolean {
  return engineState === unknownIndex;
}

/** Whether an index finds all rows: nodes have built it, and it does not have the state `lacking`. */
export function isUsable({
  isBuilding,
  engineState,
}: Pick<TableIndex, 'isBuilding' | 'engineState'>): boolean {
  return isBuilding !== true && engineState !== lacking;
}

/** Whether an index has the state `shadowed`. */
export function isShadowed({ engineState }: Pick<TableIndex, 'engineState'>): boolean {
  return engineState === shadowed;
}

/** The state of a collection whose index of terms a node is still building: no document is found by its terms. */
export const unbuiltTerms = 'unbuilt terms';

/** The state of a collection whose first documents were written without the tokens of their texts as terms. */
export const withoutTokens = 'without tokens';

/** Whether the documents of a collection are found by their terms. */
export function hasTerms({ engineState }: Pick<Table, 'engineState'>): boolean {
  return engineState !== unbuiltTerms;
}

/** Whether the documents of a collection are found by the tokens of their `$lexical`. */
export function hasTokenTerms(table: Pick<Table, 'engineState'>): boolean {
  return hasTerms(table) && table.engineState !== withoutTokens;
}
